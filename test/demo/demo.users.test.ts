import type { BrowserContext, Page } from 'playwright'
import { afterEach, beforeEach, expect, it, vi } from 'vitest'
import { DemoPage } from './support/DemoPage.js'
import { readHeap } from './support/readHeap.js'
import { placesOf, readPage } from './support/searchPage.js'
import { shareDemo } from './support/shareDemo.js'

// The demo's own server keeps the login sessions. At the emulator one sees each token and socket.
const demo = shareDemo({})
let context: BrowserContext

beforeEach(async () => {
  context = await demo.browser.newContext()
})

afterEach(async () => {
  await context.close()
  demo.upstream.reset()
})

/**
 * A request of the page to the demo's server: its method and path, and the user for whom the page sends it.
 */
interface Sent {
  readonly what: string
  readonly user: string | undefined
}

async function openTab(): Promise<{ page: Page; ui: DemoPage; sent: Sent[] }> {
  const page = await context.newPage()
  const sent: Sent[] = []
  page.on('request', (request) => {
    const { pathname } = new URL(request.url())
    if (!pathname.startsWith('/api/')) return
    const user = request.headers()['x-stagepass-user']
    sent.push({ what: `${request.method()} ${pathname}`, user })
  })
  await page.goto(demo.url)
  const ui = new DemoPage(page)
  await ui.readMeetings()
  return { page, ui, sent }
}

/** The meetings that Ben may see. Ada may see more. */
const owned = () =>
  demo.upstream.meetings
    .all()
    .filter(
      ({ processing, visibility, holder }) => !processing && visibility === 'owned' && holder === undefined,
    )
const sessionKeys = (): string[] => demo.upstream.sockets.map(({ sessionKey }) => sessionKey)
const noSockets = () => vi.waitFor(() => expect(demo.upstream.sockets).toEqual([]), 10_000)
const textOf = (page: Page): Promise<string> => page.locator('body').innerText()
const heading = (page: Page, name: string) => page.getByRole('heading', { name, exact: true })
const signedInAs = (page: Page, name: string) => page.getByRole('button', { name: `Signed in as ${name}` })

const focusedName = (page: Page): Promise<string> =>
  page.evaluate(() => {
    const element = document.activeElement
    const words = element?.cloneNode(true) as Element | undefined
    for (const unread of words?.querySelectorAll('[aria-hidden="true"]') ?? []) unread.remove()
    return element?.getAttribute('aria-label') ?? words?.textContent ?? ''
  })

/** Moves the focus to a control with `key`, and presses it. */
async function press(page: Page, name: string, key = 'Tab'): Promise<void> {
  for (let presses = 0; presses < 80; presses += 1) {
    if ((await focusedName(page)).startsWith(name)) {
      await page.keyboard.press('Enter')
      return
    }
    await page.keyboard.press(key)
  }
  throw new Error(`${key} never came to "${name}".`)
}

it('signs out during a live stream, and in as the other user, only by keyboard', async () => {
  const { page, ui, sent } = await openTab()
  const { titles, total } = await ui.readMeetings()
  expect(total).toBeGreaterThan(owned().length)
  await ui.show('stt')
  await press(page, 'Start, Speech-to-Text')
  await ui.card('stt').getByText('Good morning everyone').waitFor()
  const [adasKey = ''] = sessionKeys()

  await press(page, 'Signed in as Ada', 'Shift+Tab')
  sent.length = 0
  await press(page, 'Sign out')
  await heading(page, 'You are signed out').waitFor()
  expect(await focusedName(page)).toBe('You are signed out')
  await noSockets()
  const left = await textOf(page)
  expect(['Good morning', 'Renew now', ...titles].filter((text) => left.includes(text))).toEqual([])

  await press(page, 'Sign in as Ben')
  await signedInAs(page, 'Ben').waitFor()
  expect((await ui.readMeetings()).total).toBe(owned().length)
  // Nothing was requested for nobody, and nothing more for Ada.
  const [first, second, third, ...rest] = sent.map(({ what }) => what)
  expect([first, second, third]).toEqual(['POST /api/logout', 'GET /api/me', 'POST /api/login'])
  expect(rest.filter((what) => what.startsWith('GET /api/voice/')).length).toBeGreaterThan(0)
  const named = sent.filter(({ what }) => what.includes('/api/voice/')).map(({ user }) => user)
  expect(new Set(named)).toEqual(new Set(['ben']))

  // Nothing is opened by itself.
  expect([sessionKeys(), demo.upstream.tokens.size]).toEqual([[], 1])
  await ui.show('stt')
  expect(await textOf(page)).not.toContain('Good morning')
  await press(page, 'Start, Speech-to-Text')
  await ui.statusIs('stt', 'open')
  const [bensKey = ''] = sessionKeys()
  expect([sessionKeys().length, demo.upstream.tokens.size, bensKey === adasKey]).toEqual([1, 2, false])

  // Ada's token is nowhere in the page, and the log in the drawer begins with Ben.
  await press(page, 'Behind the page', 'Shift+Tab')
  const drawer = page.getByRole('complementary')
  await drawer.getByText('"user": "ben"').first().waitFor({ state: 'attached' })
  expect(await drawer.textContent()).not.toMatch(/\bada\b/i)
  expect(placesOf(adasKey, await readPage(page))).toEqual([])
  const heap = await readHeap(page)
  expect([heap.includes(bensKey), heap.includes(adasKey)]).toEqual([true, false])
})

it('a change in one tab closes the other, which asks for the user; a sign-out ends both', async () => {
  const [one, two] = [await openTab(), await openTab()]
  await one.ui.connect('stt')
  const { titles } = await one.ui.readMeetings()
  await two.ui.changeUser('Ben')

  await heading(one.page, 'Ben is signed in now').waitFor()
  expect(await focusedName(one.page)).toBe('Ben is signed in now')
  await noSockets()
  const left = await textOf(one.page)
  expect(titles.filter((title) => left.includes(title))).toEqual([])
  await one.page.getByRole('button', { name: 'Go on as Ben' }).click()
  expect((await one.ui.readMeetings()).total).toBe(owned().length)
  // Ada's connected streams are not connected for Ben.
  await one.ui.show('stt')
  expect(await one.ui.status('stt').getAttribute('data-status')).toBe('idle')

  await signedInAs(one.page, 'Ben').click()
  await one.page.getByRole('button', { name: 'Sign out' }).click()
  for (const { page } of [one, two]) await heading(page, 'You are signed out').waitFor()
  await one.page.reload()
  await heading(one.page, 'Nobody is signed in').waitFor()
})
