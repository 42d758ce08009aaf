import { mkdirSync } from 'node:fs'
import type { Locator, Page } from 'playwright'
import { chromium } from 'playwright'
import { findInPath, say } from './run.js'

/*
 * Photographs the demo, which must be running: `npx tsx scripts/screenshots.ts [address] [folder]`. Default http://localhost:5173 and
 * .cache/screenshots; the one named demo.png is the README's picture (docs/images).
 */

const [url = 'http://localhost:5173', folder = '.cache/screenshots'] = process.argv.slice(2)
const executablePath = process.env.CHROMIUM_PATH ?? findInPath('chromium')

/** Machines differ in what "the system's font" is; a picture should not. The developers' panel is not part of the page. */
const FONTS =
  "button[style*='2147483000'] { display: none } :root { --font: 'Liberation Sans', Arial, sans-serif !important; --mono: 'Liberation Mono', monospace !important; }"

type Scheme = 'light' | 'dark'

const browser = await chromium.launch({
  ...(executablePath ? { executablePath } : {}),
  args: ['--autoplay-policy=no-user-gesture-required'],
})
mkdirSync(folder, { recursive: true })

async function open(width: number, height: number, colorScheme: Scheme): Promise<Page> {
  const page = await browser.newPage({
    viewport: { width, height },
    colorScheme,
    // A preview of the built page would refuse the fonts below.
    bypassCSP: true,
    deviceScaleFactor: width < 500 ? 2 : 1,
  })
  await page.goto(url)
  await page.addStyleTag({ content: FONTS })
  await page.getByText(/^20 of \d+ shown$/).waitFor()
  return page
}

async function shoot(page: Page, name: string, fullPage = false): Promise<void> {
  await page.evaluate(() => scrollTo(0, 0))
  await page.screenshot({ path: `${folder}/${name}.png`, fullPage })
  say(`${folder}/${name}.png`)
}

const panel = (page: Page, name: string): Locator => page.getByRole('region', { name, exact: true })

async function connectAll(page: Page): Promise<void> {
  for (const name of ['Speech-to-Text', 'Text-to-Speech', 'Voice Translation', 'Voice Isolation']) {
    await page.getByRole('button', { name: `Connect ${name}` }).click()
    await panel(page, name).locator('[data-status="open"]').waitFor()
  }
}

/** Until the last seconds of the recording, when there is most to see. */
async function speak(page: Page): Promise<void> {
  for (const name of ['Speech-to-Text', 'Voice Translation', 'Voice Isolation']) {
    await panel(page, name).getByRole('button', { name: 'Send recording' }).click()
  }
  await page.getByRole('button', { name: 'Speak' }).click()
  await page.waitForTimeout(6_000)
}

async function fault(page: Page, name: string): Promise<void> {
  const drawer = page.getByRole('complementary')
  await drawer.getByRole('radio', { name: 'Until reset' }).check()
  await drawer.getByRole('button', { name, exact: true }).click()
  await drawer.getByText(`Set: ${name}`).waitFor()
}

async function showEverything(width: number, height: number, scheme: Scheme): Promise<void> {
  const page = await open(width, height, scheme)
  await connectAll(page)
  await page.locator('.meeting').nth(2).click()
  await page.getByText('Transcript', { exact: true }).waitFor()
  await speak(page)
  await shoot(page, `streams-${width}-${scheme}`)
  await shoot(page, `page-${width}-${scheme}`, true)
  await page.close()
}

async function showTheWire(width: number, height: number, scheme: Scheme, name: string): Promise<void> {
  const page = await open(width, height, scheme)
  await connectAll(page)
  await page.getByRole('button', { name: 'Wire', exact: true }).click()
  // Behind a sheet that covers the panels nothing is pressed.
  if (width > 1024) await speak(page)
  await shoot(page, name)
  await page.close()
}

async function showErrors(width: number, height: number, scheme: Scheme): Promise<void> {
  const page = await open(width, height, scheme)
  await page.getByRole('button', { name: 'Wire', exact: true }).click()
  await page.getByRole('radio', { name: 'Faults' }).check()
  await fault(page, 'BALANCE_EXHAUSTED')
  await page.getByRole('button', { name: 'Connect Speech-to-Text' }).click()
  await panel(page, 'Speech-to-Text').getByRole('alert').waitFor()
  await page.getByRole('complementary').getByRole('button', { name: 'Reset' }).click()
  await page.getByText('Set: Emulator reset.').waitFor()
  await fault(page, 'CACHE_UNAVAILABLE')
  await page.getByRole('button', { name: 'Connect Text-to-Speech' }).click()
  await panel(page, 'Text-to-Speech').locator('.notice').waitFor()
  await shoot(page, `errors-${width}-${scheme}`)
  await page.getByRole('complementary').getByRole('button', { name: 'Reset' }).click()
  await page.getByText('Set: Emulator reset.').waitFor()
  await page.close()
}

async function showUsers(width: number, height: number, scheme: Scheme): Promise<void> {
  const page = await open(width, height, scheme)
  await page.getByRole('button', { name: 'Signed in as Ada' }).click()
  await shoot(page, `user-menu-${width}-${scheme}`)
  await page.getByRole('button', { name: 'Sign out' }).click()
  await page.getByRole('heading', { name: 'You are signed out' }).waitFor()
  await shoot(page, `signed-out-${width}-${scheme}`)
  await page.close()
}

say(`Photographing ${url}`)
for (const scheme of ['light', 'dark'] as const) {
  await showEverything(1440, 1000, scheme)
  await showEverything(390, 844, scheme)
  await showErrors(1440, 1000, scheme)
  await showUsers(1440, 1000, scheme)
  await showUsers(390, 844, scheme)
}
await showTheWire(1440, 1080, 'light', 'demo')
await showTheWire(390, 844, 'dark', 'wire-390-dark')
await browser.close()
