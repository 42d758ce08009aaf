import { chromiumOptions } from '@stagepass/testing/launchOptions'
import { chromium, type Page } from 'playwright'
import { provide } from '../programs.js'

export interface BrowseOptions {
  /** Default 60. */
  readonly limitSeconds?: number
  /**
   * Number of visits. Only the last one must have no errors. A dev server that bundles while the page loads
   * needs 2. Default 1.
   */
  readonly visits?: number
}

async function waitFor(page: Page, text: string, limitSeconds: number, errors: readonly string[]) {
  await page
    .getByText(text)
    .waitFor({ timeout: limitSeconds * 1_000 })
    .catch(async () => {
      const shown = await page.locator('body').innerText()
      throw new Error(`The page shows:\n${shown}\nErrors:\n${errors.join('\n')}`)
    })
}

/**
 * Opens a page in Chromium and waits until it shows the text. Otherwise throws an error with the page's text
 * and its console errors.
 */
export async function browse(
  url: string,
  text: string,
  { limitSeconds = 60, visits = 1 }: BrowseOptions = {},
): Promise<void> {
  Object.assign(process.env, await provide(['CHROMIUM_PATH']))
  const browser = await chromium.launch(chromiumOptions())
  try {
    const page = await browser.newPage()
    let errors: string[] = []
    page.on('console', (message) => {
      if (message.type() === 'error') errors.push(`${message.text()} (${message.location().url})`)
    })
    page.on('pageerror', (error) => errors.push(error.message))
    for (let visit = 0; visit < visits; visit += 1) {
      errors = []
      await page.goto(url, { timeout: limitSeconds * 1_000 })
      await waitFor(page, text, limitSeconds, errors)
    }
    if (errors.length > 0) throw new Error(`The page works, with errors:\n${errors.join('\n')}`)
  } finally {
    await browser.close()
  }
}
