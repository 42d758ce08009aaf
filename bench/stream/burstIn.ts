import { type Engine, startEngine } from '@stagepass/testing/engines'
import { ENGINES, provide } from '../../scripts/programs.js'
import { inTurn, least, openPage, type Run, sendBurst, shown } from './measure.js'

/** Many messages at once, in an engine in which only the page's own clock can be read. */
export async function burstIn(engine: Engine, title: string, { site, rounds, keep }: Run): Promise<void> {
  Object.assign(process.env, await provide(ENGINES))
  await using browser = await startEngine(engine)
  const ms = { raw: [] as number[], callback: [] as number[], naive: [] as number[] }
  for (let round = 0; round < rounds; round += 1) {
    for (const mode of inTurn(round)) {
      const page = await openPage(browser, site, mode)
      // The first burst only warms up.
      await sendBurst(page, site)
      await page.evaluate('bench.reset()')
      const { first, last } = await sendBurst(page, site)
      ms[mode].push(last - first)
      await page.close()
    }
    for (const socket of site.upstream.sockets) socket.drop()
  }
  const [raw, callback, naive] = [least(ms.raw), least(ms.callback), least(ms.naive)]
  console.log(
    `  ${title}: a bare WebSocket ${shown(raw)} ms, useStream × ${shown(callback / raw)}, react-use-websocket × ${shown(naive / raw)}`,
  )
  const baseline = { beside: 'a bare WebSocket', other: raw, unit: `ms in ${title}` }
  keep({
    what: `useStream in ${title}, many messages at once`,
    gets: `The same in ${title}.`,
    own: callback,
    ...baseline,
  })
}
