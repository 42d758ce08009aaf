import { expect, it } from 'vitest'
import * as api from './index.js'

it('exports this and nothing else', () => {
  expect(Object.keys(api).toSorted()).toMatchInlineSnapshot(`
    [
      "KEY_STATES",
      "REFUSAL_FORMS",
      "acceptThenClose",
      "answer",
      "createEmulator",
      "delay",
      "drop",
      "fail",
      "hang",
      "malformed",
      "refuse",
    ]
  `)
})

it('gives a handle with this and nothing else', async () => {
  await using upstream = await api.createEmulator()
  expect(Object.keys(upstream).toSorted()).toMatchInlineSnapshot(`
    [
      "accounts",
      "apiKey",
      "apiKeys",
      "baseUrl",
      "clock",
      "close",
      "counts",
      "credentialRows",
      "credentials",
      "frames",
      "keys",
      "meetings",
      "meetingsCredential",
      "meetingsUrl",
      "requests",
      "reset",
      "sockets",
      "streamingUrl",
      "tokens",
      "use",
    ]
  `)
  expect(Symbol.asyncDispose in upstream).toBe(true)
  expect(Object.keys(upstream.keys)).toMatchInlineSnapshot(`
    [
      "valid",
      "invalid",
      "paused",
      "suspended",
      "teamless",
      "expired",
      "unlicensed",
      "productNotAllowed",
      "pastDue",
      "balanceExhausted",
      "spendCapReached",
      "usageExceeded",
      "vtUsageExceeded",
    ]
  `)
})
