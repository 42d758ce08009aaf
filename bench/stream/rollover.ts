import type { Run } from './measure.js'
import { openPage, passed, stream } from './measure.js'
import { startSite } from './site.js'

/** Messages during a rollover, accepted and refused. */
export async function rollover({ chromium, hold }: Run): Promise<void> {
  for (const maxSessions of [2, 1]) {
    console.log(`\nA rollover under 1,000 messages a second, ${maxSessions === 2 ? 'let in' : 'refused'}`)
    await using site = await startSite({ maxSessions })
    await using page = await openPage(chromium, site, 'nothing')
    await page.evaluate('bench.collecting({ rollover: { deadlineMs: 1000, drainMs: 300 } })')
    const streaming = stream(site, 13_000, String)
    for (let renewal = 0; renewal < 2; renewal += 1) {
      await passed(1_000)
      await page.evaluate('bench.renew().then(() => 0)')
      await passed(4_500)
    }
    const sent = await streaming
    await passed(500)
    const { numbers, generations, events } = await page.evaluate<{
      numbers: number[]
      generations: number
      events: string[]
    }>(
      '({ numbers: bench.collect().numbers, generations: bench.collect().generations.size, events: bench.events.map((e) => e.type) })',
    )
    const received = new Set(numbers)
    const missing = sent - received.size
    const count = (type: string): number => events.filter((event) => event === type).length
    console.log(
      `  sent ${sent}, received ${received.size} (${numbers.length - received.size} twice, while both were open), by ${generations} connections; rolled over ${count('stream.rolled_over')}, refused ${count('stream.rollover_refused')}, reconnects ${count('stream.reconnecting')}`,
    )
    hold('missing', missing, 0)
    hold('reconnects', count('stream.reconnecting'), 0)
    hold(
      maxSessions === 2 ? 'rollovers too few' : 'refusals too few',
      maxSessions === 2 ? 2 - count('stream.rolled_over') : 1 - count('stream.rollover_refused'),
      0,
    )
  }
}
