import type { Browser, Page } from 'playwright'
import { afterAll, beforeAll, beforeEach, expect, it } from 'vitest'
import { DemoPage } from './support/DemoPage.js'
import { openBrowser } from './support/openBrowser.js'
import { type BuiltDemo, startBuiltDemo } from './support/startBuiltDemo.js'

let demo: BuiltDemo
let browser: Browser
let page: Page
let ui: DemoPage

beforeAll(async () => {
  ;[demo, browser] = await Promise.all([startBuiltDemo(), openBrowser()])
  page = await browser.newPage({ reducedMotion: 'reduce' })
  ui = new DemoPage(page)
})

afterAll(async () => {
  await browser?.close()
  await demo?.[Symbol.asyncDispose]()
})

beforeEach(async () => {
  // Loaded again for each test, so that no state of the previous test is left.
  await page.setViewportSize({ width: 1280, height: 720 })
  await page.goto(demo.url)
  await page.getByText(/^20 of \d+ shown$/).waitFor()
})

const focusedName = (): Promise<string> =>
  page.evaluate(() => {
    const element = document.activeElement
    return element?.getAttribute('aria-label') ?? element?.textContent ?? ''
  })

async function tabTo(name: string): Promise<void> {
  for (let presses = 0; presses < 80; presses += 1) {
    if ((await focusedName()) === name) return
    await page.keyboard.press('Tab')
  }
  throw new Error(`Tab never came to "${name}".`)
}

it('can be used without a mouse: connect, renew, disconnect', async () => {
  await page.keyboard.press('Tab')
  expect(await focusedName()).toBe('Skip to content')
  await page.keyboard.press('Enter')
  await tabTo('Connect Speech-to-Text')
  await page.keyboard.press('Enter')
  await ui.panel('stt').locator('[data-status="open"]').waitFor()
  expect(await focusedName()).toBe('Disconnect Speech-to-Text')
  await page.keyboard.press('Space')
  await ui.panel('stt').locator('[data-status="idle"], [data-status="closed"]').waitFor()
  expect(await focusedName()).toBe('Connect Speech-to-Text')
})

it('shows where the focus is', async () => {
  const unseen: string[] = []
  for (let presses = 0; presses < 40; presses += 1) {
    await page.keyboard.press('Tab')
    const seen = await page.evaluate(() => {
      const outlined = (element: Element | null): boolean =>
        element !== null && getComputedStyle(element).outlineStyle !== 'none'
      // The label draws a radio button.
      return outlined(document.activeElement) || outlined(document.activeElement?.closest('label') ?? null)
    })
    if (!seen) unseen.push(await page.evaluate(() => document.activeElement?.outerHTML.slice(0, 120) ?? ''))
  }
  expect(unseen).toEqual([])
})

it('chooses filters and meetings by keyboard, and returns to the row', async () => {
  await page.getByRole('radio', { name: 'All' }).focus()
  await page.keyboard.press('ArrowRight')
  expect(await page.getByRole('radio', { name: 'Mine' }).isChecked()).toBe(true)
  await page.locator('.meeting-list[data-stale="false"][aria-busy="false"]').waitFor()

  const row = page.locator('.meeting').nth(1)
  await row.focus()
  await page.keyboard.press('Enter')
  const heading = page.locator('.meeting-detail h3')
  await heading.waitFor()
  expect(await heading.evaluate((element) => element === document.activeElement)).toBe(true)
  await page.keyboard.press('Tab')
  expect(await focusedName()).toBe('Close meeting')
  await page.keyboard.press('Enter')
  expect(await row.evaluate((element) => element === document.activeElement)).toBe(true)
})

it('opens the drawer, moves the focus into it, and returns the focus on Escape', async () => {
  await page.getByRole('button', { name: 'Wire', exact: true }).focus()
  await page.keyboard.press('Enter')
  await page.getByRole('complementary', { name: 'Behind the page' }).waitFor()
  expect(await focusedName()).toBe('Behind the page')
  await page.keyboard.press('Escape')
  expect(await page.getByRole('complementary').count()).toBe(0)
  expect(await focusedName()).toBe('Wire')
})

it('announces the status of a stream and its errors to a screen reader', async () => {
  const status = ui.panel('stt').getByRole('status').first()
  expect(await status.textContent()).toBe('Speech-to-Text: Not connected')
  await ui.connect('stt')
  expect(await status.textContent()).toBe('Speech-to-Text: Connected')
  const faults = await ui.openFaults()
  await faults.getByRole('button', { name: 'BALANCE_EXHAUSTED' }).click()
  await faults.getByText('Set: BALANCE_EXHAUSTED').waitFor()
  await ui.panel('vt').getByRole('button', { name: 'Connect' }).click()
  const alert = ui.panel('vt').getByRole('alert')
  await alert.waitFor()
  expect(await alert.textContent()).toContain('The prepaid credit is used up.')
})

it('fits a phone, a tablet and a desktop without scrolling sideways, also with text of double size', async () => {
  const overflows = async (): Promise<number[]> => {
    const found: number[] = []
    for (const [width, text] of [
      [320, '100%'],
      [390, '100%'],
      [390, '200%'],
      [768, '100%'],
      [1280, '100%'],
      [1280, '200%'],
    ] as const) {
      await page.evaluate((size) => (document.documentElement.style.fontSize = size), text)
      await page.setViewportSize({ width, height: 900 })
      found.push(
        await page.evaluate(
          () => document.documentElement.scrollWidth - document.documentElement.clientWidth,
        ),
      )
    }
    return found
  }
  expect(await overflows()).toEqual([0, 0, 0, 0, 0, 0])
  await page.locator('.meeting').first().click()
  const drawer = await ui.openFaults()
  expect(await overflows()).toEqual([0, 0, 0, 0, 0, 0])
  expect(await drawer.evaluate(({ scrollWidth, clientWidth }) => scrollWidth - clientWidth)).toBe(0)
})
