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

/** The parts that all checks share. */
export interface Run {
  readonly limits: Limits
  /** Cancels the run. */
  readonly signal: AbortSignal
  readonly send: Send
  /** Masks known secrets in everything that is printed. */
  readonly redactor: Redactor
}

/** One check. */
export interface Check<TContext extends Run> {
  readonly name: string
  /** Names of earlier checks that must have a good result. */
  readonly needs?: readonly string[] | undefined
  /**
   * Resolves with the outcome, or rejects with `CheckEnded`. Any other error is a defect of the check, unless
   * the run was cancelled.
   */
  run(context: TContext): Promise<Outcome>
}

/** Runs the checks one after the other. Rejects with the signal's reason. */
export async function runChecks<TContext extends Run>(
  checks: readonly Check<TContext>[],
  context: TContext,
  /** Called when a check has ended. */
  onResult: ((result: CheckResult) => void) | undefined,
  /** The status of a check whose needs are not met. */
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

/** Reports only the name of an unexpected error, because its message may contain anything. */
function readError(error: unknown): Outcome {
  if (error instanceof CheckEnded) return error.outcome
  const name = error instanceof Error ? error.name : 'unknown error'
  const advice =
    'Run the doctor again. If the error continues, report it with the version of @stagepass/doctor.'
  return fail(`The check could not be completed (${name}).`, advice)
}
