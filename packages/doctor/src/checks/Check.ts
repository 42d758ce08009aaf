import type { Send } from '../net/createHttp.js'
import type { Redactor } from '../report/createRedactor.js'
import type { Outcome } from '../report/Result.js'
import type { Limits } from '../settings/Settings.js'

/** What all checks share. */
export interface Run {
  readonly limits: Limits
  /** Cancels the run. */
  readonly signal: AbortSignal
  /** Rejects if the run is cancelled. */
  readonly sleep: (ms: number) => Promise<void>
  readonly send: Send
  /** As `send`; it waits and tries again where that can help. */
  readonly sendPatiently: Send
  /**
   * As `sendPatiently`, at most twice a second: the account's rate limit for meetings is shared. (Contract:
   * "Rate limit".)
   */
  readonly sendToMeetings: Send
  /** Knows the secrets. A text of the other side is shown only if it is safe. */
  readonly redactor: Redactor
}

/** One thing to find out. */
export interface Check<TContext extends Run> {
  /** Stable name, in small letters with spaces. A check of the wire has the name of the value. */
  readonly name: string
  /** Names of checks before it that must have a good result. */
  readonly needs?: readonly string[] | undefined
  /**
   * Resolves with what was found, or rejects with `CheckEnded`. Any other error is a mistake in the check, if
   * the run was not cancelled.
   */
  run(context: TContext): Promise<Outcome>
}
