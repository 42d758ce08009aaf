import { MEETINGS_RATE } from '@stagepass/contract'

/** How "5 requests per second, burst 25 per 5 seconds" is read. (Assumptions: "Reading of the rate limit".) */
export const LIMITERS = ['sliding', 'fixed', 'bucket', 'strict'] as const
export type LimiterKind = (typeof LIMITERS)[number]

const { perSecond, burst, windowMs } = MEETINGS_RATE

/** Counts the requests of one account. */
export interface Limiter {
  /** `undefined` if the request may pass, else the milliseconds until one may. */
  take(nowMs: number): number | undefined
}

/** At most `count` in any `spanMs`. */
function createLog(count: number, spanMs: number, countsRefused: boolean) {
  let times: number[] = []
  return {
    /** When there is room again, or `undefined` if there is now. */
    fullUntilMs(nowMs: number): number | undefined {
      times = times.filter((timeMs) => timeMs > nowMs - spanMs)
      const blocking = times[times.length - count]
      return blocking === undefined ? undefined : blocking + spanMs
    },
    add(nowMs: number, refused: boolean): void {
      if (!refused || countsRefused) times.push(nowMs)
    },
  }
}

function createLogLimiter(logs: readonly ReturnType<typeof createLog>[]): Limiter {
  return {
    take(nowMs) {
      const untilMs = Math.max(...logs.map((log) => log.fullUntilMs(nowMs) ?? 0))
      const refused = untilMs > 0
      for (const log of logs) log.add(nowMs, refused)
      return refused ? untilMs - nowMs : undefined
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
      // A refused request that counts takes the rest, so a client that does not stop keeps the bucket empty.
      if (!refused) level -= 1
      else if (countsRefused) level = 0
      return refused ? Math.ceil(((1 - level) * 1_000) / perSecond) : undefined
    },
  }
}

/**
 * - `sliding`: at most 25 in any 5 s.
 * - `fixed`: at most 25 in each 5 s of the clock.
 * - `bucket`: 25 tokens, refilled by 5 a second.
 * - `strict`: at most 25 in any 5 s and at most 5 in any second.
 */
export function createLimiter(kind: LimiterKind, countsRefused: boolean): Limiter {
  switch (kind) {
    case 'sliding':
      return createLogLimiter([createLog(burst, windowMs, countsRefused)])
    case 'strict':
      return createLogLimiter([
        createLog(burst, windowMs, countsRefused),
        createLog(perSecond, 1_000, countsRefused),
      ])
    case 'fixed':
      return createFixedWindow(countsRefused)
    case 'bucket':
      return createBucket(countsRefused)
    default:
      return kind satisfies never
  }
}
