import { createEmulator } from '@stagepass/emulator'
import type { BrowserContextOptions, Page } from 'playwright'
import { expect, it, vi } from 'vitest'
import { DemoPage } from './support/DemoPage.js'
import { shareDemo } from './support/shareDemo.js'
import { startBuiltDemo } from './support/startBuiltDemo.js'
import { variablesOf } from './support/startDemo.js'

// The first minutes of a new user in the demo.
const demo = shareDemo()

interface Visit extends AsyncDisposable {
  readonly page: Page
  readonly ui: DemoPage
  /** Paths below the BFF that the page has asked for. */
  readonly asked: readonly string[]
}

/** A browser that has never been here. */
async function visit(options: BrowserContextOptions = {}, url = demo.url): Promise<Visit> {
  const context = await demo.browser.newContext(options)
  const page = await context.newPage()
  const asked: string[] = []
  page.on('request', (request) => asked.push(new URL(request.url()).pathname.replace('/api/voice', '')))
  await page.goto(url)
  const ui = new DemoPage(page)
  await page.getByRole('tab').first().waitFor()
  return { page, ui, asked, [Symbol.asyncDispose]: () => context.close() }
}

const NOTE = 'For a first look this recording plays by itself, muted'

it('plays a recording into captions at the first visit, without a press, until the person does something', async () => {
  await using first = await visit()
  const { page, ui } = first
  await ui.card('stt').getByText('Good morning').waitFor()
  await ui.card('stt').getByText(NOTE).waitFor()
  // Its own button pauses it, and it goes on.
  await ui.button('stt', 'Pause').click()
  await ui.button('stt', 'Go on').click()
  await ui.button('stt', 'Pause').waitFor()
  // Anything else ends it, and closes what nobody has asked for.
  await page.getByRole('heading', { level: 1 }).click()
  await ui.statusIs('stt', 'closed')
  expect(await ui.card('stt').getByText(NOTE).count()).toBe(0)

  // The second visit is not the first.
  await page.reload()
  const before = first.asked.length
  await ui.press('tts', 'Speak')
  await ui.statusIs('tts', 'open')
  expect(await ui.status('stt').getAttribute('data-status')).toBe('idle')
  expect(first.asked.slice(before).filter((path) => path === '/session-token')).toHaveLength(1)
})

it('loses no click on what moves when the recording ends', async () => {
  await using first = await visit()
  const { page, ui } = first
  await ui.card('stt').getByText(NOTE).waitFor()
  // What its start changes is drawn.
  await ui.card('stt').getByText('Good morning').waitFor()
  const microphone = ui.card('stt').getByRole('radio', { name: 'Your microphone' })
  const { x, y, width, height } = (await microphone.boundingBox())!
  // Slowly, as a finger does: what a press changes is drawn before its end.
  await page.mouse.move(x + width / 2, y + height / 2)
  await page.mouse.down()
  await page.evaluate(
    () => new Promise((resolve) => requestAnimationFrame(() => requestAnimationFrame(resolve))),
  )
  await page.mouse.up()
  await ui.card('stt').getByRole('button', { name: 'Start, Speech-to-Text' }).waitFor()
  expect(await microphone.isChecked()).toBe(true)
  await ui.statusIs('stt', 'closed')
})

it('plays nothing if the person does something before', async () => {
  await using first = await visit()
  const { page, asked } = first
  // As if keys were pressed again and again, from the beginning.
  await page.addInitScript(() => void setInterval(() => dispatchEvent(new KeyboardEvent('keydown')), 50))
  await page.evaluate(() => localStorage.clear())
  await page.context().clearCookies()
  await page.clock.install()
  await page.reload()
  await page.getByText('Emulator', { exact: true }).waitFor()
  const before = asked.length
  // Later than the recording would begin.
  await page.clock.runFor(2_000)
  expect(asked.slice(before)).not.toContain('/session-token')
})

it('says at which address the login works, if the page was opened at another one', async () => {
  const page = await demo.browser.newPage()
  const other = demo.url.replace('localhost', 'www.localhost')
  await page.goto(other)
  await page.getByRole('heading', { name: 'The server refused the sign-in' }).waitFor()
  expect(await page.getByRole('alert').innerText()).toContain(`Sign in at ${demo.url} there`)
  await page.close()
})

it('closes the connection when the recording is over', async () => {
  await using first = await visit()
  await first.ui.card('stt').getByText(NOTE).waitFor()
  await first.ui.statusIs('stt', 'closed')
  await first.ui.button('stt', 'Start').waitFor()
  expect(await first.ui.card('stt').innerText()).toContain('without any trouble.')
})

it('plays nothing with reduced motion, nor to the real service', async () => {
  await using upstream = await createEmulator()
  await using calm = await visit({ reducedMotion: 'reduce' })
  await calm.ui.press('tts', 'Speak')
  await calm.ui.statusIs('tts', 'open')
  expect(calm.asked.filter((path) => path === '/session-token')).toHaveLength(1)

  // To the demo this emulator is the real service.
  await using real = await startBuiltDemo(variablesOf(upstream))
  await using other = await visit({}, real.url)
  await other.page.getByText('Live service').waitFor()
  await other.ui.press('tts', 'Speak')
  await other.ui.statusIs('tts', 'open')
  expect(upstream.tokens.size).toBe(1)
})

it('reads a text aloud, and marks the word that is heard', async () => {
  await using calm = await visit({ reducedMotion: 'reduce' })
  const { ui } = calm
  await ui.press('tts', 'Speak')
  await vi.waitFor(async () => expect(await ui.card('tts').locator('mark').count()).toBe(1))
  await ui.button('tts', 'Stop').click()
  await ui.button('tts', 'Speak').waitFor()
  expect(await ui.card('tts').locator('.spoken').innerText()).toContain('And Mr John Dashwood')
})

it('translates between the chosen languages, and shows both', async () => {
  await using calm = await visit({ reducedMotion: 'reduce' })
  const { ui } = calm
  await ui.show('vt')
  await ui.card('vt').getByRole('combobox', { name: 'To', exact: true }).selectOption('German')
  await ui.press('vt', 'Start')
  await ui.card('vt').getByText('Good morning').first().waitFor()
  const translated = ui.card('vt').getByText('Guten Morgen allerseits')
  await translated.waitFor()
  expect(await translated.getAttribute('lang')).toBe('de-DE')
})

it('shows before and after of the isolation, and through which microphone', async () => {
  await using calm = await visit({ reducedMotion: 'reduce' })
  const { ui } = calm
  const viva = ui.card('viva')
  await ui.show('viva')
  await viva.getByRole('radio', { name: 'Your microphone' }).check()
  await ui.button('viva', 'Devices').click()
  const menu = viva.getByRole('combobox', { name: 'Microphone' })
  const last = (await menu.locator('option').last().getAttribute('value')) ?? ''
  await menu.selectOption(last)
  await ui.button('viva', 'Start').click()
  await viva.getByText('You are heard.', { exact: true }).waitFor()
  expect(await menu.inputValue()).toBe(last)
  for (const side of ['sent', 'received'])
    await vi.waitFor(async () =>
      expect(await viva.locator(`path.${side}`).getAttribute('d')).toMatch(/v-?[1-9]/),
    )
})

it('offers to try again after a failure, and no renewal', async () => {
  await using calm = await visit({ reducedMotion: 'reduce' })
  const { page, ui } = calm
  await ui.connect('stt')
  await ui.renew('stt').waitFor()
  const faults = await ui.openFaults()
  await faults.getByLabel('How often it happens').selectOption('Until reset')
  await faults.getByRole('button', { name: 'BALANCE_EXHAUSTED' }).click()
  await faults.getByText('Set: BALANCE_EXHAUSTED').waitFor()
  await faults.getByRole('button', { name: 'Expire all tokens now' }).click()
  await ui.statusIs('stt', 'failed')
  await faults.getByText('Speech-to-Text has failed (BALANCE_EXHAUSTED).').waitFor()
  await ui.button('stt', 'Try again').waitFor()
  const names = await page.locator('main').getByRole('button').allInnerTexts()
  expect(names.filter((name) => /^(end|renew)/i.test(name))).toEqual([])

  await faults.getByRole('button', { name: 'Reset' }).click()
  await faults.getByText('Set: Emulator reset.').waitFor()
  await ui.button('stt', 'Try again').click()
  await ui.statusIs('stt', 'open')
})

it('shows Ben what he may use, and opens nothing by itself when the user changes', async () => {
  await using calm = await visit({ reducedMotion: 'reduce' })
  const { page, ui, asked } = calm
  await ui.connect('stt')
  await ui.changeUser('Ben')
  const before = asked.length
  await page.getByText('Ben may use').waitFor()
  await page.getByText('0:00 of 30:00 used').waitFor()
  expect(await page.getByRole('tab').allInnerTexts()).toEqual(['Captions', 'Silence', 'Queue', 'Meetings'])
  expect(await ui.status('stt').getAttribute('data-status')).toBe('idle')
  expect(asked.slice(before)).not.toContain('/session-token')
})

it('says of each fault what it does, and of the console what it prints', async () => {
  await using calm = await visit({ reducedMotion: 'reduce' })
  const { ui } = calm
  const faults = await ui.openFaults()
  const undescribed = await faults.locator('.fault').evaluateAll((buttons) =>
    buttons.filter((button) => {
      const words = document.getElementById(button.getAttribute('aria-describedby') ?? '')
      return words === null || words.innerText.length < 10
    }),
  )
  expect(undescribed).toEqual([])
  expect(await faults.locator('.fault').count()).toBeGreaterThan(20)
  await faults.getByRole('button', { name: 'Log' }).click()
  await faults.getByText('authorization=api-key…').waitFor()
})

it('floats nothing over the page, on a phone or a desktop, and is short on a phone', async () => {
  await using calm = await visit({ reducedMotion: 'reduce', viewport: { width: 390, height: 844 } })
  const { page } = calm
  const floating = (): Promise<string[]> =>
    page.evaluate(() =>
      [...document.querySelectorAll('body *')]
        .filter((element) => getComputedStyle(element).position === 'fixed')
        // The skip link is visible only with the focus, the menu only when it is open.
        .filter((element) => !element.matches('.skip-link, [popover]'))
        .map((element) => element.textContent),
    )
  expect(await floating()).toEqual([])
  // One product at a time.
  expect(await page.locator('[data-product]').count()).toBe(1)
  await page.setViewportSize({ width: 1280, height: 800 })
  expect(await floating()).toEqual([])
  // One tool shows what goes on behind the page.
  const tools = await page.locator('button[aria-expanded]').evaluateAll((found) => found.map(({ id }) => id))
  expect(tools).toEqual(['wire-button'])
})
