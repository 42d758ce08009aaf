import type { Browser } from 'playwright'
import { chromium } from 'playwright'
import { inject } from 'vitest'

/** Playwright would give up after 30 s, which a busy machine may need to start a page. */
const PATIENCE_MS = 60_000

/** The browser that all files share. Closing it closes what the caller has opened in it. */
export async function openBrowser(): Promise<Browser> {
  const browser = await chromium.connect(inject('demo').browser)
  browser.on('context', (context) => context.setDefaultTimeout(PATIENCE_MS))
  return browser
}
