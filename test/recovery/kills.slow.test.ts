import { setTimeout as passed } from 'node:timers/promises'
import { expect, it, vi } from 'vitest'
import { forget, record, recover, visitRecovery } from './visitRecovery.js'
import { FRAME_MS } from './frames.js'

/** `KILLS=500 npx vitest run --project slow test/recovery` takes an hour. */
const KILLS = Number(process.env.KILLS ?? 50)
/** Kills of a test. The last one kills the whole browser, not only the page. */
const KILLS_EACH = 10
const MOST_MISSING_MS = 200
/** A shorter recording is not offered. */
const LEAST_OFFERED_MS = 100
/** The latest moment of a kill. */
const LONGEST_MS = 8_000

// A busy machine is slow.
vi.setConfig({ testTimeout: 0 })

it.each(Array.from({ length: KILLS / KILLS_EACH }, (_, index) => index + 1))(
  `${KILLS_EACH} kills at random moments, for the %ith time: at most ${MOST_MISSING_MS} ms of sound are missing`,
  async () => {
    await using site = await visitRecovery()
    const missing: number[] = []
    while (missing.length < KILLS_EACH) {
      const page = await site.open('ada')
      const { last, final } = await record(page, async () => {
        await passed(Math.max(MOST_MISSING_MS + 500, Math.random() * LONGEST_MS))
        if (missing.length === KILLS_EACH - 1) return site.stop('kill')
        const crashed = page.waitForEvent('crash')
        const session = await page.context().newCDPSession(page)
        session.send('Page.crash').catch(() => {})
        await crashed
      })
      // What is on the disk of so little may be too short to be offered. Such a kill does not count.
      if ((last - final) * FRAME_MS <= MOST_MISSING_MS + LEAST_OFFERED_MS) {
        await forget(await site.open('ada'))
        continue
      }
      const frames = await recover(site, 'ada')
      // In their order, and each once.
      expect(frames).toEqual(frames.map((_, index) => (frames[0] ?? 0) + index))
      const [first = last] = frames
      missing.push((Math.max(0, first - final) + last - (frames.at(-1) ?? -1)) * FRAME_MS)
    }
    expect(missing.filter((ms) => ms > MOST_MISSING_MS)).toEqual([])
  },
)
