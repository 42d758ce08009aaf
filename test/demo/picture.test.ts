import type { BrowserContextOptions, Locator, Page } from 'playwright'
import { afterEach, expect, it } from 'vitest'
import { DemoPage } from './support/DemoPage.js'
import { shareDemo } from './support/shareDemo.js'

// The picture at the head of the page: where the key is, and what goes over the wire.
const demo = shareDemo()
let page: Page
let ui: DemoPage

afterEach(() => page.close())

async function open(path = '', options: BrowserContextOptions = { reducedMotion: 'reduce' }): Promise<void> {
  page = await demo.browser.newPage(options)
  ui = new DemoPage(page)
  await page.goto(demo.url + path)
  await page.getByRole('tab').first().waitFor()
}

const side = (name: string): Locator => page.getByRole('region', { name, exact: true })
const line = (words: RegExp): Locator => page.getByRole('figure').getByRole('button', { name: words })
const drawer = (): Locator => page.getByRole('complementary', { name: 'Behind the page' })
const colourOf = (element: Locator): Promise<string> => element.evaluate((one) => getComputedStyle(one).color)

it('shows the key in one place and the token in another, masked, with the time that it has left', async () => {
  await open()
  await side('This page').getByText('No token yet').waitFor()
  expect(await side('This page').innerText()).toContain('No key')
  expect(await side('Your server').innerText()).toMatch(/API key\s+•{8}/)
  await ui.connect('stt')
  const token = page.locator('[data-token=stt]')
  expect(await token.innerText()).toMatch(/^Token •{8}[\s,a-z]+Speech-to-Text, [1-5]:\d\d left/)
  await side('Voice service').getByText('1 open socket', { exact: true }).waitFor()
  // Without a stream, nothing needs a renewal.
  await ui.renew('stt').waitFor()
  await ui.press('stt', 'End')
  await ui.renew('stt').waitFor({ state: 'detached' })
})

it('says what went over each line, and shows the rows of the one that is pressed', async () => {
  await open()
  await ui.connect('stt')
  await line(/^1\. asks for a token.*POST \/session-token → 200$/).waitFor()
  await line(/^3\. speaks.*open: \d+ out, \d+ back$/).waitFor()
  await line(/^2\. asks with the key.*session-token → 200$/).click()
  await drawer().waitFor()
  const menu = drawer().getByRole('combobox', { name: 'Show' })
  const lanes = (): Promise<string[]> => drawer().locator('.wire-list .title').allInnerTexts()
  expect(await menu.inputValue()).toBe('upstream')
  expect(await lanes()).toEqual(['session-token → 200'])
  await line(/^3\. speaks/).click()
  expect(await menu.inputValue()).toBe('stream')
  expect((await lanes()).filter((title) => !title.startsWith('stt '))).toEqual([])
  // Escape gives the focus back to the line that was pressed last.
  await page.keyboard.press('Escape')
  await drawer().waitFor({ state: 'detached' })
  expect(await line(/^3\./).evaluate((one) => one === document.activeElement)).toBe(true)
})

it('shows a refusal in red with its code, on each line that it came over', async () => {
  await open()
  await page.getByRole('button', { name: 'Let it fail' }).click()
  await drawer().getByRole('button', { name: 'BALANCE_EXHAUSTED' }).click()
  await drawer().getByText('Set: BALANCE_EXHAUSTED').waitFor()
  const plain = await colourOf(line(/^1\./).locator('.last'))
  await ui.press('stt', 'Start')
  await line(/^1\..*403 BALANCE_EXHAUSTED$/).waitFor()
  await line(/^2\..*403$/).waitFor()
  await line(/^3\..*BALANCE_EXHAUSTED$/).waitFor()
  expect(await colourOf(line(/^1\./).locator('.last'))).not.toBe(plain)
  // The next answer is a good one.
  await ui.press('stt', 'Try again')
  await line(/^1\..*→ 200$/).waitFor()
  expect(await colourOf(line(/^1\./).locator('.last'))).toBe(plain)
})

it('cuts all streams at one press, and they come back', async () => {
  await open()
  await ui.connect('stt')
  const faults = await ui.openFaults()
  await faults.getByRole('button', { name: 'Cut all streams now' }).click()
  await faults.getByText('Cut all streams now. Open sockets: 1.').waitFor()
  await faults.getByText('Speech-to-Text was cut, and is connected again').waitFor()
  expect(await ui.status('stt').getAttribute('data-status')).toBe('open')
})

it('moves for those who have not asked for less motion, and for no others', async () => {
  await open('?show=meetings', {})
  const dots = page.locator('.dot')
  await dots.first().waitFor({ state: 'attached' })
  const displayed = (): Promise<string> => dots.first().evaluate((dot) => getComputedStyle(dot).display)
  expect(await displayed()).not.toBe('none')
  const moves = await page.evaluate(() =>
    document.getAnimations().flatMap((one) => (one instanceof CSSAnimation ? [one.animationName] : [])),
  )
  expect(moves).toEqual(expect.arrayContaining(['go', 'come']))
  await page.emulateMedia({ reducedMotion: 'reduce' })
  expect(await displayed()).toBe('none')
})

it('opens the tab of the address, and the first one for a name that it does not know', async () => {
  const shown = (): Promise<string> => page.getByRole('tab', { selected: true }).innerText()
  await open('?show=translation')
  expect(await shown()).toBe('Translation')
  await ui.card('vt').waitFor()
  await ui.show('meetings')
  await page.reload()
  await ui.readMeetings()
  expect(await shown()).toBe('Meetings')
  await page.goto(`${demo.url}?show=nothing`)
  await ui.card('stt').waitFor()
  expect(await shown()).toBe('Captions')
})

it('is as wide as a phone at one press, while a stream goes on', async () => {
  await open()
  await ui.connect('stt')
  await page.getByRole('button', { name: 'On a phone' }).click()
  const main = page.locator('main')
  expect((await main.boundingBox())?.width).toBe(390)
  expect(await main.evaluate(({ scrollWidth, clientWidth }) => scrollWidth - clientWidth)).toBe(0)
  expect(await ui.status('stt').getAttribute('data-status')).toBe('open')
  await page.getByRole('button', { name: 'Back to the whole width' }).click()
  expect((await main.boundingBox())?.width).toBeGreaterThan(1_000)
})

it('closes the socket in silence at one press, and shows what is paid with and without', async () => {
  await open()
  await page.getByRole('button', { name: 'Silence costs nothing' }).click()
  await page.getByRole('button', { name: 'Start, Silence' }).click()
  const line = page.getByRole('region', { name: 'Silence', exact: true }).getByText(/^Waiting for speech/)
  await line.waitFor()
  await side('Voice service').getByText('0 open sockets').waitFor()
  // The recording goes on after a pause.
  await line.waitFor({ state: 'detached' })
  await page.getByText(/^2 connections/).waitFor()
  const [paid = 0, without = 0] = (await page.locator('.bars dd').allInnerTexts()).map(Number.parseFloat)
  expect(paid).toBeGreaterThan(0)
  expect(without).toBeGreaterThan(paid + 2)
  await page.getByRole('button', { name: 'End, Silence' }).click()
  await page.getByRole('button', { name: 'Start, Silence' }).waitFor()
})

it('shows the key of another customer at one press, masked', async () => {
  await open()
  await side('Your server').getByText('It stays here.', { exact: true }).waitFor()
  await page.getByRole('button', { name: 'A key of each customer' }).click()
  await side('Your server').getByText('Tidewater’s key').waitFor()
  await ui.connect('stt')
  expect(await page.content()).not.toContain('demo_key_of_tidewater')
})

it('shows the notes of a meeting to those who may see them', async () => {
  await open('?show=meetings')
  await ui.readMeetings()
  const rows = ui.meetings().getByRole('listitem')
  await rows.first().getByRole('button').first().click()
  await rows.first().getByText('Next steps').waitFor()
  await rows.first().getByText('Transcript').waitFor()
  await ui.changeUser('Ben')
  await ui.readMeetings()
  await rows.first().getByRole('button').first().click()
  await rows.first().getByRole('button', { name: 'Load again' }).waitFor()
  expect(await rows.first().innerText()).not.toContain('Next steps')
})
