/**
 * Events of the budget. No event names a user. Times are in milliseconds. Numbers of slots are per window.
 */
export type BudgetEvent =
  /** A request got no slot. `retryAfterMs`: when to ask again. */
  | {
      readonly type: 'budget.refused'
      readonly reason: 'user-queue-full' | 'queue-full' | 'too-late' | 'closing'
      readonly retryAfterMs: number
    }
  /**
   * The upstream responded with 429. All instances pause for `frozenMs`, and use at most `limit` slots from
   * now on. `used`: our own requests in the window.
   *
   * - `foreign-use`: our own requests do not explain the 429. Another program uses the account, or the
   *   upstream also counts in shorter windows.
   * - `recovered`: this event is not a 429. All slots may be used again after earlier 429s.
   */
  | {
      readonly type: 'budget.limit'
      readonly reason: 'foreign-use' | 'recovered'
      readonly limit: number
      readonly used: number
      readonly frozenMs: number
    }
  /**
   * Redis does not respond, or refuses the calls. This instance uses at most `limit` slots on its own. `reply`
   * is the first word of what it answered, such as `NOPERM` or `OOM`. `cause` is not enumerable.
   * `connected` is false if the client had not connected yet: await its connection before the budget is
   * created.
   */
  | {
      readonly type: 'budget.store'
      readonly reason: 'lost'
      readonly limit: number
      readonly reply?: string | undefined
      readonly connected?: false | undefined
      readonly cause?: unknown
    }
  /** Redis responds again. */
  | { readonly type: 'budget.store'; readonly reason: 'back' }
  /**
   * Redis was restarted, flushed or restored from a copy, lost a key, its clock stepped back, or its keys
   * held other data. No slot is given for one window.
   */
  | { readonly type: 'budget.store'; readonly reason: 'state-lost' }

/** Events of the sessions. No event names a user. */
export type SessionsEvent =
  /**
   * The number of sessions that may be open at once has changed, because the service refused one or allowed
   * one more. `foreign-use`: it has been lower for a minute, so another program uses the account.
   */
  | {
      readonly type: 'sessions.limit'
      readonly reason: 'lowered' | 'raised' | 'foreign-use'
      readonly max: number
    }
  /**
   * Redis does not respond, or refuses (`reply`: the code of its error, such as NOPERM). This instance gives at
   * most `limit` new leases on its own.
   */
  | {
      readonly type: 'sessions.store'
      readonly reason: 'lost'
      readonly limit: number
      readonly reply?: string | undefined
      readonly cause?: unknown
    }
  /** Redis responds again, or has lost the state: then no new lease is given for 12 s. */
  | { readonly type: 'sessions.store'; readonly reason: 'back' | 'state-lost' }
