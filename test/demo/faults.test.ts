import { BFF_ERRORS, HANDSHAKE_ERRORS, PRODUCT_NAMES } from '@stagepass/contract'
import type { Locator, Page } from 'playwright'
import { afterEach, beforeAll, beforeEach, expect, it } from 'vitest'
import { DemoPage } from './support/DemoPage.js'
import { shareDemo } from './support/shareDemo.js'

/*
 * Tests one code for each way in which a failure reaches the page. everyCode.test.tsx in packages/react has
 * all codes.
 */

const demo = shareDemo()
let page: Page
let ui: DemoPage
let faults: Locator

beforeAll(async () => {
  page = await demo.browser.newPage({ reducedMotion: 'reduce' })
  ui = new DemoPage(page)
})

beforeEach(async () => {
  // Nothing of an earlier test is left. A tab for each would start a process for each.
  await page.goto(demo.url)
  await ui.readMeetings()
  faults = await ui.openFaults()
  await faults.getByLabel('How often it happens').selectOption('Until reset')
})

afterEach(() => reset())

async function reset(): Promise<void> {
  await faults.getByRole('button', { name: 'Reset' }).click()
  await faults.getByText('Set: Emulator reset.').waitFor()
}

async function inject(name: string): Promise<void> {
  await faults.getByRole('button', { name, exact: true }).click()
  await faults.getByText(`Set: ${name}`).waitFor()
}

/** Sends the recording, and reads the card once it names the code. */
async function readFailure(code: string): Promise<string> {
  await ui.press('stt', 'Start')
  await ui.status('stt').getByText(code, { exact: true }).waitFor()
  return ui.card('stt').innerText()
}

/** The `req_id` of a token request. */
const ID = /[0-9]{8}(?:-[0-9]{4}){3}-[0-9]{12}/.source

/** The first sentence of an error on the page. */
const titleOf = ({ title }: { readonly title: string }): string => title.split(/(?<=\.) /)[0] ?? title

it('shows a token error with its req_id and its title', async () => {
  await inject('PRODUCT_NOT_ALLOWED')
  const text = await readFailure('PRODUCT_NOT_ALLOWED')
  expect(text).toContain(titleOf(BFF_ERRORS.PRODUCT_NOT_ALLOWED))
  expect(text).toMatch(new RegExp(`Id for support:\\s+${ID}`))
})

it('gives the id of a failed request to copy, at each product', async () => {
  await page.context().grantPermissions(['clipboard-read', 'clipboard-write'])
  await inject('PRODUCT_NOT_ALLOWED')
  for (const product of PRODUCT_NAMES) {
    await ui.press(product, product === 'tts' ? 'Speak' : 'Start')
    await ui.button(product, 'Copy').click()
    await ui.card(product).getByRole('status').getByText('Copied').waitFor()
    const copied = await page.evaluate(() => navigator.clipboard.readText())
    expect(copied).toMatch(new RegExp(`^${ID}$`))
    expect(await ui.card(product).innerText()).toContain(copied)
  }
})

it.each([
  ['concurrency_limit_exceeded', 'HTTP status'],
  ['unauthorized', 'Error frame'],
  ['invalid_api_key', 'Close reason'],
] as const)('shows the refused handshake %s by %s', async (code, by) => {
  await faults.getByLabel('How a handshake is refused').selectOption(by)
  await inject(code)
  expect(await readFailure(code)).toContain(titleOf(HANDSHAKE_ERRORS[code]))
})

it('goes on by itself once a passing fault is over', async () => {
  await inject('CACHE_UNAVAILABLE')
  expect(await readFailure('CACHE_UNAVAILABLE')).toContain(titleOf(BFF_ERRORS.CACHE_UNAVAILABLE))
  await reset()
  await ui.statusIs('stt', 'open')
  await ui.card('stt').getByText('Good morning').first().waitFor()
})

it('comes back on a fresh token when all tokens expire at once', async () => {
  await ui.connect('stt')
  await faults.getByRole('button', { name: 'Expire all tokens now' }).click()
  await faults.getByText('Speech-to-Text was cut, and is connected again with a new token').waitFor()
  expect(await ui.status('stt').getAttribute('data-status')).toBe('open')
  expect((await ui.card('stt').getByRole('alert').allInnerTexts()).join('')).toBe('')
})
