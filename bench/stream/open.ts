import type { Page } from './chromium.js'
import { median, passed, type Run, shown } from './measure.js'
import { startSite } from './site.js'

/** Round trips in milliseconds. */
const ROUND_TRIPS = [0, 50, 150]
const SAMPLES = 13

/** The ways to open a stream, each with the expression that presses the button. */
const WAYS = {
  byHand: { title: 'by hand', press: 'opening.byHand()', gets: '' },
  warm: {
    title: 'useStream with a token held',
    press: 'opening.press()',
    gets: 'A press is answered a round trip earlier.',
  },
  cold: { title: 'useStream', press: 'opening.press()', gets: 'The hook adds no wait of its own.' },
} as const
type Way = keyof typeof WAYS

/**
 * Time from the press of a button to an open stream, compared with `fetch` and `new WebSocket` by hand. Each
 * press is the first of its page.
 */
export async function open({ chromium, rounds, hold, keep }: Run): Promise<void> {
  const samples = rounds === 1 ? 3 : SAMPLES
  console.log(`\nFrom the press of a button to an open stream, medians of ${samples}`)
  for (const roundTripMs of ROUND_TRIPS) {
    await using site = await startSite({ page: 'openPage.tsx', roundTripMs })
    const took: Record<Way, number[]> = { byHand: [], warm: [], cold: [] }
    for (let sample = 0; sample < samples; sample += 1) {
      const ways = Object.keys(WAYS) as Way[]
      for (const way of sample % 2 === 0 ? ways : ways.toReversed()) {
        await using page = await chromium.open(site.url)
        took[way].push(await press(page, way, roundTripMs))
      }
    }
    const byHand = median(took.byHand)
    const row = (Object.keys(WAYS) as Way[]).map((way) => `${WAYS[way].title} ${shown(median(took[way]))}`)
    console.log(`  round trip ${roundTripMs} ms: ${row.join(', ')}`)
    for (const way of ['warm', 'cold'] as const) {
      keep({
        what: `${WAYS[way].title}, round trip ${roundTripMs} ms`,
        gets: WAYS[way].gets,
        beside: 'by hand',
        own: median(took[way]),
        other: byHand,
        unit: 'ms from press to open',
      })
    }
    const more = (way: Way): number => median(took[way]) - byHand
    // Without a round trip there is none to save.
    if (roundTripMs > 0)
      hold(
        `token held, more than by hand less 0.8 of a round trip, ms, round trip ${roundTripMs}`,
        more('warm') + 0.8 * roundTripMs,
        0,
      )
    hold(`more than by hand, ms, round trip ${roundTripMs}`, more('cold'), 8)
  }
}

async function press(page: Page, way: Way, roundTripMs: number): Promise<number> {
  while (!(await page.evaluate<boolean>('"opening" in window').catch(() => false))) await passed(20)
  if (way === 'cold') await page.evaluate('opening.mount()')
  if (way === 'warm') await page.evaluate('opening.mountWarm()')
  // Wait until all requests have arrived, and the page is idle.
  await passed(200 + 3 * roundTripMs)
  return page.evaluate<number>(WAYS[way].press)
}
