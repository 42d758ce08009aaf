import { createEmulator } from '@stagepass/emulator'
import type { Emulator } from '@stagepass/emulator'
import type { Browser } from 'playwright'
import { afterAll, beforeAll, expect, it, vi } from 'vitest'
import { DemoPage } from './support/DemoPage.js'
import { openBrowser } from './support/openBrowser.js'
import { type BuiltDemo, startBuiltDemo } from './support/startBuiltDemo.js'

let upstream: Emulator
let demo: BuiltDemo
let browser: Browser

beforeAll(async () => {
  upstream = await createEmulator()
  ;[demo, browser] = await Promise.all([
    startBuiltDemo({
      VOICE_API_KEY: upstream.apiKey,
      VOICE_BASE_URL: upstream.baseUrl,
      VOICE_STREAMING_URL: upstream.streamingUrl,
    }),
    openBrowser(),
  ])
})

afterAll(async () => {
  await browser?.close()
  await demo?.[Symbol.asyncDispose]()
  await upstream?.close()
})

const MINUTE_MS = 60_000
const HOUR_MS = 60 * MINUTE_MS

// Those of the other tests are right.
it.each([
  ['an hour slow', -HOUR_MS],
  ['an hour fast', HOUR_MS],
])('renews ahead of expiry, whatever the clock of the page: %s', async (_name, offsetMs) => {
  upstream.reset()
  const page = await browser.newPage()
  await page.clock.install({ time: Date.now() + offsetMs })
  const ui = new DemoPage(page)
  await page.goto(demo.url)
  await ui.connect('stt')
  const [token] = upstream.tokens.all()
  // From here on time passes only as the test says, however slow the machine is.
  await page.clock.pauseAt(token!.issuedAtMs + MINUTE_MS + offsetMs)

  // A token granted for 5 minutes is renewed 30 to 36 seconds ahead.
  await page.clock.runFor('03:20')
  expect(upstream.tokens.size).toBe(1)
  // Counted from its arrival, on a busy machine some seconds after it was issued. In small steps: the request
  // has a time limit, which must not pass while the server is still at work.
  const step = async (): Promise<void> => {
    if (upstream.tokens.size < 2) await page.clock.runFor('00:01')
    expect(upstream.tokens.size).toBe(2)
  }
  await vi.waitFor(step, { interval: 500 })
  expect(await ui.status('stt').getAttribute('data-status')).toBe('open')

  // Two hours of sleep: the token is dead, and replaced at once.
  await page.clock.fastForward('02:00:00')
  await page.clock.resume()
  await vi.waitFor(() => expect(upstream.tokens.size).toBeGreaterThan(2))
  await ui.panel('stt').locator('[data-status="open"]').waitFor()
  await ui
    .panel('stt')
    .getByText(/Token renews in 4:\d\d/)
    .waitFor()
  await page.close()
})

it('says so where there are no meetings to show and no faults to inject', async () => {
  const page = await browser.newPage()
  const ui = new DemoPage(page)
  await page.goto(demo.url)
  await vi.waitFor(async () => expect(await page.getByText('FORBIDDEN').count()).toBeGreaterThan(0), 10_000)
  const drawer = await ui.openFaults()
  expect(await drawer.textContent()).toContain('This is the real service')
  expect(await drawer.getByRole('button', { name: 'Expire all tokens now' }).count()).toBe(0)
  await page.close()
})
