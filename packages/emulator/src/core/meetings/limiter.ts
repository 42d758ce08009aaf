import { MEETINGS_RATE } from '@stagepass/contract'

const { perSecond, burst, windowMs } = MEETINGS_RATE

/** Counts the requests of one account. */
export interface Limiter {
  /** Returns `undefined` if the request may pass, otherwise the milliseconds until a request may pass. */
  take(nowMs: number): number | undefined
}

interface Span {
  readonly count: number
  readonly spanMs: number
}

/** Allows at most `count` requests in any `spanMs`, for each of the spans. The first span is the longest. */
function createLog(spans: readonly [Span, ...Span[]], countsRefused: boolean): Limiter {
  let times: number[] = []
  return {
    take(nowMs) {
      times = times.filter((timeMs) => timeMs > nowMs - spans[0].spanMs)
      const waits = spans.map(({ count, spanMs }) => (times.at(-count) ?? -Infinity) + spanMs - nowMs)
      const waitMs = Math.max(...waits)
      const refused = waitMs > 0
      if (!refused || countsRefused) times.push(nowMs)
      return refused ? waitMs : undefined
    },
  }
}

function createFixedWindow(countsRefused: boolean): Limiter {
  let window = -1
  let used = 0
  return {
    take(nowMs) {
      const current = Math.floor(nowMs / windowMs)
      if (current !== window) {
        window = current
        used = 0
      }
      const refused = used >= burst
      if (!refused || countsRefused) used += 1
      return refused ? (current + 1) * windowMs - nowMs : undefined
    },
  }
}

function createBucket(countsRefused: boolean): Limiter {
  let level: number = burst
  let filledAtMs = -Infinity
  return {
    take(nowMs) {
      level = Math.min(burst, level + (Math.max(0, nowMs - filledAtMs) * perSecond) / 1_000)
      filledAtMs = nowMs
      const refused = level < 1
      // A refused request that counts empties the bucket, so a client that does not stop keeps it empty.
      if (!refused) level -= 1
      else if (countsRefused) level = 0
      return refused ? Math.ceil(((1 - level) * 1_000) / perSecond) : undefined
    },
  }
}

const PER_WINDOW = { count: burst, spanMs: windowMs }
const PER_SECOND = { count: perSecond, spanMs: 1_000 }

/**
 * Readings of "5 requests per second, burst 25 per 5 seconds". (Assumptions: "Reading of the rate limit".)
 */
const MAKERS = {
  /** At most 25 in any 5 s. */
  sliding: (countsRefused: boolean) => createLog([PER_WINDOW], countsRefused),
  /** At most 25 in each 5 s of the clock. */
  fixed: createFixedWindow,
  /** 25 tokens, refilled by 5 a second. */
  bucket: createBucket,
  /** At most 25 in any 5 s and at most 5 in any second. */
  strict: (countsRefused: boolean) => createLog([PER_WINDOW, PER_SECOND], countsRefused),
}

/**
 * How the rate limit is counted. The README explains each kind. (Assumptions: "Reading of the rate limit".)
 */
export type LimiterKind = keyof typeof MAKERS
export const LIMITERS = Object.keys(MAKERS) as readonly LimiterKind[]

export function createLimiter(kind: LimiterKind, countsRefused: boolean): Limiter {
  return MAKERS[kind](countsRefused)
}
