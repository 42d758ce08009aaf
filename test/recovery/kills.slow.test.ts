import { setTimeout as passed } from 'node:timers/promises'
import { expect, it, vi } from 'vitest'
import { forget, record, recover, visitRecovery } from './visitRecovery.js'
import { FRAME_MS } from './frames.js'

const MOST_MISSING_MS = 200
const KILLS = 500
/** A shorter recording is not offered. */
const LEAST_OFFERED_MS = 100
/** Every so many kills, the whole browser is killed, not only the page. */
const BROWSER_EACH = 10
/** The latest moment of a kill. */
const LONGEST_MS = 8_000

// All kills take hours, on a busy machine longer.
vi.setConfig({ testTimeout: 0 })

it(`${KILLS} kills at random moments: at most ${MOST_MISSING_MS} ms of sound are missing`, async () => {
  await using site = await visitRecovery()
  const missing: number[] = []
  for (let kill = 1; missing.length < KILLS; kill += 1) {
    const page = await site.open('ada')
    const isBrowser = kill % BROWSER_EACH === 0
    const { last, final } = await record(page, async () => {
      await passed(Math.max(MOST_MISSING_MS + 500, Math.random() * LONGEST_MS))
      if (isBrowser) return site.stop('kill')
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
  expect(Math.max(...missing)).toBeLessThanOrEqual(MOST_MISSING_MS)
})
