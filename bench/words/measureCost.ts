import { setTimeout as passed } from 'node:timers/promises'
import { startChromium } from '../browser/startChromium.js'
import { startSite } from '../browser/startSite.js'
import { median } from '../report/median.js'

/** The code of each frame is compiled meanwhile. */
const WARM_MS = 30_000
const MEASURED_MS = 20_000

/** Options of the session. */
const WAYS = {
  without: { resend: false },
  resend: {},
  persist: { resend: { persist: true } },
}
type Way = keyof typeof WAYS

/** Time of the main thread of a page that speaks, with `resend` and `persist` beside without, in turns. */
export async function measureCost(rounds: number): Promise<Record<Exclude<Way, 'without'>, number>> {
  await using site = await startSite(new URL('./page.tsx', import.meta.url))
  await using chromium = await startChromium()
  const busy: Record<Way, number[]> = { without: [], resend: [], persist: [] }
  const ways = Object.keys(WAYS) as Way[]
  for (let round = 0; round < rounds; round += 1) {
    for (const way of round % 2 === 0 ? ways : ways.toReversed()) {
      await using page = await chromium.open(site.url)
      const start = [['/api/voice'], true, WARM_MS + MEASURED_MS + 1_000, 1, WAYS[way]]
      await page.evaluate(`bench.start(...${JSON.stringify(start)})`)
      await page.evaluate('bench.play()')
      await passed(WARM_MS)
      const before = await page.busyMs()
      await passed(MEASURED_MS)
      busy[way].push((await page.busyMs()) - before)
    }
    console.log(ways.map((way) => `${way} ${Math.round(busy[way].at(-1) ?? NaN)} ms`).join(', '))
  }
  // The speed of a machine changes from round to round, so times are compared within a round.
  const ratio = (way: Way): number => median(busy[way].map((ms, round) => ms / (busy.without[round] ?? NaN)))
  return { resend: ratio('resend'), persist: ratio('persist') }
}
