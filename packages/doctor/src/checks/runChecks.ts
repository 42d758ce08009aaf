import { type CheckResult, fail, type Outcome, skipped } from '../report/Result.js'
import type { Check } from './Check.js'

export interface RunListener {
  readonly onStart?: ((name: string) => void) | undefined
  readonly onResult?: ((result: CheckResult) => void) | undefined
}

/** Runs the checks one after the other, because several sessions at once are a check of their own. Rejects with the signal's reason. */
export async function runChecks<TContext>(
  checks: readonly Check<TContext>[],
  context: TContext,
  signal: AbortSignal,
  { onStart, onResult }: RunListener = {},
): Promise<CheckResult[]> {
  const results: CheckResult[] = []
  for (const check of checks) {
    const { name, needs = [] } = check
    signal.throwIfAborted()
    onStart?.(name)
    const missing = needs.find((needed) => !hasPassed(results, needed))
    const outcome =
      missing === undefined
        ? await check.run(context).catch((error: unknown): Outcome => {
            signal.throwIfAborted()
            return unexpected(error)
          })
        : skipped(`Not checked, because it needs "${missing}".`, `Repair "${missing}" first.`)
    signal.throwIfAborted()
    const result = { name, ...outcome }
    results.push(result)
    onResult?.(result)
  }
  return results
}

const hasPassed = (results: readonly CheckResult[], name: string): boolean =>
  results.some((result) => result.name === name && (result.status === 'ok' || result.status === 'warn'))

/** The name of the error alone: its message may hold anything. */
const unexpected = (error: unknown): Outcome =>
  fail(
    `The check could not be completed (${error instanceof Error ? error.name : 'unknown error'}).`,
    'Run it again. If it stays, report it with the version of @stagepass/doctor.',
  )
