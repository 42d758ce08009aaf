import { describe, expect, it } from 'vitest'
import { retryDelayMs } from './retry.js'
import { formatRetryAfter } from '../front/http/responses.js'

describe('retryDelayMs', () => {
  it('is full jitter under a doubling, capped step', () => {
    expect([1, 2, 3, 4, 5, 9].map((repeat) => retryDelayMs(repeat, () => 0.9999))).toEqual([
      399, 799, 1_599, 1_999, 1_999, 1_999,
    ])
    expect([1, 2, 3].map((repeat) => retryDelayMs(repeat, () => 0))).toEqual([0, 0, 0])
  })
})

it('formatRetryAfter rounds up, and never says now', () => {
  expect([0, 1, 999, 1_000, 1_001].map(formatRetryAfter)).toEqual(['1', '1', '1', '1', '2'])
})
