/*
 * The rules of the count. `createRedisUsage.ts` has them in Lua too, and a test compares the two.
 */

const MINUTE_MS = 60_000

/** A report may arrive this long after the token has expired. */
export const REPORT_GRACE_MS = MINUTE_MS

/**
 * Time for which a reservation is open after the end of its token. The instance that minted the token settles
 * it long before. After an outage of Redis it settles late, but within this time.
 */
export const OPEN_AFTER_MS = 24 * 60 * MINUTE_MS

/**
 * A sum is kept longer than its day by the lifetime of the longest token, so that the last token of the day
 * can be reported.
 */
export const SUM_MS = 50 * 60 * MINUTE_MS

/**
 * Time for which a closed reservation is remembered with its result, in case one of its commands arrives
 * late or twice, or its reply was lost.
 */
export const CLOSED_MS = 60_000

export interface Wanted {
  /** Lifetime of the token: whole minutes. */
  readonly wantedMs: number
  /** Lifetime of the shortest token. */
  readonly leastMs: number
  /** Minutes of the day; `Infinity` if there is no limit. */
  readonly limitMs: number
}

/** The reservation of a token that the new one replaces, and the used time that its page has sent. */
export interface Replaced {
  readonly id: string
  readonly reportedMs: number
}

/** Returns what is reserved for a token: whole minutes, at most what is left of the limit, or zero. */
export function reservedMsOf(takenMs: number, { wantedMs, leastMs, limitMs }: Wanted): number {
  const overMs = Math.max(0, takenMs + wantedMs - limitMs)
  const leftMs = wantedMs - Math.ceil(overMs / MINUTE_MS) * MINUTE_MS
  return leftMs < leastMs ? 0 : leftMs
}

export interface Settled {
  readonly usedMs: number
  /** True if a report came too late, so that the whole lifetime counts. */
  readonly isLate: boolean
}

/**
 * The time that a page has reported, `undefined` if its token has ended without a report, or `none` if no
 * page has received it.
 */
export type Call = number | undefined | 'none'

export function settledOf(reservedMs: number, ageMs: number, reportedMs: Call): Settled {
  if (reportedMs === 'none') return { usedMs: 0, isLate: false }
  const isLate = reportedMs !== undefined && ageMs > reservedMs + REPORT_GRACE_MS
  return {
    usedMs:
      reportedMs === undefined || isLate ? reservedMs : Math.floor(Math.min(reportedMs, reservedMs, ageMs)),
    isLate,
  }
}
