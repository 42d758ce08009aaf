import { mkdirSync, rmSync } from 'node:fs'
import { startPlaywright } from '@stagepass/testing/engines'
import { type EnginePage, playwrightPage } from '@stagepass/testing/pages'
import { readOptions } from './options.js'
import { BASIC, ENGINES, provide } from './programs.js'
import { run, say } from './run.js'

const USAGE = `npx tsx scripts/screenshots.ts [address] [folder] [--firefox] [--only <name>]

Photographs the demo, which must be running. Default http://localhost:5173 and .cache/screenshots. Those named demo are the README's pictures
(docs/images): one that moves, and one for readers who want no motion, in light and dark.`

const { values, positionals } = readOptions(USAGE, {
  allowPositionals: true,
  options: { firefox: { type: 'boolean', default: false }, only: { type: 'string', default: '' } },
})
const [url = 'http://localhost:5173', folder = '.cache/screenshots'] = positionals

/** A fixed font, because "the system's font" differs between machines. */
const STYLE =
  ":root { --font: 'Liberation Sans', Arial, sans-serif !important; --mono: 'Liberation Mono', monospace !important; }"

type Scheme = 'light' | 'dark'

const WIDE = { width: 1280, height: 900 }
const NARROW = { width: 390, height: 844 }
type WindowSize = typeof WIDE

Object.assign(process.env, await provide(values.firefox ? [...BASIC, ...ENGINES] : BASIC))
await using started = await startPlaywright(values.firefox ? 'firefox' : 'chromium')
const { browser } = started
mkdirSync(folder, { recursive: true })

/** A window with the demo. */
interface DemoWindow extends EnginePage {
  /** A picture from the top of the page. */
  shoot(path: string, fullPage: boolean): Promise<void>
  /** A picture of the two products at the top. */
  shootTop(path: string): Promise<void>
}

const NAMES = {
  stt: 'Speech-to-Text',
  tts: 'Text-to-Speech',
  vt: 'Voice Translation',
  viva: 'Voice Isolation',
} as const
type Product = keyof typeof NAMES

const card = (product: Product): string => `[data-product=${product}]`
/** A button of a card, by its words. */
const of = (product: Product, words: string): string => `${words}, ${NAMES[product]}`
const passed = (ms: number): Promise<void> => new Promise((resolve) => setTimeout(resolve, ms))

async function open(viewport: WindowSize, scheme: Scheme): Promise<DemoWindow> {
  const page = await browser.newPage({
    viewport,
    // The preview's policy would refuse the style sheet. Firefox's driver does not have this option.
    ...(!values.firefox && { bypassCSP: true }),
    deviceScaleFactor: viewport.width < 500 ? 2 : 1,
  })
  await page.goto(url)
  await page.addStyleTag({ content: STYLE })
  const demo = playwrightPage(page)
  await demo.waitFor('#wire-button')
  // On a phone most cards are folded.
  await page.evaluate("document.querySelectorAll('.fold > details').forEach((one) => (one.open = true))")
  await demo.waitFor('.stagepass-meetings-list li')
  // Not the system's scheme: only Chromium's driver can change that.
  if (scheme === 'dark') await demo.press('Dark theme')
  return {
    ...demo,
    async shoot(path, fullPage) {
      await page.evaluate('scrollTo(0, 0)')
      await page.screenshot({ path, fullPage })
    },
    async shootTop(path) {
      const first = (await page.locator(card('stt')).boundingBox())!
      const other = (await page.locator(card('vt')).boundingBox())!
      const [width, height] = [other.x + other.width - first.x, Math.max(first.height, other.height)]
      await page.screenshot({ path, clip: { ...first, width, height } })
    },
  }
}

async function shoot(page: DemoWindow, name: string, fullPage = false): Promise<void> {
  const file = `${folder}/${name}.png`
  await page.shoot(file, fullPage)
  say(file)
}

/** Until the last seconds of the recording, when there is most to see. */
async function speak(page: DemoWindow): Promise<void> {
  for (const product of ['stt', 'vt', 'viva'] as const) await page.press(of(product, 'Send recording'))
  await page.press(of('tts', 'Speak'))
  await passed(6_000)
}

async function fault(page: DemoWindow, name: string): Promise<void> {
  await page.press(name, '.drawer')
  await page.waitFor('.said', `Set: ${name}`)
}

async function reset(page: DemoWindow): Promise<void> {
  await page.press('Reset', '.drawer')
  await page.waitFor('.said', 'Set: Emulator reset.')
}

/** A conversation: all streams, a recording, and a microphone with the focus on its controls. */
async function showEverything(size: WindowSize, scheme: Scheme): Promise<void> {
  const page = await open(size, scheme)
  await page.pressFirst('.stagepass-meetings-list li:nth-child(3) button')
  await page.waitFor('.stagepass-meetings-list dl')
  await speak(page)
  await shoot(page, `streams-${size.width}-${scheme}`)
  await shoot(page, `page-${size.width}-${scheme}`, true)
  await page.press(of('viva', 'Start'))
  await page.waitFor(`${card('viva')} .stagepass-voice-session[data-state="heard"]`)
  await page.pressFirst(`${card('viva')} .inside summary`)
  await page.tab()
  await shoot(page, `microphone-${size.width}-${scheme}`, true)
  await page.close()
}

async function showTheWire(size: WindowSize, scheme: Scheme, name: string): Promise<void> {
  const page = await open(size, scheme)
  await speak(page)
  await page.press('Wire')
  await shoot(page, name)
  await page.press('Faults', '.drawer')
  await page.waitFor('.fault')
  await shoot(page, `faults-${size.width}-${scheme}`)
  await page.press('Budget', '.drawer')
  await page.waitFor('.gauges meter')
  await shoot(page, `budget-${size.width}-${scheme}`)
  await page.close()
}

const FILM = { frames: 48, perSecond: 5 }

/** A recording becomes captions, in its language and in another one. */
async function film(scheme: Scheme): Promise<void> {
  const page = await open({ width: 960, height: 960 }, scheme)
  const frames = `${folder}/film`
  mkdirSync(frames, { recursive: true })
  await page.press(of('stt', 'Send recording'))
  await page.press(of('vt', 'Send recording'))
  const beganAt = performance.now()
  for (let frame = 0; frame < FILM.frames; frame += 1) {
    await passed(Math.max(0, beganAt + (frame * 1_000) / FILM.perSecond - performance.now()))
    await page.shootTop(`${frames}/${String(frame).padStart(2, '0')}.png`)
  }
  await page.close()
  const input = ['-framerate', `${FILM.perSecond}`, '-i', `${frames}/%02d.png`]
  const output = `${folder}/demo-${scheme}`
  await run('ffmpeg', ['-v', 'error', '-y', ...input, '-loop', '0', '-quality', '80', `${output}.webp`])
  await run('ffmpeg', ['-v', 'error', '-y', '-i', `${frames}/30.png`, '-update', '1', `${output}.png`])
  rmSync(frames, { recursive: true })
  say(`${output}.webp`)
}

async function showErrors(size: WindowSize, scheme: Scheme): Promise<void> {
  const page = await open(size, scheme)
  // The drawer of a phone covers the cards.
  const inFaults = async (act: () => Promise<void>): Promise<void> => {
    await page.press('Wire')
    await page.press('Faults', '.drawer')
    await act()
    await page.press('Close', '.drawer')
  }
  await inFaults(() => fault(page, 'BALANCE_EXHAUSTED'))
  await page.press(of('stt', 'Send recording'))
  await page.waitFor(`${card('stt')} [role=alert]`)
  await inFaults(async () => {
    await reset(page)
    await fault(page, 'invalid_api_key')
  })
  await page.press(of('tts', 'Speak'))
  await page.waitFor(`${card('tts')} [role=alert]`)
  await shoot(page, `errors-${size.width}-${scheme}`, true)
  await inFaults(() => reset(page))
  await page.close()
}

async function showUsers(size: WindowSize, scheme: Scheme): Promise<void> {
  const page = await open(size, scheme)
  const menu = '[popovertarget=user-menu]'
  await page.pressFirst(menu)
  await page.waitFor('.popover:popover-open')
  await shoot(page, `user-menu-${size.width}-${scheme}`)
  await page.pressFirst('.popover .user-choice')
  await page.waitFor(menu, 'Ben')
  await shoot(page, `ben-${size.width}-${scheme}`, true)
  await page.pressFirst(menu)
  await page.waitFor('.popover:popover-open')
  await page.press('Sign out')
  await page.waitFor('h1', 'You are signed out')
  await shoot(page, `signed-out-${size.width}-${scheme}`)
  await page.close()
}

const series: Readonly<Record<string, () => Promise<void>>> = {}
for (const scheme of ['light', 'dark'] as const) {
  Object.assign(series, { [`demo-${scheme}`]: () => film(scheme) })
  for (const size of [WIDE, NARROW]) {
    const named = `${size.width}-${scheme}`
    Object.assign(series, {
      [`streams-${named}`]: () => showEverything(size, scheme),
      [`wire-${named}`]: () => showTheWire(size, scheme, `wire-${named}`),
      [`users-${named}`]: () => showUsers(size, scheme),
      [`errors-${named}`]: () => showErrors(size, scheme),
    })
  }
}

say(`Photographing ${url}`)
for (const [name, show] of Object.entries(series)) if (name.includes(values.only)) await show()
