import type { Replaced, Reserved, Settled, Wanted } from './usageRules.js'

/** What a closed reservation has cost, and the process whose call has closed it. */
export interface Closed extends Settled {
  readonly by: string
}

/** Sums in milliseconds. */
interface Sums {
  readonly taken: number
  readonly used: number
  /** `taken` of the month. */
  readonly month: number
}

/**
 * The sums and the open reservations. Each call is done as a whole or not at all. If it rejects, it may have
 * been done, except if Redis has replied with an error. The key is for a day, a product, an account and a
 * user; `sumsOf` names the further sums in which its tokens count.
 */
export interface UsageStore {
  /**
   * Adds to each sum, and opens a reservation with a new id. Returns what is reserved; zero if too little is
   * left. What `settle` would subtract for `replaced`, of the same user and product, counts as left. It is not
   * subtracted. If `replaced` was settled with a `next`, it only returns that.
   */
  reserve(key: string, id: string, wanted: Wanted, replaced?: Replaced): Promise<Reserved | string>
  /**
   * Closes a reservation, adds to `used` what was used, and subtracts the rest from `taken`. Without
   * `reportedMs` everything was used. `instance` is the name of the caller's process. For a minute the same
   * call again returns the same result, and changes no sum. Returns `undefined`, and changes no sum, if the
   * reservation is not open: it was closed by another call, has expired, or was lost. `next`: the token that
   * has replaced this one, for `reserve`. It has no space, and is not a number.
   */
  settle(
    key: string,
    id: string,
    reportedMs: number | undefined,
    instance: string,
    next?: string,
  ): Promise<Closed | undefined>
  /** Drops the sums of an account's users. Its own sums and the reservations stay. `account`: as in a key. */
  drop(account: string): Promise<void>
  /** Closes a reservation, and subtracts all of it from `taken`. A later `reserve` has no effect. */
  cancel(key: string, id: string): Promise<void>
  /** Returns the sums of each key, all in one call. Missing sums are zero. */
  read(keys: readonly string[]): Promise<readonly Sums[]>
  /**
   * The sums of an account in each of the months, all in one call. `accounts`: as in `sumsOf`. The names are
   * those of `fields`.
   */
  readAccount(accounts: readonly string[]): Promise<readonly ReadonlyMap<string, number>[]>
}
