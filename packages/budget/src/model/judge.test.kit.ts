import { LIMITER_READINGS, type LimiterReading } from './limiterReadings.test.kit.js'
import type { Misfortune, ModelRun } from './runModel.test.kit.js'

const PER_SECOND = 5
/**
 * After a lost state there is one window without turns. The slots of a dead instance are free after its
 * timeout and a window.
 */
const HEALING_MS = 18_000
/** In fair order, another user goes first once or twice. After a burst or slow responses it may be more. */
const MOST_OVERTAKEN = 6
/**
 * Part of the limit that must be used. Slow responses keep slots in use, and there are only five slots a
 * second.
 */
const LEAST_USED = { usual: 0.65, bySecond: 0.45 }

/**
 * The cases in which the limit may be exceeded: an instance that alone lost Redis uses its share in addition
 * to the slots of the others, and a forward step of Redis' clock frees all slots.
 */
const GIVEN_UP: readonly Misfortune[] = ['cut', 'lost replies', 'clock forward']

/** The mistakes of a run, in words; empty if there were none. */
export function judge(run: ModelRun): string[] {
  const wrongs: string[] = []
  const kinds = run.misfortunes.map(({ kind }) => kind)
  if (!kinds.some((kind) => GIVEN_UP.includes(kind)))
    for (const [name, refusals] of Object.entries(LIMITER_READINGS)) {
      // The limit of single seconds is only respected if it is the configured limit.
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
