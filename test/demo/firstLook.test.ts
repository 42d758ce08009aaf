import type { Browser, BrowserContext, Locator, Page } from 'playwright'
import { afterAll, afterEach, beforeAll, beforeEach, expect, it } from 'vitest'
import { DemoPage } from './support/DemoPage.js'
import { openBrowser } from './support/openBrowser.js'
import { type BuiltDemo, startBuiltDemo } from './support/startBuiltDemo.js'

// The first minutes of a new user in the demo.
let demo: BuiltDemo
let browser: Browser
let context: BrowserContext
let page: Page
let ui: DemoPage

beforeAll(async () => {
  ;[demo, browser] = await Promise.all([startBuiltDemo(), openBrowser()])
})

afterAll(async () => {
  await browser?.close()
  await demo?.[Symbol.asyncDispose]()
})

beforeEach(async () => {
  context = await browser.newContext({ reducedMotion: 'reduce' })
  page = await context.newPage()
  ui = new DemoPage(page)
  await page.goto(demo.url)
  await listIsThere()
})

afterEach(() => context.close())

const listIsThere = (): Promise<void> =>
  page.locator('.meeting-list[aria-busy="false"][data-stale="false"] .meeting').first().waitFor()

/** The times after a word in the rows, as far as the page shows them. */
async function momentsAfter(word: string): Promise<number[]> {
  const rows = await page.locator('.meeting').allInnerTexts()
  return rows.map((text) => Date.parse(text.split(`${word} `)[1]?.split('\n')[0]?.replace(' · ', ' ') ?? ''))
}

it('shows the date by which the meetings are sorted, to each user', async () => {
  const created = await momentsAfter('Created')
  expect(created.length).toBeGreaterThan(10)
  expect(created).toEqual(created.toSorted((one, other) => other - one))

  await page.getByLabel('Sort by').selectOption('last_modified')
  await page.getByText('Last modified ', { exact: false }).nth(1).waitFor()
  await listIsThere()
  const modified = await momentsAfter('Last modified')
  expect(modified).toEqual(modified.toSorted((one, other) => other - one))
  expect(await page.getByText(/^Created /).count()).toBe(0)

  await ui.changeUser('Ben')
  await listIsThere()
  const ofBen = await momentsAfter('Created')
  expect(ofBen).toEqual(ofBen.toSorted((one, other) => other - one))
  expect(ofBen.every(Number.isFinite)).toBe(true)
})

/** Records from now on whether each frame of the translation's sound is silent. */
function watchTranslation(): boolean[] {
  const silent: boolean[] = []
  page.on('websocket', (socket) => {
    if (!socket.url().includes('/vt')) return
    socket.on('framereceived', ({ payload }) => {
      if (typeof payload !== 'string') silent.push(payload.every((byte) => byte === 0))
    })
  })
  return silent
}

/** The lines of text that are cut by the upper or lower edge of the captions. */
const cutLines = (captions: Locator): Promise<string[]> =>
  captions.evaluate((scroller) => {
    const { top, bottom } = scroller.getBoundingClientRect()
    return [...scroller.querySelectorAll('li')].flatMap((line) => {
      const range = document.createRange()
      range.selectNodeContents(line)
      const through = (edge: number) => (rect: DOMRect) => rect.top < edge - 1 && rect.bottom > edge + 1
      const rects = [...range.getClientRects()]
      return rects.some(through(top)) || rects.some(through(bottom)) ? [line.textContent] : []
    })
  })

it('ends the recording with a complete sentence, and cuts no line of its captions', async () => {
  await page.setViewportSize({ width: 390, height: 844 })
  const silent = watchTranslation()
  await ui.connect('stt')
  await ui.connect('vt')
  await ui.sendRecording(['stt', 'vt'])

  const captions = (product: 'stt' | 'vt'): Locator =>
    ui.panel(product).getByRole('group', { name: /^Words/ })
  await captions('stt').getByText('without any trouble.').waitFor()
  await captions('vt').getByText('sin ningún problema.').waitFor()
  for (const product of ['stt', 'vt'] as const) {
    const lines = await captions(product).locator('li').allTextContents()
    expect(lines.filter((line) => !line.endsWith('.'))).toEqual([])
    expect(await captions(product).locator('.interim').count()).toBe(0)
  }
  expect(silent).toContain(false)
  expect(silent.slice(-10)).toEqual(Array.from({ length: 10 }, () => true))

  for (const [width, text] of [
    [390, '100%'],
    [320, '100%'],
    [390, '200%'],
    [1280, '100%'],
  ] as const) {
    await page.setViewportSize({ width, height: 844 })
    await page.evaluate((size) => (document.documentElement.style.fontSize = size), text)
    for (const product of ['stt', 'vt'] as const) expect(await cutLines(captions(product))).toEqual([])
  }
})

it('does not announce a text that may still grow', async () => {
  await ui.connect('stt')
  await ui.panel('stt').getByRole('button', { name: 'Send recording' }).click()
  const growing = ui.panel('stt').getByText('Good morning everyone')
  await growing.waitFor()
  const live = await growing.evaluate(
    (line) => line.closest('[aria-live], [role=log], [role=status], [role=alert], output')?.outerHTML,
  )
  expect(live).toBeUndefined()
  // A user who moves there can read it.
  expect(await growing.evaluate((line) => line.closest('[aria-hidden=true]'))).toBeNull()
})

it('offers to connect again after a failure, and neither to disconnect nor to renew', async () => {
  const buttons = (): Promise<string[]> => ui.panel('stt').getByRole('button').allInnerTexts()
  await ui.connect('stt')
  expect(await buttons()).toContain('Renew now')
  const faults = await ui.openFaults()
  await faults.getByRole('radio', { name: 'Until reset' }).check()
  await faults.getByRole('button', { name: 'BALANCE_EXHAUSTED' }).click()
  await faults.getByText('Set: BALANCE_EXHAUSTED').waitFor()
  await faults.getByRole('button', { name: 'Expire all tokens now' }).click()
  await ui.panel('stt').locator('[data-status="failed"]').waitFor()
  await ui.panel('stt').getByRole('button', { name: 'Connect again' }).waitFor()
  expect((await buttons()).filter((name) => /disconnect|renew|try again/i.test(name))).toEqual([])
  expect(
    await ui
      .panel('stt')
      .getByText(/Token renews/)
      .count(),
  ).toBe(0)

  await faults.getByRole('button', { name: 'Reset' }).click()
  await faults.getByText('Set: Emulator reset.').waitFor()
  await ui.panel('stt').getByRole('button', { name: 'Connect again' }).click()
  await ui.panel('stt').locator('[data-status="open"]').waitFor()
  expect(await buttons()).toContain('Disconnect')
})

it('shows Ben which products he may not use, without controls for them', async () => {
  await ui.changeUser('Ben')
  for (const product of ['tts', 'vt', 'viva'] as const) {
    await ui.panel(product).getByText('Ben may not use this product. Change to Ada to try it.').waitFor()
    expect(await ui.panel(product).locator('button, input, select').count()).toBe(0)
  }
  await ui.connect('stt')
})

it('labels each choice, and describes the effect of each fault', async () => {
  const faults = await ui.openFaults()
  for (const label of ['Whose meetings', 'Direction', 'How often it happens', 'How it is refused']) {
    const box = await page.getByText(label, { exact: true }).boundingBox()
    expect(box?.width).toBeGreaterThan(20)
  }
  const undescribed = await faults.locator('.fault').evaluateAll((buttons) =>
    buttons.filter((button) => {
      const words = document.getElementById(button.getAttribute('aria-describedby') ?? '')
      return words === null || words.innerText.length < 10
    }),
  )
  expect(undescribed).toEqual([])
  expect(await faults.locator('.fault').count()).toBeGreaterThan(20)
})

it('has no floating parts over the page, on a phone or a desktop', async () => {
  await ui.connect('stt')
  for (const width of [390, 1280]) {
    await page.setViewportSize({ width, height: 800 })
    const floating = await page.evaluate(() =>
      [...document.querySelectorAll('body *')]
        .filter((element) => getComputedStyle(element).position === 'fixed')
        // The skip link is visible only with the focus, the menu only when it is open.
        .filter((element) => !element.matches('.skip-link, [popover]'))
        .map((element) => element.textContent),
    )
    expect(floating).toEqual([])
  }
  // Only one tool shows the events behind the page.
  const tools = await page.locator('button[aria-expanded]').evaluateAll((found) => found.map(({ id }) => id))
  expect(tools).toEqual(['wire-button'])
})
