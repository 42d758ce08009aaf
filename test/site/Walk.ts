import type { Page } from 'playwright'
import { findViolations, type View } from '@stagepass/testing/findViolations'
import type { Site } from './buildSite.js'

/** A link: its page, and its path and fragment on the host. */
interface Link {
  readonly from: string
  readonly path: string
  readonly fragment: string
}

/** Visits pages of the site, and collects their problems. */
export class Walk {
  readonly problems: string[] = []
  readonly links: Link[] = []
  readonly #fragments = new Map<string, ReadonlySet<string>>()
  readonly #site: Site

  constructor(site: Site) {
    this.#site = site
  }

  /** Reports the page's console messages, and each request that does not go to the site. */
  watch(page: Page): void {
    const say = (what: string): void => void this.problems.push(`${new URL(page.url()).pathname}: ${what}`)
    page.on('console', (message) => {
      if (message.type() === 'error' || message.type() === 'warning') say(message.text())
    })
    page.on('pageerror', (error) => say(error.message))
    page.on('request', (request) => {
      const url = new URL(request.url())
      if (url.protocol !== 'data:' && url.protocol !== 'blob:' && url.origin !== this.#site.origin)
        say(`requests ${url.href}`)
    })
    page.on('response', (response) => {
      if (response.status() >= 400) say(`${response.status()} for ${response.url()}`)
    })
  }

  async visit(page: Page, path: string, views: readonly View[]): Promise<void> {
    await page.emulateMedia({ colorScheme: 'light' })
    await page.setViewportSize({ width: 390, height: 900 })
    await page.goto(this.#site.origin + path, { waitUntil: 'networkidle' })
    const { links, ids } = await page.evaluate(() => ({
      links: [...document.links].map(({ href }) => href),
      ids: [...document.querySelectorAll('[id]')].map(({ id }) => id),
    }))
    for (const width of [390, 1_280]) {
      await page.setViewportSize({ width, height: 900 })
      const overflow = (await page.evaluate(() => document.documentElement.scrollWidth)) - width
      if (overflow > 0) this.problems.push(`${path}: ${overflow} pixels too wide at ${width}`)
    }
    this.#fragments.set(path, new Set(ids))
    for (const link of links) this.#gather(path, new URL(link))
    this.problems.push(...(await findViolations(page, path, 'html', views)))
  }

  #gather(from: string, { origin, pathname, hash }: URL): void {
    if (origin !== this.#site.origin) return
    this.links.push({ from, path: pathname, fragment: decodeURIComponent(hash.slice(1)) })
  }

  /** Links to a missing file or heading. Call it after all pages were visited. */
  brokenLinks(): string[] {
    const broken = this.links.filter(({ path, fragment }) => {
      const ids = this.#fragments.get(path)
      return ids ? fragment !== '' && !ids.has(fragment) : !this.#site.has(path)
    })
    return [...new Set(broken.map(({ from, path, fragment }) => `${from}: ${path}#${fragment}`))]
  }
}
