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

const passed = (ms: number): Promise<void> => new Promise((resolve) => setTimeout(resolve, ms))

Object.assign(process.env, await provide(BASIC))
await using started = await startPlaywright('chromium')

/** Opens the demo. The second result takes a picture of it, without the bar at the top. */
async function open(scheme: string): Promise<[demo: EnginePage, shoot: (path: string) => Promise<void>]> {
  const page = await started.browser.newPage({
    viewport: { width: 1100, height: 860 },
    // The preview's policy would refuse the style sheet.
    bypassCSP: true,
    colorScheme: scheme === 'dark' ? 'dark' : 'light',
  })
  // Not the tab on which a recording plays by itself.
  await page.goto(`${url}?show=translation`)
  await page.addStyleTag({ content: STYLE })
  const demo = playwrightPage(page)
  await demo.waitFor('[data-product=vt]')
  const shoot = async (path: string): Promise<void> => {
    const { height: y } = (await page.locator('.topbar').boundingBox())!
    await page.screenshot({ path, clip: { x: 0, y, width: 1100, height: 860 - y } })
  }
  return [demo, shoot]
}

// A recording becomes captions, in its language and in another one. Above them is what goes over the wire.
for (const scheme of ['light', 'dark']) {
  const [page, shoot] = await open(scheme)
  const frames = `${folder}/film`
  mkdirSync(frames, { recursive: true })
  await page.press('Start, Voice Translation')
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
