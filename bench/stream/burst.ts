import type { Run } from './measure.js'
import { burstIn } from './burstIn.js'
import { BURST, inTurn, least, openPage, sendBurst, shown } from './measure.js'

/** Many messages at once. */
export async function burst(run: Run): Promise<void> {
  const { chromium, site, rounds, hold, keep } = run
  // Each of these times includes the sender's own time, so the smallest of many rounds is the most exact.
  console.log(`\n${BURST} messages at once, least of ${2 * rounds} rounds`)
  const fresh = () => ({ ms: [] as number[], busy: [] as number[], renders: 0, longTasks: 0 })
  const results = { raw: fresh(), callback: fresh(), naive: fresh() }
  for (let round = 0; round < 2 * rounds; round += 1) {
    for (const mode of inTurn(round)) {
      await using page = await openPage(chromium, site, mode)
      // The first burst only warms up.
      await sendBurst(page, site)
      await page.evaluate('bench.reset()')
      const before = await page.busy()
      const seen = await sendBurst(page, site)
      const after = await page.busy()
      const result = results[mode]
      result.ms.push(seen.last - seen.first)
      result.busy.push(after.tasksMs - before.tasksMs)
      result.renders = Math.max(result.renders, seen.renders)
      result.longTasks = Math.max(result.longTasks, seen.longTasks)
    }
    for (const socket of site.upstream.sockets) socket.drop()
  }
  const { raw, callback, naive } = results
  const baseline = { beside: 'a bare WebSocket', other: least(raw.ms), unit: `ms for ${BURST} messages` }
  keep({
    what: 'useStream, many messages at once',
    gets: 'A burst reaches your code as fast as from a plain socket.',
    own: least(callback.ms),
    aim: { atMost: 1.15 },
    ...baseline,
  })
  keep({
    what: 'react-use-websocket as in its README',
    gets: 'The same with a render for each message.',
    own: least(naive.ms),
    ...baseline,
  })
  console.table(
    Object.fromEntries(
      Object.entries(results).map(([mode, { ms, busy, renders, longTasks }]) => [
        mode,
        {
          'first to last, ms': shown(least(ms)),
          '×': shown(least(ms) / least(raw.ms)),
          'main thread, ms': shown(least(busy)),
          '× ': shown(least(busy) / least(raw.busy)),
          renders,
          'long tasks': longTasks,
        },
      ]),
    ),
  )
  hold('time beside a bare WebSocket', least(callback.ms) / least(raw.ms), 1.15)
  hold('renders', callback.renders, 0)
  await burstIn('firefox', 'Firefox', run)
  await burstIn('webkit', 'WebKitGTK', run)
}
