import type { Page } from 'playwright'
import type { EnginePage } from './EnginePage.js'

export type { EnginePage } from './EnginePage.js'

/** A page that Playwright controls, in Chromium or Firefox. */
export const playwrightPage = (page: Page): EnginePage => ({
  async press(name, within = 'body') {
    const part = page.locator(within)
    const exact = { name, exact: true }
    await part.getByRole('button', exact).or(part.getByRole('radio', exact)).click()
  },
  pressFirst: (selector) => page.locator(selector).first().click(),
  waitFor: (selector, text) =>
    page
      .locator(selector, text === undefined ? {} : { hasText: text })
      .first()
      .waitFor(),
  read: async (selector) => (await page.locator(selector).first().textContent({ timeout: 0 })) ?? '',
  tab: () => page.keyboard.press('Tab'),
  close: () => page.close(),
})
