import { type Browser, chromium, firefox } from 'playwright'
import type { Engine } from './impossibleCases.js'
import type { EnginePage } from '../pages/EnginePage.js'
import { playwrightPage } from '../pages/playwrightPage.js'
import { webKitPage } from '../pages/webKitPage.js'
import { chromiumOptions, firefoxOptions } from './launchOptions.js'
import { startSound } from './startSound.js'
import { startWebKitWithDevices } from './startWebKitWithDevices.js'

export { type Engine, ENGINES } from './impossibleCases.js'

/** A browser with the settings of the tests, without vitest. */
export interface RunningEngine extends AsyncDisposable {
  open(url: string): Promise<EnginePage>
}

/**
 * Starts Chromium or Firefox with Playwright. Firefox does not run an audio context without an output, so it
 * gets its own sound server.
 */
export async function startPlaywright(
  engine: 'chromium' | 'firefox',
): Promise<AsyncDisposable & { readonly browser: Browser }> {
  if (engine === 'chromium') {
    const browser = await chromium.launch(chromiumOptions())
    return { browser, [Symbol.asyncDispose]: () => browser.close() }
  }
  const sound = await startSound()
  try {
    const browser = await firefox.launch({ ...firefoxOptions(), env: { ...process.env, ...sound.env } })
    return {
      browser,
      async [Symbol.asyncDispose]() {
        await browser.close()
        await sound[Symbol.asyncDispose]()
      },
    }
  } catch (error) {
    await sound[Symbol.asyncDispose]()
    throw error
  }
}

/** Starts a browser. It uses the same variables for the paths of programs as the tests. */
export async function startEngine(engine: Engine): Promise<RunningEngine> {
  if (engine === 'webkit') {
    const webKit = await startWebKitWithDevices()
    return {
      async open(url) {
        await webKit.goto(url)
        return webKitPage(webKit.send)
      },
      [Symbol.asyncDispose]: () => webKit[Symbol.asyncDispose](),
    }
  }
  const { browser, [Symbol.asyncDispose]: close } = await startPlaywright(engine)
  return {
    async open(url) {
      const page = await browser.newPage()
      await page.goto(url)
      return playwrightPage(page)
    },
    [Symbol.asyncDispose]: close,
  }
}
