import type { Run } from './measure.js'
import { inTurn, median, openPage, ratio, shown, stream } from './measure.js'

/** The main-thread time of a steady stream. */
export async function paced({ chromium, site, rounds, hold, keep }: Run): Promise<void> {
  console.log(`\n1,000 messages a second for 10 s, median of ${rounds} rounds`)
  const busy: Record<'raw' | 'callback' | 'naive', number[]> = { raw: [], callback: [], naive: [] }
  for (let round = 0; round < rounds; round += 1) {
    for (const mode of inTurn(round)) {
      await using page = await openPage(chromium, site, mode)
      await stream(site, 1_000)
      const before = await page.busy()
      await stream(site, 10_000)
      const after = await page.busy()
      busy[mode].push(after.tasksMs - before.tasksMs)
    }
  }
  console.table(
    Object.fromEntries(
      Object.entries(busy).map(([mode, times]) => [
        mode,
        { 'main thread, ms': shown(median(times)), '×': shown(ratio(times, busy.raw)) },
      ]),
    ),
  )
  const baseline = { beside: 'a bare WebSocket', other: median(busy.raw), unit: 'ms of main thread in 10 s' }
  const row = (mode: 'callback' | 'naive') => ({
    gets:
      mode === 'callback'
        ? 'A page stays quick while captions stream.'
        : 'The same with a render for each message.',
    own: median(busy[mode]),
    ratio: ratio(busy[mode], busy.raw),
    ...baseline,
  })
  keep({ what: 'useStream, 1,000 messages a second', aim: { atMost: 1.2 }, ...row('callback') })
  keep({ what: 'react-use-websocket, 1,000 messages a second', ...row('naive') })
  hold('main thread beside a bare WebSocket', ratio(busy.callback, busy.raw), 1.2)
}
