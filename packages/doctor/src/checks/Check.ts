import type { Send } from '../net/createSend.js'
import type { Redactor } from '../report/createRedactor.js'
import {
  CheckEnded,
  type CheckResult,
  type CheckStatus,
  fail,
  isGood,
  type Outcome,
} from '../report/Result.js'
import type { Limits } from '../settings/Settings.js'

/** What all checks share. */
export interface Run {
  readonly limits: Limits
  /** Cancels the run. */
  readonly signal: AbortSignal
  readonly send: Send
  /** Masks the secrets that it was given, in all that is printed. */
  readonly redactor: Redactor
}

/** One thing to find out. */
export interface Check<TContext extends Run> {
  readonly name: string
  /** Names of checks before it that must have a good result. */
  readonly needs?: readonly string[] | undefined
  /**
   * Resolves with what was found, or rejects with `CheckEnded`. Any other error is a mistake in the check, if
   * the run was not cancelled.
   */
  run(context: TContext): Promise<Outcome>
}

/** Runs the checks one after the other. Rejects with the signal's reason. */
export async function runChecks<TContext extends Run>(
  checks: readonly Check<TContext>[],
  context: TContext,
  /** Called when a check has ended. */
  onResult: ((result: CheckResult) => void) | undefined,
  /** Of a check whose needs are not met. */
  unmet: CheckStatus = 'skipped',
): Promise<CheckResult[]> {
  const { signal, redactor } = context
  const results: CheckResult[] = []
  for (const { name, needs = [], ...check } of checks) {
    signal.throwIfAborted()
    const missing = needs.find((needed) => !results.some((one) => one.name === needed && isGood(one)))
    const { status, seen, advice }: Outcome =
      missing === undefined
        ? await check.run(context).catch(readError)
        : { status: unmet, seen: `Not checked, because it needs "${missing}".` }
    signal.throwIfAborted()
    const result = {
      name,
      status,
      seen: redactor.redact(seen),
      ...(advice !== undefined && { advice: redactor.redact(advice) }),
    }
    results.push(result)
    onResult?.(result)
  }
  return results
}

/** Of an unexpected error the name alone: its message may hold anything. */
function readError(error: unknown): Outcome {
  if (error instanceof CheckEnded) return error.outcome
  const name = error instanceof Error ? error.name : 'unknown error'
  const advice = 'Run it again. If it stays, report it with the version of @stagepass/doctor.'
  return fail(`The check could not be completed (${name}).`, advice)
}
