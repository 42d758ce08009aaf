import { mkdirSync, rmSync } from 'node:fs'
import { startPlaywright } from '@stagepass/testing/engines'
import { type EnginePage, playwrightPage } from '@stagepass/testing/pages'
import { BASIC, provide } from './programs.js'
import { run, say } from './run.js'

/*
 * `npx tsx scripts/screenshots.ts [address] [folder]` photographs the demo, which must be running, for the
 * README (docs/images): a picture that moves, and one for readers who want no motion, in light and dark.
 */

const [url = 'http://localhost:5173', folder = '.cache/screenshots'] = process.argv.slice(2)

/** A fixed font, because "the system's font" differs between machines. */
const STYLE =
  ":root { --font: 'Liberation Sans', Arial, sans-serif !important; --mono: 'Liberation Mono', monospace !important; }"

const FILM = { frames: 48, perSecond: 5 }

const card = (product: string): string => `[data-product=${product}]`
const passed = (ms: number): Promise<void> => new Promise((resolve) => setTimeout(resolve, ms))

Object.assign(process.env, await provide(BASIC))
await using started = await startPlaywright('chromium')

/** Opens the demo. The second result takes a picture of the two products at the top. */
async function open(scheme: string): Promise<[demo: EnginePage, shoot: (path: string) => Promise<void>]> {
  const page = await started.browser.newPage({
    viewport: { width: 1100, height: 1100 },
    // The preview's policy would refuse the style sheet.
    bypassCSP: true,
    // No recording plays by itself.
    reducedMotion: 'reduce',
  })
  await page.goto(url)
  await page.addStyleTag({ content: STYLE })
  const demo = playwrightPage(page)
  await demo.waitFor('#wire-button')
  await demo.waitFor('.stagepass-meetings-list li')
  if (scheme === 'dark') await demo.press('Dark theme')
  // Closed, or the picture would end in the middle of it.
  await demo.pressFirst(`${card('tts')} summary`)
  const shoot = async (path: string): Promise<void> => {
    const first = (await page.locator(card('stt')).boundingBox())!
    const other = (await page.locator(card('vt')).boundingBox())!
    const [width, height] = [other.x + other.width - first.x, Math.max(first.height, other.height)]
    await page.screenshot({ path, clip: { ...first, width, height } })
  }
  return [demo, shoot]
}

// A recording becomes captions, in its language and in another one.
for (const scheme of ['light', 'dark']) {
  const [page, shoot] = await open(scheme)
  const frames = `${folder}/film`
  mkdirSync(frames, { recursive: true })
  await page.press('Send recording, Speech-to-Text')
  await page.press('Send recording, Voice Translation')
  const beganAt = performance.now()
  for (let frame = 0; frame < FILM.frames; frame += 1) {
    await passed(Math.max(0, beganAt + (frame * 1_000) / FILM.perSecond - performance.now()))
    await shoot(`${frames}/${String(frame).padStart(2, '0')}.png`)
  }
  await page.close()
  const input = ['-framerate', `${FILM.perSecond}`, '-i', `${frames}/%02d.png`]
  const output = `${folder}/demo-${scheme}`
  await run('ffmpeg', ['-v', 'error', '-y', ...input, '-loop', '0', '-quality', '80', `${output}.webp`])
  await run('ffmpeg', ['-v', 'error', '-y', '-i', `${frames}/30.png`, '-update', '1', `${output}.png`])
  rmSync(frames, { recursive: true })
  say(`${output}.webp`)
}
