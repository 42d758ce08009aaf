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

/** The same for the sum of a user's month. */
export const MONTH_MS = 33 * 24 * 60 * MINUTE_MS

/** The sums of an account are kept for bills. */
export const BILL_MS = 400 * 24 * 60 * MINUTE_MS

/** The sums in which a token counts, in the order of the limits. Each has only the tokens of one product. */
export const SUMS = ['user day', 'user month', 'account day', 'account month'] as const
export type SumName = (typeof SUMS)[number]

/** A limit of each sum, in milliseconds; `Infinity` if there is none. */
export type Limits = Readonly<Record<SumName, number>>

export const NO_LIMITS: Limits = {
  'user day': Infinity,
  'user month': Infinity,
  'account day': Infinity,
  'account month': Infinity,
}

export interface Wanted {
  /** Lifetime of the token: whole minutes. */
  readonly wantedMs: number
  /** Lifetime of the shortest token. */
  readonly leastMs: number
  readonly limits: Limits
}

/** The reservation of a token that the new one replaces, and the used time that its page has sent. */
export interface Replaced {
  readonly id: string
  readonly reportedMs: number
  /** It is of another day of the same month, so its minutes are left in the sums of the month alone. */
  readonly isOfOtherDay?: boolean | undefined
}

/** Percent of a limit for which there is an event. 100: no further token fits. */
export const THRESHOLDS = [80, 100] as const
export type Threshold = (typeof THRESHOLDS)[number]

/** A sum that has reached a threshold of its limit for the first time. */
export interface Crossed {
  readonly sum: SumName
  readonly percent: Threshold
}

/** What was reserved: zero, if the sums `refusedBy` have too little left. */
export interface Reserved {
  readonly reservedMs: number
  readonly refusedBy: readonly SumName[]
  readonly crossed: readonly Crossed[]
}

/**
 * The names of a token's sums. `key` is `day:product:account:user`, such as `2030-01-31:stt:acme:ada`. The
 * sums of an account are fields of one hash for each month.
 */
export function sumsOf(key: string) {
  const [day = '', product = '', account = '', ...user] = key.split(':')
  const month = day.slice(0, 7)
  return {
    userMonth: [month, product, account, ...user].join(':'),
    account: `${month}:${account}`,
    fields: { 'account day': `${product}:${day.slice(8)}`, 'account month': product },
  }
}

/** The threshold that a sum has reached. */
export function thresholdOf(sumMs: number, leastMs: number, limitMs: number): Threshold | undefined {
  if (limitMs === Infinity) return undefined
  if (sumMs + leastMs > limitMs) return 100
  return sumMs >= limitMs * 0.8 ? 80 : undefined
}

/** Returns what one limit leaves for a token: whole minutes, at most what is left of it, or zero. */
export function reservedMsOf(
  takenMs: number,
  { wantedMs, leastMs }: Pick<Wanted, 'wantedMs' | 'leastMs'>,
  limitMs: number,
): number {
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
