import { setTimeout as passed } from 'node:timers/promises'
import { expect, it, vi } from 'vitest'
import { record, recover, visitRecovery } from './visitRecovery.js'
import { FRAME_MS } from './frames.js'

const MOST_MISSING_MS = 200
const KILLS = 500
/** Every so many kills, the whole browser is killed, not only the page. */
const BROWSER_EACH = 10
/** The latest moment of a kill. */
const LONGEST_MS = 8_000

// All kills take hours, on a busy machine longer.
vi.setConfig({ testTimeout: 0 })

it(`${KILLS} kills at random moments: at most ${MOST_MISSING_MS} ms of sound are missing`, async () => {
  await using site = await visitRecovery()
  const missing: number[] = []
  for (let kill = 1; kill <= KILLS; kill += 1) {
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
    // So little is not offered.
    const unfinalMs = (last - final) * FRAME_MS
    if (unfinalMs <= MOST_MISSING_MS) {
      missing.push(unfinalMs)
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
