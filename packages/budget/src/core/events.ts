/** Events of the budget. No event names a user. Times in milliseconds; slots are those of one window. */
export type BudgetEvent =
  /** A request was refused a slot. `retryAfterMs`: when to ask again. */
  | {
      readonly type: 'budget.refused'
      readonly reason: 'user-queue-full' | 'queue-full' | 'too-late' | 'closing'
      readonly retryAfterMs: number
    }
  /**
   * The upstream responded with 429: all instances pause for `frozenMs`, and use `limit` slots from now on.
   * `used` of our own requests were in the window.
   *
   * - `foreign-use`: our own requests do not explain it. Another program spends from the account, or the
   *   upstream counts in shorter windows too.
   * - `recovered`: this is no 429. All slots are in use again after earlier ones.
   */
  | {
      readonly type: 'budget.limit'
      readonly reason: 'foreign-use' | 'recovered'
      readonly limit: number
      readonly used: number
      readonly frozenMs: number
    }
  /**
   * Redis does not respond: this instance uses at most `limit` slots of its own. `cause` is not enumerable.
   */
  | {
      readonly type: 'budget.store'
      readonly reason: 'lost'
      readonly limit: number
      readonly cause?: unknown
    }
  /** Redis responds again. */
  | { readonly type: 'budget.store'; readonly reason: 'back' }
  /**
   * Redis was restarted, flushed or restored from a copy, its clock stepped back, or it held something else:
   * no slot for one window.
   */
  | { readonly type: 'budget.store'; readonly reason: 'state-lost' }
