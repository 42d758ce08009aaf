/** Why a request gets no slot. */
export type RefusalReason = 'user-queue-full' | 'queue-full' | 'too-late'

/** Events of the budget. No event names a user. Times in milliseconds; slots are those of one window. */
export type BudgetEvent =
  /** A request was refused a slot. `retryAfterMs`: when to ask again. */
  | {
      readonly type: 'budget.refused'
      readonly reason: RefusalReason | 'closing'
      readonly retryAfterMs: number
    }
  /**
   * The upstream responded with 429: all instances pause for `frozenMs`, and use `limit` slots from now on.
   * `used` of our own requests were in the window.
   *
   * - `foreign-use`: our own requests do not explain it. Another program spends from the account.
   * - `single-seconds`: a limit for single seconds would explain it.
   * - `strict`: that was so for the second time. From now on we count single seconds too.
   * - `recovered`: this is no 429. All slots are in use again after earlier ones.
   */
  | {
      readonly type: 'budget.limit'
      readonly reason: 'foreign-use' | 'single-seconds' | 'strict' | 'recovered'
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
   * Redis was restarted or flushed, or held something else than a state of this version: no slot for one
   * window.
   */
  | { readonly type: 'budget.store'; readonly reason: 'state-lost' }
  /**
   * The clock of Redis stepped, forward or (`byMs` below zero) back. After a step forward: no slot for one
   * window.
   */
  | { readonly type: 'budget.store'; readonly reason: 'clock-stepped'; readonly byMs: number }

/** An event that is in the reply to the call that caused it, and in no other. */
export type BudgetNotice = Extract<
  BudgetEvent,
  { type: 'budget.limit' } | { reason: 'state-lost' | 'clock-stepped' }
>
