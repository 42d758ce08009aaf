import type { BrowserContext, Locator, Page } from 'playwright'
import { beforeAll, expect, it } from 'vitest'
import { DemoPage } from './support/DemoPage.js'
import { findViolations, type View } from '@stagepass/testing/findViolations'
import { shareDemo } from './support/shareDemo.js'

const demo = shareDemo()
let context: BrowserContext
let page: Page
let ui: DemoPage

beforeAll(async () => {
  // No transitions, so that no colour is read in the middle of one.
  context = await demo.browser.newContext({ reducedMotion: 'reduce' })
  page = await context.newPage()
  ui = new DemoPage(page)
  await page.goto(demo.url)
})

const button = (name: string): Locator => page.getByRole('button', { name, exact: true })
const heading = (name: string): Locator => page.getByRole('heading', { name, exact: true })
const drawer = (): Locator => page.getByRole('complementary', { name: 'Behind the page' })

async function setFault(name: string): Promise<void> {
  await drawer().getByRole('button', { name, exact: true }).click()
  await drawer().getByText(`Set: ${name}`).waitFor()
}

/** `part` is the part that differs from the screen before; default: the page. `views`: default: all four. */
type Screen = readonly [name: string, reach: () => Promise<unknown>, part?: string, views?: readonly View[]]

/** For parts that a screen before has shown in another state. */
const TWO: readonly View[] = [
  [390, 'light'],
  [1_440, 'dark'],
]

/** The screens, each reached from the previous one. */
const SCREENS: readonly Screen[] = [
  ['signed in', () => ui.readMeetings()],
  ['the user menu', () => button('Signed in as Ada').click(), '#user-menu'],
  [
    'four live streams',
    async () => {
      await page.keyboard.press('Escape')
      for (const product of ['stt', 'vt'] as const) await ui.press(product, 'Start')
      await ui.card('vt').getByText('Buenos días').waitFor()
      await ui.press('tts', 'Speak')
      await ui.speak('viva')
      await ui.button('viva', 'Devices').click()
      await ui.card('viva').getByText('You are heard.', { exact: true }).waitFor()
    },
    'main',
  ],
  ['captions and their controls', () => ui.show('stt'), '[data-product=stt]', TWO],
  ['a voice', () => ui.show('tts'), '[data-product=tts]', TWO],
  ['two languages', () => ui.show('vt'), '[data-product=vt]', TWO],
  [
    'a visitor who waits',
    async () => {
      await page.getByRole('tab', { name: 'Queue' }).click()
      await button('Start, Visitor 1').click()
      await page.getByRole('button', { name: 'End, Visitor 1' }).waitFor()
      await button('Start, Visitor 2').click()
      await button('Leave the queue, Visitor 2').waitFor()
    },
    '.queue',
    TWO,
  ],
  [
    'the page of a phone',
    async () => {
      await button('Leave the queue, Visitor 2').click()
      await button('End, Visitor 1').click()
      await button('On a phone').click()
      await ui.show('viva')
    },
    'main',
    [[1_440, 'light']],
  ],
  [
    'the log',
    async () => {
      // Sound that goes on would cost time on every screen.
      await ui.press('viva', 'End')
      await page.setViewportSize({ width: 1_280, height: 900 })
      await button('On a phone').click()
      await page.getByRole('button', { name: /^1\. asks/ }).click()
      await drawer().locator('summary').first().click()
    },
    '.drawer',
  ],
  ['the budget', () => drawer().getByRole('button', { name: 'Budget' }).click(), '.drawer'],
  ['the faults', () => drawer().getByRole('button', { name: 'Faults' }).click(), '.drawer'],
  [
    'failures that are final, and failures that pass',
    async () => {
      for (const product of ['stt', 'vt', 'tts'] as const) {
        await ui.press(product, 'End')
        await ui.statusIs(product, 'closed')
      }
      await drawer().getByLabel('How often it happens').selectOption('Until reset')
      await setFault('unauthorized')
      for (const product of ['stt', 'vt'] as const) {
        await ui.press(product, 'Start')
        await ui.statusIs(product, 'failed')
      }
      await ui.press('tts', 'Speak')
      await ui.card('tts').getByRole('alert').waitFor()
      await setFault('CACHE_UNAVAILABLE')
      await drawer().getByRole('button', { name: 'Expire all tokens now' }).click()
      await ui.show('viva')
      await ui.card('viva').getByRole('radio', { name: 'A recording' }).check()
      await ui.press('viva', 'Start')
      await ui.status('viva').getByText('CACHE_UNAVAILABLE').waitFor()
    },
    'main',
  ],
  ['captions that failed', () => ui.show('stt'), '[data-product=stt]', TWO],
  ['a voice that failed', () => ui.show('tts'), '[data-product=tts]', TWO],
  [
    'another user in another tab',
    async () => {
      await ui.press('viva', 'End')
      await drawer().getByRole('button', { name: 'Reset' }).click()
      await drawer().getByText('Set: Emulator reset.').waitFor()
      await context.request.post(`${demo.url}/api/login`, {
        form: { user: 'ben' },
        headers: { origin: demo.url },
        maxRedirects: 0,
      })
      await ui.press('tts', 'Speak')
      await heading('Ben is signed in now').waitFor()
    },
  ],
  [
    'a user who may do less',
    async () => {
      await page.getByRole('button', { name: 'Go on as Ben' }).click()
      await page.getByText('Ben may use').waitFor()
      await page.getByText('of 30:00 used').waitFor()
    },
  ],
  [
    'signed out',
    async () => {
      await button('Signed in as Ben').click()
      await button('Sign out').click()
      await heading('You are signed out').waitFor()
    },
  ],
  [
    'a server that does not respond',
    async () => {
      await page.route('**/api/login', (route) => route.abort())
      await page.getByRole('button', { name: 'Sign in as Ada' }).click()
      await page.getByRole('alert').waitFor()
    },
    '.sign-in',
  ],
]

it('axe finds nothing on any screen: on a phone and a desktop, in light and in dark', async () => {
  const found: string[] = []
  for (const [name, reach, part, views] of SCREENS) {
    await reach()
    found.push(...(await findViolations(page, name, part, views)))
  }
  expect(found).toEqual([])
})
