/*
 * Possible meanings of "5 requests a second, burst 25 per 5 seconds". Each reading returns how many of the
 * given arrivals it would refuse. A refused arrival does not count against later ones.
 */

const BURST = 25
const WINDOW_MS = 5_000
const PER_SECOND = 5
const SECOND_MS = 1_000

type Reading = (arrivals: readonly number[]) => number

const slidingLog =
  (limit: number, windowMs: number): Reading =>
  (arrivals) => {
    const log: number[] = []
    let refused = 0
    for (const at of arrivals) {
      while (log[0] !== undefined && log[0] <= at - windowMs) log.shift()
      if (log.length < limit) log.push(at)
      else refused += 1
    }
    return refused
  }

const fixedWindow: Reading = (arrivals) => {
  let window = -1
  let count = 0
  let refused = 0
  for (const at of arrivals) {
    const current = Math.floor(at / WINDOW_MS)
    if (current !== window) [window, count] = [current, 0]
    count += 1
    if (count > BURST) refused += 1
  }
  return refused
}

const tokenBucket: Reading = (arrivals) => {
  let tokens = BURST
  let filledAt = 0
  let refused = 0
  for (const at of arrivals) {
    tokens = Math.min(BURST, tokens + ((at - filledAt) * BURST) / WINDOW_MS)
    filledAt = at
    if (tokens >= 1) tokens -= 1
    else refused += 1
  }
  return refused
}

const sliding = slidingLog(BURST, WINDOW_MS)
const eachSecond = slidingLog(PER_SECOND, SECOND_MS)

export const LIMITER_READINGS = {
  sliding,
  fixed: fixedWindow,
  bucket: tokenBucket,
  strict: (arrivals) => Math.max(sliding(arrivals), eachSecond(arrivals)),
} as const satisfies Record<string, Reading>

export type LimiterReading = keyof typeof LIMITER_READINGS
