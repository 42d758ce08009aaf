import { expect, it } from 'vitest'
import { renewalLeadMs, withinLifeMs } from './renewal.js'

const MINUTE = 60_000

it.each([
  // 10 % of the life, and up to 20 % of that at random.
  [20 * MINUTE, 0, 120_000],
  [20 * MINUTE, 0.5, 132_000],
  // At least 30 s, at most 5 min.
  [3 * MINUTE, 0, 30_000],
  [3 * MINUTE, 0.5, 33_000],
  [180 * MINUTE, 0, 300_000],
  [180 * MINUTE, 0.5, 330_000],
  // Never more than a quarter.
  [MINUTE, 0, 15_000],
])('a life of %i ms is renewed, at chance %d, %i ms before its end', (lifeMs, random, leadMs) => {
  expect(renewalLeadMs(lifeMs, random)).toBeCloseTo(leadMs, 6)
})

it.each([
  [5_000, 60_000, 5_000],
  [30_000, 20_000, 10_000],
  [30_000, 1_500, 1_000],
  [400, 1_500, 400],
])('a retry after %i ms comes, with %i ms left, after %i ms', (delayMs, leftMs, within) => {
  expect(withinLifeMs(delayMs, leftMs)).toBe(within)
})
