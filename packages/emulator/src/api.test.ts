import { expect, it } from 'vitest'
import * as api from './index.js'

const namesOf = (value: object): string => Object.keys(value).toSorted().join(' ')

it('exports this and nothing else', () => {
  expect(namesOf(api)).toBe(
    'KEY_STATES REFUSAL_FORMS acceptThenClose blackhole byteOrderMark closeIdle createEmulator delay drop encoded expireCursors fail hang malformed mute oddFields refuse respond',
  )
})

it('gives a handle with this and nothing else', async () => {
  await using upstream = await api.createEmulator()
  expect(namesOf(upstream)).toBe(
    'accounts apiKey apiKeys baseUrl bffOptions billedMs clock close counts credentialRows credentials frames heard keys meetings ' +
      'meetingsCredential meetingsUrl requests reset sockets streamingUrl tokens use',
  )
  expect(Symbol.asyncDispose in upstream).toBe(true)
  expect(namesOf(upstream.keys)).toBe(
    'balanceExhausted expired invalid pastDue paused productNotAllowed spendCapReached suspended teamless ' +
      'unlicensed usageExceeded valid vtUsageExceeded',
  )
})
