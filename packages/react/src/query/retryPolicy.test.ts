import { expect, it } from 'vitest'
import { createVirtualPlatform } from '../virtual/createVirtualPlatform.test.kit.js'
import { VoiceError } from '../errors/VoiceError.js'
import { retryPolicy } from './retryPolicy.js'

const policyAt = (random: number) =>
  retryPolicy({ platform: createVirtualPlatform({ random: () => random }) })

it('waits for the whole Retry-After, plus some jitter', () => {
  const busy = new VoiceError('BUDGET_EXHAUSTED', { retryable: true, retryAfterMs: 5_000 })
  expect([policyAt(0), policyAt(1)].map(({ retryDelay }) => retryDelay(0, busy))).toEqual([5_000, 5_100])
  expect(policyAt(1).retryDelay(0, new VoiceError('RATE_LIMITED', { retryAfterMs: 0 }))).toBe(100)
})

it('backs off with full jitter if the server named no time', () => {
  const lost = new VoiceError('NETWORK_ERROR')
  expect([0, 1, 2, 5, 9].map((failures) => policyAt(1).retryDelay(failures, lost))).toEqual([
    1_000, 2_000, 4_000, 30_000, 30_000,
  ])
  expect([0, 1, 9].map((failures) => policyAt(0).retryDelay(failures, lost))).toEqual([0, 300, 300])
})

it('does not retry a final error, and retries more often with a Retry-After', () => {
  const { retry } = policyAt(0.5)
  const times = (error: VoiceError): number => [0, 1, 2, 3, 4, 5, 6].filter((n) => retry(n, error)).length
  expect(times(new VoiceError('FORBIDDEN'))).toBe(0)
  expect(times(new VoiceError('UPSTREAM_TIMEOUT', { retryable: true }))).toBe(3)
  expect(times(new VoiceError('BUDGET_EXHAUSTED', { retryable: true, retryAfterMs: 1_000 }))).toBe(5)
})
