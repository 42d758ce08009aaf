import type { Page } from 'playwright'
import { beforeAll, beforeEach, expect, it } from 'vitest'
import { DemoPage } from './support/DemoPage.js'
import { shareDemo } from './support/shareDemo.js'

const demo = shareDemo()
let page: Page
let ui: DemoPage

beforeAll(async () => {
  page = await demo.browser.newPage({ reducedMotion: 'reduce' })
  ui = new DemoPage(page)
})

beforeEach(async () => {
  // Loaded again for each test, so that no state of the previous test is left.
  await page.setViewportSize({ width: 1280, height: 720 })
  await page.goto(`${demo.url}?show=meetings`)
  await ui.readMeetings()
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

it('can be worked without a mouse: choose a tab, speak, end', async () => {
  await page.keyboard.press('Tab')
  expect(await focusedName()).toBe('Skip to content')
  await page.keyboard.press('Enter')
  // The tab that is shown is the only stop; the arrow keys go on from there, and around.
  await tabTo('Meetings')
  await page.keyboard.press('ArrowRight')
  expect(await focusedName()).toBe('Captions')
  expect(new URL(page.url()).searchParams.get('show')).toBe('captions')
  await page.keyboard.press('Tab')
  await tabTo('What is said')
  const source = ui.card('stt').getByRole('radio', { name: 'A recording' })
  for (
    let presses = 0;
    presses < 10 && !(await source.evaluate((one) => one === document.activeElement));
    presses += 1
  )
    await page.keyboard.press('Tab')
  await page.keyboard.press('ArrowDown')
  await tabTo('Start, Speech-to-Text')
  await page.keyboard.press('Enter')
  await ui.card('stt').getByText('You are heard.', { exact: true }).waitFor()
  expect(await focusedName()).toBe('End, Speech-to-Text')
  await page.keyboard.press('Space')
  await ui.statusIs('stt', 'closed')
  await ui.button('stt', 'Start').waitFor()
})

it('shows where the focus is', async () => {
  const unseen: string[] = []
  for (let presses = 0; presses < 40; presses += 1) {
    await page.keyboard.press('Tab')
    const seen = await page.evaluate(() => {
      if (document.activeElement === document.body) return true
      const outlined = (element: Element | null): boolean =>
        element !== null && getComputedStyle(element).outlineStyle !== 'none'
      return outlined(document.activeElement) || outlined(document.activeElement?.closest('label') ?? null)
    })
    if (!seen) unseen.push(await page.evaluate(() => document.activeElement?.outerHTML.slice(0, 120) ?? ''))
  }
  expect(unseen).toEqual([])
})

it('shows which part of the drawer is chosen, also in forced colours', async () => {
  const faults = await ui.openFaults()
  const background = (name: string): Promise<string> =>
    faults.getByRole('button', { name }).evaluate((button) => getComputedStyle(button).backgroundColor)
  for (const forcedColors of ['none', 'active'] as const) {
    await page.emulateMedia({ forcedColors })
    expect(await background('Log')).not.toBe(await background('Faults'))
  }
  await page.emulateMedia({ forcedColors: null })
})

it('opens the drawer, moves the focus into it, and gives it back on Escape', async () => {
  await page.getByRole('button', { name: 'Behind the page', exact: true }).focus()
  await page.keyboard.press('Enter')
  await page.getByRole('complementary', { name: 'Behind the page' }).waitFor()
  expect(await focusedName()).toBe('Behind the page')
  await page.keyboard.press('Escape')
  expect(await page.getByRole('complementary').count()).toBe(0)
  expect(await focusedName()).toBe('Behind the page')
})

it('switches once while a key is held down', async () => {
  const hold = async (key: string): Promise<void> => {
    // A second `down` without an `up` is a key that is held down.
    for (let times = 0; times < 6; times += 1) await page.keyboard.down(key)
    await page.keyboard.up(key)
  }
  const theme = page.locator('.theme')
  const before = await theme.getAttribute('aria-label')
  await theme.focus()
  await hold('Enter')
  expect(await theme.getAttribute('aria-label')).not.toBe(before)
  const menu = page.locator('#user-menu')
  await page.locator('[popovertarget="user-menu"]').focus()
  await hold('Enter')
  await menu.waitFor()
  await page.keyboard.press('Escape')
  await ui.show('stt')
  const fold = ui.card('stt').locator('details')
  await fold.locator('summary').focus()
  await hold('Enter')
  expect(await fold.evaluate((element) => (element as HTMLDetailsElement).open)).toBe(true)
  const held = await focusedName()
  await hold('Tab')
  expect(await focusedName()).not.toBe(held)
})

it('tells a screen reader how a stream stands, what went wrong and what a fault did', async () => {
  await ui.show('stt')
  const status = ui.status('stt')
  expect(await status.textContent()).toBe('Speech-to-Text: Not connected')
  await ui.connect('stt')
  expect(await status.textContent()).toBe('Speech-to-Text: Connected')
  const faults = await ui.openFaults()
  await faults.getByRole('button', { name: 'Expire all tokens now' }).click()
  const said = faults.getByRole('status')
  await said.getByText(/Living tokens that expired: [1-9]\d*\. Sockets that are cut: 1\./).waitFor()
  await said.getByText('Speech-to-Text was cut, and is connected again with a new token').waitFor()

  await faults.getByRole('button', { name: 'BALANCE_EXHAUSTED' }).click()
  await said.getByText('Set: BALANCE_EXHAUSTED').waitFor()
  await ui.press('tts', 'Speak')
  const alert = ui.card('tts').getByRole('alert')
  await alert.waitFor()
  expect(await alert.textContent()).toContain('The prepaid credit is used up.')
})

it('names each button of a product by the product', async () => {
  for (const product of ['stt', 'vt', 'viva'] as const) await ui.connect(product)
  await ui.show('tts')
  const names = await page.locator('[data-product]').evaluateAll((cards) =>
    cards.flatMap((card) => {
      const product = card.querySelector('h2')?.textContent ?? ''
      return [...card.querySelectorAll('button')].map((button) => ({
        name: button.getAttribute('aria-label') ?? button.textContent,
        product,
      }))
    }),
  )
  expect(names.length).toBeGreaterThan(6)
  expect(names.filter(({ name, product }) => !name.endsWith(`, ${product}`))).toEqual([])
  expect(new Set(names.map(({ name }) => name)).size).toBe(names.length)
})

it('fits a phone, a tablet and a desktop without scrolling sideways, also with text of twice the size', async () => {
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
  await ui.connect('stt')
  for (const one of ['stt', 'vt', 'tts', 'viva', 'meetings'] as const) {
    await ui.show(one)
    expect(await overflows()).toEqual([0, 0, 0, 0, 0, 0])
  }
  const drawer = await ui.openFaults()
  expect(await overflows()).toEqual([0, 0, 0, 0, 0, 0])
  expect(await drawer.evaluate(({ scrollWidth, clientWidth }) => scrollWidth - clientWidth)).toBe(0)
})
