import { setTimeout as passed } from 'node:timers/promises'
import { readOptions } from '../../scripts/options.js'
import { startChromium } from '../browser/startChromium.js'
import { startSite } from '../browser/startSite.js'
import { createRecorder } from '../report/createRecorder.js'
import { median } from '../report/median.js'

/*
 * Time from the press of a button to an open stream in Chromium, compared with `fetch` and `new WebSocket` by
 * hand. Each press is the first of its page. `npm run open -w @stagepass/bench`
 */

const { values } = readOptions('npm run open -w @stagepass/bench -- [--samples 13] [--sessions 1000]', {
  options: {
    samples: { type: 'string', default: '13' },
    /** Shares so many sessions. More than two must stay free. */
    sessions: { type: 'string' },
  },
})
const sessions = values.sessions === undefined ? undefined : { max: Number(values.sessions) }
const ROUND_TRIPS_MS = [0, 50, 150]
/** How the page is made ready, and how the button is pressed. */
const WAYS = {
  byHand: ['', 'bench.byHand()'],
  warm: ['bench.mount(true)', 'bench.press()'],
  cold: ['bench.mount(false)', 'bench.press()'],
} as const
type Way = keyof typeof WAYS

const recorder = createRecorder()
await using chromium = await startChromium()
for (const roundTripMs of ROUND_TRIPS_MS) {
  const place = `round trip ${roundTripMs} ms`
  await using site = await startSite(new URL('./page.tsx', import.meta.url), { roundTripMs, sessions })
  const took: Record<Way, number[]> = { byHand: [], warm: [], cold: [] }
  for (let sample = 0; sample < Number(values.samples); sample += 1) {
    const ways = Object.keys(WAYS) as Way[]
    for (const way of sample % 2 === 0 ? ways : ways.toReversed()) {
      const [ready, press] = WAYS[way]
      await using page = await chromium.open(site.url)
      await page.evaluate(ready)
      // Wait until all requests have arrived, and the page is idle.
      await passed(200 + 3 * roundTripMs)
      took[way].push(await page.evaluate<number>(press))
    }
  }
  const [byHand, warm, cold] = [took.byHand, took.warm, took.cold].map(median) as [number, number, number]
  recorder.keep({
    what: `useStream with a token held, ${place}`,
    beside: 'by hand',
    own: warm,
    other: byHand,
    unit: 'ms from press to open',
  })
  // Without a round trip there is none to save.
  if (roundTripMs > 0)
    recorder.hold(`saved with a token held, of a round trip, ${place}`, (byHand - warm) / roundTripMs, {
      atLeast: 0.8,
    })
  recorder.hold(`ms more than by hand without a token, ${place}`, cold - byHand, { atMost: 8 })
}
recorder.end()
