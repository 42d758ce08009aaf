import { LIMITER_READINGS, type LimiterReading } from './limiterReadings.test.kit.js'
import { KEPT_OF_CALL } from '../core/rules/admit.js'
import type { ModelRun } from './runModel.test.kit.js'

const PER_SECOND = 5
/**
 * A lost store costs a window without grants, and once more when it is back; a dead instance's slots its
 * timeout.
 */
const HEALING_MS = 16_000
/**
 * In fair order one other user goes first once or twice; slow answers make it more. Without any order it is
 * dozens.
 */
const MOST_OVERTAKEN = 10
/** Some come back to the queue when a slot is given up, until the next request comes. */
const MOST_OF_A_CALL = 2 * KEPT_OF_CALL
/** Of what the limit allows, for slow answers hold slots; in strict mode there are five of them. */
const LEAST_USED = { usual: 0.65, strict: 0.45 }

/** What a run did that it must not, in words; nothing where all is well. */
export function judge(run: ModelRun): string[] {
  const wrongs: string[] = []
  for (const [name, refusals] of Object.entries(LIMITER_READINGS)) {
    // Single seconds are only held where the budget was told to.
    if ((name as LimiterReading) === 'strict' && !run.strict) continue
    const refused = refusals(run.arrivals)
    if (refused > 0) wrongs.push(`${refused} requests refused by a limiter of the reading "${name}"`)
  }
  const overtaken = Math.max(0, ...run.overtaken)
  if (run.misfortunes.length === 0 && overtaken > MOST_OVERTAKEN)
    wrongs.push(`a light user was overtaken ${overtaken} times by one other`)

  if (run.forgotten > 0) wrongs.push(`${run.forgotten} requests without a result at their deadline`)
  if (run.mostOfACall > MOST_OF_A_CALL) wrongs.push(`${run.mostOfACall} requests of one call in the queue`)

  const from = run.calmFrom + HEALING_MS
  const late = run.arrivals.filter((at) => at >= from).length
  const expected = ((run.endMs - from) / 1_000) * PER_SECOND
  const least = LEAST_USED[run.strict ? 'strict' : 'usual'] * expected
  if (run.survivors > 0 && late < least)
    wrongs.push(`${late} requests after ${Math.round(from)}, where ${Math.round(expected)} were due`)
  return wrongs.map(
    (wrong) => `seed ${run.seed} (${run.misfortunes.join(', ') || 'no misfortune'}): ${wrong}`,
  )
}
