import type { Outcome } from '../report/Result.js'

/** One thing to find out. */
export interface Check<TContext> {
  /** Stable name, in small letters with spaces. */
  readonly name: string
  /** Names of checks before it that must not have failed or been skipped. */
  readonly needs?: readonly string[] | undefined
  /** Resolves with what was found. Rejects only if the run was cancelled, or by a mistake in the check itself. */
  run(context: TContext): Promise<Outcome>
}
