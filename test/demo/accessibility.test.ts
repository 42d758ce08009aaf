import type { Browser, BrowserContext, Locator, Page } from 'playwright'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { DemoPage } from './support/DemoPage.js'
import { findViolations } from '@stagepass/testing/findViolations'
import { openBrowser } from './support/openBrowser.js'
import { type BuiltDemo, startBuiltDemo } from './support/startBuiltDemo.js'

let demo: BuiltDemo
let browser: Browser
let context: BrowserContext
let page: Page
let ui: DemoPage

beforeAll(async () => {
  ;[demo, browser] = await Promise.all([startBuiltDemo(), openBrowser()])
  // No transitions, so that no colour is read in the middle of one.
  context = await browser.newContext({ reducedMotion: 'reduce' })
  page = await context.newPage()
  ui = new DemoPage(page)
  await page.goto(demo.url)
})

afterAll(async () => {
  await browser?.close()
  await demo?.[Symbol.asyncDispose]()
})

const button = (name: string): Locator => page.getByRole('button', { name, exact: true })
const heading = (name: string): Locator => page.getByRole('heading', { name, exact: true })
const drawer = (): Locator => page.getByRole('complementary', { name: 'Behind the page' })

async function setFault(name: string): Promise<void> {
  await drawer().getByRole('button', { name, exact: true }).click()
  await drawer().getByText(`Set: ${name}`).waitFor()
}

/** The screens, each reached from the previous one. `part` is the part that differs; default: the page. */
const SCREENS: readonly (readonly [name: string, reach: () => Promise<unknown>, part?: string])[] = [
  ['signed in', () => page.getByText(/^20 of \d+ shown$/).waitFor()],
  ['the user menu', () => button('Signed in as Ada').click(), '#user-menu'],
  [
    'the tags to choose from',
    async () => {
      await page.keyboard.press('Escape')
      await page.locator('.filters summary').first().click()
    },
    '.filters',
  ],
  [
    'a meeting and four live streams',
    async () => {
      await page.locator('.meeting').nth(2).click()
      await heading('Transcript').waitFor()
      for (const product of ['tts', 'viva'] as const) await ui.connect(product)
      for (const product of ['stt', 'vt'] as const) {
        await ui.panel(product).getByRole('button', { name: 'Send recording' }).click()
      }
      await ui.panel('tts').getByRole('button', { name: 'Speak' }).click()
      await ui.panel('viva').getByRole('button', { name: 'Microphone' }).click()
      await ui.panel('viva').getByRole('button', { name: 'Stop microphone' }).waitFor()
      await ui.panel('vt').getByText('Buenos días').waitFor()
    },
    '.panels, .pane, .meeting[aria-current=true]',
  ],
  [
    'the wire',
    async () => {
      // Playing sound would take time on every screen.
      await ui.panel('viva').getByRole('button', { name: 'Stop microphone' }).click()
      await button('Wire').click()
      await drawer().locator('summary').first().click()
    },
    '.drawer',
  ],
  ['the budget', () => drawer().getByRole('radio', { name: 'Budget' }).check(), '.drawer'],
  ['the faults', () => drawer().getByRole('radio', { name: 'Faults' }).check(), '.drawer'],
  [
    'failures that are final, and failures that pass',
    async () => {
      for (const product of ['stt', 'vt'] as const) {
        await ui.panel(product).getByRole('button', { name: 'Disconnect' }).click()
      }
      await drawer().getByRole('radio', { name: 'Until reset' }).check()
      await setFault('unauthorized')
      await ui.panel('stt').getByRole('button', { name: 'Connect' }).click()
      await ui.panel('stt').getByRole('alert').waitFor()
      await setFault('CACHE_UNAVAILABLE')
      await drawer().getByRole('button', { name: 'Expire all tokens now' }).click()
      await ui.panel('vt').getByRole('button', { name: 'Send recording' }).click()
      await ui.panel('vt').getByText('Starts when connected').waitFor()
      await ui.panel('vt').getByText('CACHE_UNAVAILABLE').waitFor()
      await drawer().getByRole('radio', { name: 'Once' }).check()
      await setFault('INVALID_FIELDS')
      await page.getByRole('radio', { name: 'Shared' }).check()
      await page.locator('.meeting-list .notice').waitFor()
      await button('Close meeting').click()
      await page
        .getByRole('button', { name: /\(processing\)$/ })
        .first()
        .click()
      await heading('Still processing').waitFor()
    },
    '.panels, .pane, .meeting-list .notice',
  ],
  [
    'no meeting',
    async () => {
      await drawer().getByRole('button', { name: 'Reset' }).click()
      await drawer().getByText('Set: Emulator reset.').waitFor()
      await page.getByRole('searchbox').fill('nothing has this title')
      await page.getByText('No meeting matches').waitFor()
    },
    '.meeting-list',
  ],
  [
    'another user in another tab',
    async () => {
      // Any request of the page would find the other user, so only the click may send one.
      for (const product of ['tts', 'viva', 'vt'] as const)
        await ui.panel(product).getByRole('button', { name: 'Disconnect' }).click()
      await button('Close meeting').click()
      await context.request.post(`${demo.url}/api/demo/session`, { data: { user: 'ben' } })
      await button('Refresh').click()
      await heading('Ben is signed in now').waitFor()
    },
  ],
  [
    'products that a user may not use',
    async () => {
      await page.getByRole('button', { name: 'Go on as Ben' }).click()
      await ui.panel('vt').getByText('Ben may not use this product.').waitFor()
    },
    '.panels',
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
      await page.route('**/api/demo/session', (route) => route.abort())
      await page.getByRole('button', { name: 'Sign in as Ada' }).click()
      await page.getByRole('alert').waitFor()
    },
    '.sign-in',
  ],
]

it('axe finds nothing on any screen: on a phone and a desktop, in light and in dark', async () => {
  const found: string[] = []
  for (const [name, reach, part] of SCREENS) {
    await reach()
    found.push(...(await findViolations(page, name, part)))
  }
  expect(found).toEqual([])
  // Thirteen screens, four times each.
})
