import { median, passed, type Run, shown } from './measure.js'
import { startSite } from './site.js'

/** Round trips in milliseconds. */
const ROUND_TRIPS = [0, 50, 150]
const SAMPLES = 9
/** A handshake, and then the way of the first byte. */
const WAYS = 1.5
/** What the microphone, the detector and the page may add. */
const OWN_MS = 100

/**
 * Time from the first sample of speech to its first byte at the service, in a session that waits for speech
 * and holds a token.
 */
export async function speech({ chromium, rounds, hold }: Run): Promise<void> {
  const samples = rounds === 1 ? 3 : SAMPLES
  console.log(`\nFrom the first sample of speech to the first byte at the service, medians of ${samples}`)
  for (const roundTripMs of ROUND_TRIPS) {
    await using site = await startSite({ page: 'speechPage.tsx', roundTripMs, recordFrames: 10_000 })
    await using page = await chromium.open(site.url)
    while (!(await page.evaluate<boolean>('"speech" in window').catch(() => false))) await passed(20)
    await page.evaluate('speech.start()')
    const took: number[] = []
    while (took.length < samples) {
      await page.evaluate('speech.untilWaiting()')
      // The connection ends at the service half a round trip later.
      await passed(500 + roundTripMs)
      const before = site.upstream.frames.length
      const saidAt = await page.evaluate<number>('speech.say()')
      while (site.upstream.frames.length === before) await passed(5)
      took.push((site.upstream.frames[before]?.at ?? NaN) - saidAt)
    }
    console.log(
      `  round trip ${roundTripMs} ms: ${took
        .toSorted((a, b) => a - b)
        .map(shown)
        .join(', ')} ms`,
    )
    hold(
      `more than a handshake and the way of the byte, ms, round trip ${roundTripMs}`,
      median(took) - WAYS * roundTripMs,
      OWN_MS,
    )
  }
}
