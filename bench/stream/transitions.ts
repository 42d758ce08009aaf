import type { Mode, Run } from './measure.js'
import { median, MESSAGE, openPage, passed, shown, stream } from './measure.js'

/** Measures the duration of a React transition while messages are shown. */
export async function transitions({ chromium, site, rounds, hold }: Run): Promise<void> {
  console.log(`\nA transition of 200 ms elsewhere, under 1,000 messages a second, median of ${rounds} rounds`)
  const took = new Map<Mode, number[]>()
  for (let round = 0; round < rounds; round += 1) {
    for (const mode of ['nothing', 'shown', 'naive'] as const) {
      await using page = await openPage(chromium, site, mode)
      const done = new AbortController()
      const streaming = stream(site, 20_000, () => MESSAGE, done.signal)
      await passed(500)
      const ms = await page.evaluate<number>('bench.transition()')
      took.set(mode, [...(took.get(mode) ?? []), ms])
      done.abort()
      await streaming
    }
  }
  console.table(
    Object.fromEntries(
      [...took].map(([mode, ms]) => [
        mode,
        { 'median, ms': shown(median(ms)), 'worst, ms': shown(Math.max(...ms)) },
      ]),
    ),
  )
  hold('the transition beside useStreamValue, ms', Math.max(...(took.get('shown') ?? [NaN])), 500)
}
