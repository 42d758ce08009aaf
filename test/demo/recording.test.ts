import { fail } from '@stagepass/emulator'
import type { BrowserContext, Locator, Page } from 'playwright'
import { afterEach, beforeEach, expect, it, vi } from 'vitest'
import { DemoPage } from './support/DemoPage.js'
import { recording, sentRecording } from './support/recording.js'
import { shareDemo } from './support/shareDemo.js'

// The first thing that a person presses: "Start", with the recording, on a product that is not connected.
const demo = shareDemo({ recordFrames: Infinity })
let context: BrowserContext
let page: Page
let ui: DemoPage

beforeEach(async () => {
  context = await demo.browser.newContext()
  page = await context.newPage()
  ui = new DemoPage(page)
  await page.goto(demo.url)
  await send().waitFor()
})

afterEach(async () => {
  await context.close()
  demo.upstream.reset()
})

const send = (): Locator => ui.button('stt', 'Start')
const pause = (): Locator => ui.button('stt', 'Pause')
const goOn = (): Locator => ui.button('stt', 'Go on')

/** The sound at the service. `before`: without the frames that it already had. */
function readSound(before = 0): Buffer {
  const sound = demo.upstream.frames.slice(before).map(({ data }) => data)
  return Buffer.concat(sound.filter((data) => typeof data !== 'string'))
}

/**
 * Waits for sound at the service, and checks that it is the recording, complete and only once. `before`: the
 * frames that it already had.
 */
async function isSent(before = 0): Promise<boolean> {
  await vi.waitFor(() => expect(readSound(before).length).toBeGreaterThan(20 * 640))
  const sent = readSound(before)
  return sent.equals(recording.subarray(0, sent.length))
}

/** Delays the page's token requests until the returned function is called. */
async function holdTokens(): Promise<() => void> {
  let release = (): void => {}
  const released = new Promise<void>((resolve) => (release = resolve))
  await page.route('**/session-token', async (route) => {
    await released
    // The page may have cancelled the request.
    await route.continue().catch(() => {})
  })
  return release
}

it('connects and sends by keyboard, can be paused while it waits, and goes on where it was', async () => {
  const release = await holdTokens()
  await send().focus()
  await page.keyboard.down('Enter')
  // A second `down` without an `up` is a key that is held down.
  await page.keyboard.down('Enter')
  await page.keyboard.up('Enter')
  await ui.card('stt').getByText('It begins when it is connected.').waitFor()
  // The same button ends it now, and the next one pauses it.
  const end = ui.button('stt', 'End')
  expect(await end.evaluate((element) => element === document.activeElement)).toBe(true)
  await page.keyboard.press('Tab')
  expect(await pause().evaluate((element) => element === document.activeElement)).toBe(true)
  await page.keyboard.press('Space')
  await goOn().waitFor()
  release()
  await ui.statusIs('stt', 'open')
  expect(demo.upstream.frames).toEqual([])
  await page.keyboard.press('Enter')
  await vi.waitFor(() => expect(demo.upstream.frames.length).toBeGreaterThan(0))
  await page.keyboard.press('Enter')
  await goOn().waitFor()
  await page.keyboard.press('Enter')
  expect(await isSent()).toBe(true)
})

it('connects once and sends once at a double click, and again after a failure and an end', async () => {
  demo.upstream.use(fail('BALANCE_EXHAUSTED', { times: 2 }))
  const again = ui.button('stt', 'Try again')
  for (const button of [send(), again]) {
    await button.click()
    await ui.statusIs('stt', 'failed')
    await ui.card('stt').getByText('BALANCE_EXHAUSTED', { exact: true }).waitFor()
    await again.waitFor()
  }
  await again.dblclick()
  expect(await isSent()).toBe(true)
  expect([demo.upstream.tokens.size, demo.upstream.sockets.length]).toEqual([1, 1])

  await ui.button('stt', 'End').click()
  await ui.statusIs('stt', 'closed')
  await send().waitFor()
  await vi.waitFor(() => expect(demo.upstream.sockets).toEqual([]))
  const before = demo.upstream.frames.length
  await send().click()
  await ui.statusIs('stt', 'open')
  expect(await isSent(before)).toBe(true)
})

/** Runs in the page: it does nothing else for seven seconds, twice. Sound that waits for six is old. */
function beBusyTwice(): void {
  const work = (): void => {
    const until = performance.now() + 7_000
    while (performance.now() < until);
  }
  setTimeout(() => {
    work()
    // After the recording has caught up, and before the next timer of the stream.
    setTimeout(work)
  })
}

it('loses nothing when the page is too busy to send', async () => {
  await send().click()
  await ui.statusIs('stt', 'open')
  await page.evaluate(beBusyTwice)
  const wanted = sentRecording('stt')
  await vi.waitFor(() => expect(readSound().length).toBe(wanted.length))
  expect(readSound().equals(wanted)).toBe(true)
})

it('gives way to the microphone, with its last words', async () => {
  await send().click()
  await ui.statusIs('stt', 'open')
  await ui.card('stt').getByText('Good morning').waitFor()
  await ui.speak('stt')
  await ui.card('stt').getByText('You are heard.', { exact: true }).waitFor()
  expect(demo.upstream.sockets).toHaveLength(1)
  // A line that the recording began does not look as if somebody else still spoke.
  expect(await ui.card('stt').locator('[data-growing]').count()).toBeLessThan(2)
})

it('does not send for a user who leaves while it waits', async () => {
  const release = await holdTokens()
  await send().click()
  await pause().waitFor()
  await ui.changeUser('Ben')
  await send().click()
  await pause().waitFor()
  await page.getByRole('button', { name: 'Signed in as Ben' }).click()
  await page.getByRole('button', { name: 'Sign out' }).click()
  await page.getByRole('button', { name: 'Sign in as Ada' }).click()
  release()
  await ui.connect('vt')
  expect(demo.upstream.frames.filter(({ product }) => product === 'stt')).toEqual([])
  await ui.show('stt')
  await send().click()
  await vi.waitFor(() => expect(demo.upstream.sockets).toHaveLength(2))
})
