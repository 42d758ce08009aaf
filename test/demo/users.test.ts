import { chromiumOptions } from '@stagepass/testing/launchOptions'
import type { Browser, BrowserContext, Page } from 'playwright'
import { chromium } from 'playwright'
import { afterAll, beforeAll, expect, it, vi } from 'vitest'
import { bundleUsersPage, startUsersSite, type UsersSite } from './support/startUsersSite.js'
import type { UsersPageReport } from './support/usersPage.js'

let browser: Browser
let files: Awaited<ReturnType<typeof bundleUsersPage>>

beforeAll(async () => {
  // A separate browser, because Playwright disables the back-forward cache.
  browser = await chromium.launch({
    ...chromiumOptions(),
    ignoreDefaultArgs: ['--disable-back-forward-cache'],
  })
  files = await bundleUsersPage()
})
afterAll(() => browser.close())

/**
 * A site and a browser profile for one test, so that a failed test leaves no tab and no socket for the next.
 */
async function visit(): Promise<{ site: UsersSite; context: BrowserContext } & AsyncDisposable> {
  const site = await startUsersSite(files)
  const context = await browser.newContext()
  return {
    site,
    context,
    async [Symbol.asyncDispose]() {
      await context.close()
      await site[Symbol.asyncDispose]()
    },
  }
}

const reportOf = (page: Page): Promise<UsersPageReport & { readonly seen: string[] }> =>
  page.evaluate(() => {
    const { report } = window as unknown as { report: UsersPageReport }
    return { ...report, seen: [...report.rows] }
  })

/** Waits until the page's report matches. */
async function until(page: Page, expected: object): Promise<UsersPageReport & { readonly seen: string[] }> {
  await vi.waitFor(async () => expect(await reportOf(page)).toMatchObject(expected))
  return reportOf(page)
}

it('S37 tabs share no token, and a tab whose user signs out by navigation gets no token of the previous user', async () => {
  await using visited = await visit()
  const { site, context } = visited
  const [first, second] = [await context.newPage(), await context.newPage()]
  await first.goto(`${site.origin}/sign-in/ada`)
  const { tokens: ofFirst } = await until(first, { status: 'open', seen: ['meeting of ada'] })
  await second.goto(`${site.origin}/`)
  const { tokens: ofAda } = await until(second, { status: 'open' })
  expect(ofAda).toHaveLength(1)
  expect(ofFirst).not.toContain(ofAda[0])

  await first.goto(`${site.origin}/sign-out`)
  await until(first, { user: '', status: 'idle', tokens: [] })
  await first.goto(`${site.origin}/sign-in/ben`)
  const ben = await until(first, { user: 'ben', status: 'open', seen: ['meeting of ben'] })
  expect(ben.tokens).toHaveLength(1)
  expect(ofAda).not.toContain(ben.tokens[0])

  // The other tab still shows ada. Its next request finds that the session belongs to another user.
  await second.evaluate(() => (window as unknown as { renew: () => Promise<void> }).renew())
  const other = await until(second, { user: 'ada', status: 'failed' })
  expect(other).toMatchObject({ userChanges: ['ada'], seen: ['meeting of ada'], tokens: ofAda })
})

it('S39 a page from the back-forward cache gets a new token before it connects', async () => {
  await using visited = await visit()
  const { site, context } = visited
  const page = await context.newPage()
  await page.goto(`${site.origin}/sign-in/ada`)
  const before = await until(page, { status: 'open' })
  await page.goto(`${site.origin}/elsewhere`)
  await vi.waitFor(() => expect(site.stack.upstream.sockets).toEqual([]))
  const handshakes = site.stack.upstream.counts.handshake
  await page.evaluate(() => history.back())
  const after = await until(page, { shows: [false, true], status: 'open' })
  expect(after.tokens).toHaveLength(2)
  expect(site.stack.upstream.counts.handshake).toBe((handshakes ?? 0) + 1)
  expect(site.stack.upstream.sockets.map(({ sessionKey }) => sessionKey)).toEqual([after.tokens[1]])
  expect(after.tokens[1]).not.toBe(before.tokens[0])
})

it('S39 S38 a page from the back-forward cache does not connect if the session now belongs to another user', async () => {
  await using visited = await visit()
  const { site, context } = visited
  const page = await context.newPage()
  await page.goto(`${site.origin}/sign-in/ada`)
  await until(page, { status: 'open' })
  await page.goto(`${site.origin}/elsewhere`)
  await page.evaluate(() => fetch('/sign-in/ben'))
  const handshakes = site.stack.upstream.counts.handshake
  await page.evaluate(() => history.back())
  const restored = await until(page, { user: 'ada', shows: [false, true], status: 'failed' })
  expect(restored.userChanges).toEqual(['ada'])
  expect(restored.tokens).toHaveLength(1)
  expect(restored.seen).toEqual(['meeting of ada'])
  expect(site.stack.upstream.counts.handshake).toBe(handshakes)
  expect(site.stack.upstream.sockets).toEqual([])
})
