/** Why a request gets no slot. */
export type RefusalReason = 'user-queue-full' | 'queue-full' | 'too-late'

/** Events of the budget. No event names a user. Times in milliseconds; slots are those of one window. */
export type BudgetEvent =
  /** The upstream answered 429: all instances pause for `frozenMs`, and use `limit` slots for now. */
  | {
      readonly type: 'budget.frozen'
      readonly frozenMs: number
      readonly limit: number
      readonly used: number
    }
  /** That 429 cannot be explained by our own requests, of which `used` were in the window: another program spends from the account. */
  | { readonly type: 'budget.foreign-use'; readonly used: number }
  /** The upstream also counts single seconds; from now on we do too. With the option `strict` this is so from the start. */
  | { readonly type: 'budget.strict' }
  /** All slots are in use again after earlier 429s. */
  | { readonly type: 'budget.recovered'; readonly limit: number }
  /** A request was refused a slot. `retryAfterMs`: when to ask again. */
  | {
      readonly type: 'budget.refused'
      readonly reason: RefusalReason | 'closing'
      readonly retryAfterMs: number
    }
  /** Redis was restarted or flushed, or held something else than a state of this version: no slot is granted for one window. */
  | { readonly type: 'budget.state-lost' }
  /** The clock of Redis stepped, forward or (`byMs` below zero) back. After a step forward no slot is granted for one window. */
  | { readonly type: 'budget.clock-stepped'; readonly byMs: number }
  /** Redis does not answer: after one window without it, this instance uses `limit` slots of its own. `cause` is not enumerable. */
  | { readonly type: 'budget.store-lost'; readonly limit: number; readonly cause?: unknown }
  /** Redis answers again. */
  | { readonly type: 'budget.store-back' }
