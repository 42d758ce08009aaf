import { type Browser, chromium, firefox, type Page } from 'playwright'
import { chromiumOptions, firefoxOptions } from '../../packages/testing/src/engines/launchOptions.js'
import { startSound } from '../../packages/testing/src/engines/startSound.js'
import { playwrightPage } from '../../packages/testing/src/pages/playwrightPage.js'
import type { DemoWindow, Photographer } from './DemoWindow.js'

/** Chromium or Firefox, with sound: Firefox runs no audio context without an output. */
export async function startPlaywright(engine: 'chromium' | 'firefox'): Promise<Photographer> {
  if (engine === 'chromium') {
    const browser = await chromium.launch(chromiumOptions())
    return photographer(engine, browser, () => browser.close())
  }
  const sound = await startSound()
  try {
    const browser = await firefox.launch({ ...firefoxOptions(), env: { ...process.env, ...sound.env } })
    return photographer(engine, browser, async () => {
      await browser.close()
      await sound[Symbol.asyncDispose]()
    })
  } catch (error) {
    await sound[Symbol.asyncDispose]()
    throw error
  }
}

const photographer = (
  engine: 'chromium' | 'firefox',
  browser: Browser,
  close: () => Promise<void>,
): Photographer => ({
  engine,
  async open(url, viewport, style) {
    const page = await browser.newPage({
      viewport,
      // A preview of the built page would refuse the style sheet. Firefox's driver cannot ask for it.
      ...(engine === 'chromium' && { bypassCSP: true }),
      deviceScaleFactor: viewport.width < 500 ? 2 : 1,
    })
    await page.goto(url)
    await page.addStyleTag({ content: style })
    return windowOf(page)
  },
  [Symbol.asyncDispose]: close,
})

const windowOf = (page: Page): DemoWindow => ({
  ...playwrightPage(page),
  async shoot(path, fullPage) {
    await page.evaluate(() => scrollTo(0, 0))
    await page.screenshot({ path, fullPage })
  },
})
