import { LIMITER_READINGS, type LimiterReading } from './limiterReadings.test.kit.js'
import type { Misfortune, ModelRun } from './runModel.test.kit.js'

const PER_SECOND = 5
/**
 * A lost state costs a window without turns; the slots of a dead instance are free after its timeout and a
 * window.
 */
const HEALING_MS = 18_000
/** In fair order one other user goes first once or twice; a burst and slow responses make it more. */
const MOST_OVERTAKEN = 6
/** Of what the limit allows: slow responses hold slots, and of those there are five in a second. */
const LEAST_USED = { usual: 0.65, bySecond: 0.45 }

/**
 * What the budget gives up: an instance that was cut off alone has used its share beside all slots of the
 * others, and a step forward of Redis' clock ends all slots.
 */
const GIVEN_UP: readonly Misfortune[] = ['cut', 'lost replies', 'clock forward']

/** What a run did that it must not, in words; nothing if all is well. */
export function judge(run: ModelRun): string[] {
  const wrongs: string[] = []
  const kinds = run.misfortunes.map(({ kind }) => kind)
  if (!kinds.some((kind) => GIVEN_UP.includes(kind)))
    for (const [name, refusals] of Object.entries(LIMITER_READINGS)) {
      // Single seconds are only kept if that is the limit.
      if ((name as LimiterReading) === 'strict' && !run.bySecond) continue
      const refused = refusals(run.arrivals)
      if (refused > 0) wrongs.push(`${refused} requests refused by a limiter of the reading "${name}"`)
    }
  const overtaken = Math.max(0, ...run.overtaken)
  if (kinds.length === 0 && overtaken > MOST_OVERTAKEN)
    wrongs.push(`a light user was overtaken ${overtaken} times`)
  if (run.forgotten > 0) wrongs.push(`${run.forgotten} requests without a result at their deadline`)

  const from = run.calmFrom + HEALING_MS
  const late = run.arrivals.filter((at) => at >= from).length
  const expected = ((run.endMs - from) / 1_000) * PER_SECOND
  if (run.survivors > 0 && late < LEAST_USED[run.bySecond ? 'bySecond' : 'usual'] * expected)
    wrongs.push(`${late} requests after ${Math.round(from)}, of ${Math.round(expected)}`)
  const what = run.misfortunes.map(({ text }) => text).join(', ') || 'no misfortune'
  return wrongs.map((wrong) => `seed ${run.seed} (${run.bySecond ? 'by second, ' : ''}${what}): ${wrong}`)
}
