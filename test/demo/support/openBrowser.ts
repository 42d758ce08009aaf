import type { Browser } from 'playwright'
import { chromium } from 'playwright'
import { inject } from 'vitest'

/** Playwright's limit is 30 s, which a busy machine may need to start a page. */
const LIMIT_MS = 60_000

/** The browser that all files share. Closing it closes only the pages that the caller has opened. */
export async function openBrowser(): Promise<Browser> {
  const browser = await chromium.connect(inject('demo').browser)
  browser.on('context', (context) => context.setDefaultTimeout(LIMIT_MS))
  return browser
}
