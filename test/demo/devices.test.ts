import type { Browser, BrowserContext, Locator, Page } from 'playwright'
import { afterAll, afterEach, beforeAll, beforeEach, expect, it, vi } from 'vitest'
import { DemoPage } from './support/DemoPage.js'
import { openBrowser } from './support/openBrowser.js'
import { type BuiltDemo, startBuiltDemo } from './support/startBuiltDemo.js'

let demo: BuiltDemo
let browser: Browser
let context: BrowserContext
let page: Page

beforeAll(async () => {
  ;[demo, browser] = await Promise.all([startBuiltDemo(), openBrowser()])
})

afterAll(async () => {
  await browser?.close()
  await demo?.[Symbol.asyncDispose]()
})

beforeEach(async () => {
  context = await browser.newContext()
  page = await context.newPage()
})

afterEach(() => context.close())

/** Voice Isolation, with the microphone on. */
async function speak(): Promise<Locator> {
  const ui = new DemoPage(page)
  await page.goto(demo.url)
  await ui.connect('viva')
  const panel = ui.panel('viva')
  await panel.getByRole('button', { name: 'Microphone' }).click()
  await panel.getByRole('button', { name: 'Stop microphone' }).waitFor()
  return panel
}

const chosenIn = (menu: Locator): Promise<string> =>
  menu.evaluate((select: HTMLSelectElement) => select.selectedOptions[0]?.label ?? '')

it('changes microphone, loudspeaker and volume by keyboard, and shows the delay', async () => {
  const panel = await speak()
  for (const kind of ['Microphone', 'Loudspeaker']) {
    const menu = panel.getByRole('combobox', { name: kind })
    const before = await chosenIn(menu)
    await menu.focus()
    await page.keyboard.press('End')
    await vi.waitFor(async () => expect(await chosenIn(menu)).not.toBe(before))
    expect(await menu.evaluate((element) => element === document.activeElement)).toBe(true)
  }
  const volume = panel.getByRole('slider', { name: 'Volume of Voice Isolation' })
  await volume.focus()
  await page.keyboard.press('ArrowLeft')
  expect(await volume.getAttribute('aria-valuetext')).toBe('95 %')
  // Equal in every engine: the engine's own slider is not drawn, and the filled part follows the value.
  const look = await volume.evaluate((element) => {
    const { appearance, backgroundSize } = getComputedStyle(element)
    return { appearance, backgroundSize }
  })
  expect(look).toEqual({ appearance: 'none', backgroundSize: '95% 4px, 100% 4px' })
  const delays = await panel.getByText(/^Delay of the .*: \d+ ms$/).allTextContents()
  expect(delays).toHaveLength(2)
  // The chosen microphone is in use.
  await panel.getByRole('button', { name: 'Mute' }).waitFor()
  await vi.waitFor(async () => expect(await panel.locator('.device-state').textContent()).toBe(''))
})

it('has no menu of loudspeakers in a browser in which a page cannot choose one', async () => {
  await page.addInitScript(() => Reflect.deleteProperty(AudioContext.prototype, 'setSinkId'))
  const panel = await speak()
  await panel.getByRole('combobox', { name: 'Microphone' }).waitFor()
  expect(await panel.getByRole('combobox', { name: 'Loudspeaker' }).count()).toBe(0)
})
