import { findViolations, VIEWS } from '@stagepass/testing/findViolations'
import { chromiumOptions } from '@stagepass/testing/launchOptions'
import { BFF_ERRORS } from '@stagepass/contract'
import { type Browser, chromium, type Page } from 'playwright'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { ITEM_NAMES, VERSION } from '../../registry/build.js'
import { buildSite, ORIGIN, type Site } from './buildSite.js'
import { Walk } from './Walk.js'

let site: Site
let browser: Browser
let walk: Walk

beforeAll(async () => {
  browser = await chromium.launch(chromiumOptions())
  site = await buildSite()
  walk = new Walk(site)
}, 600_000)

afterAll(async () => {
  await browser?.close()
  await site?.[Symbol.asyncDispose]()
})

/** One page of each kind. These are checked in all views, the others in the two views that differ most. */
const isSample = (path: string): boolean =>
  /\/(?:|start\/express\.html|errors\.html|api\/@stagepass\/bff\/otel\.html|packages\/bff\.html)$/.test(
    path,
  ) && !/\/(?:api|decisions)\/$/.test(path)

async function open(walk: Walk): Promise<Page> {
  const page = await browser.newPage({ reducedMotion: 'reduce' })
  walk.watch(page)
  return page
}

it('every page passes all checks, on a phone and on a desktop, in light and in dark', async () => {
  const waiting = [...site.pages]
  expect(waiting.length).toBeGreaterThanOrEqual(60)
  const visitAll = async (page: Page): Promise<void> => {
    for (let path = waiting.shift(); path !== undefined; path = waiting.shift())
      await walk.visit(
        page,
        path,
        isSample(path)
          ? VIEWS
          : [
              [390, 'light'],
              [1_440, 'dark'],
            ],
      )
  }
  await Promise.all([visitAll(await open(walk)), visitAll(await open(walk))])
  expect(walk.problems).toEqual([])
}, 1_200_000)

it('every link of a page leads to a file, and its fragment to a heading', () => {
  expect(walk.links.length).toBeGreaterThanOrEqual(1_000)
  expect(walk.brokenLinks()).toEqual([])
})

it('every page can be reached by a link', () => {
  const linked = new Set(walk.links.filter(({ from, path }) => from !== path).map(({ path }) => path))
  expect(site.pages.filter((page) => !linked.has(page))).toEqual([])
})

it('each state of a component runs on its page, which has the command with the address of the site', async () => {
  const play = new Walk(site)
  const page = await open(play)
  for (const name of ITEM_NAMES) {
    await page.goto(new URL(`components/${name}.html`, home()).href)
    const address = new URL(`r/${VERSION}/${name}.json`, home())
    await page.getByText(`npx shadcn@latest add ${ORIGIN}${address.pathname}`).waitFor()
    expect(site.has(address.pathname)).toBe(true)
    const states = page.getByRole('combobox', { name: 'State' })
    await states.waitFor()
    for (const title of await states.getByRole('option').allInnerTexts()) await states.selectOption(title)
  }
  expect(play.problems).toEqual([])
})

const home = (): string => site.origin + (site.pages[0] ?? '')
const textOf = async (path: string): Promise<string> => {
  const response = await fetch(new URL(path, home()))
  expect(response.status).toBe(200)
  return response.text()
}

it('every page also exists as text', async () => {
  const without = site.pages.filter(
    (page) => !site.has(page.replace(/(?:\/|\.html)$/, (end) => (end === '/' ? '/index.md' : '.md'))),
  )
  expect(without).toEqual([])
  const html = await textOf('packages/bff.html')
  expect(html).toContain('<link rel="alternate" type="text/markdown" href="/docs/kit/packages/bff.md">')
})

it('llms.txt lists existing pages, each with a description', async () => {
  const lines = (await textOf('llms.txt')).split('\n').filter((line) => line.startsWith('- '))
  expect(lines.length).toBeGreaterThan(50)
  const listed = lines.map(
    (line) => /^- \[[^\]]+\]\((?<path>[^)]+)\)(?:: (?<about>.+))?$/.exec(line)?.groups ?? {},
  )
  expect(listed.filter(({ path = '' }) => !site.has(path))).toEqual([])
  const mute = listed.filter(({ about = '' }) => !/^[A-Z`].*\.$/.test(about)).map(({ path = '' }) => path)
  expect(mute.filter((path) => !/\/(?:api|project)\//.test(path))).toEqual([])
})

it('each function and class of the reference has a sentence', async () => {
  const pages = site.pages.filter((page) => page.includes('/api/@stagepass/'))
  expect(pages.length).toBeGreaterThanOrEqual(17)
  for (const page of pages) {
    const groups = (await textOf(page.replace('.html', '.md'))).split(/^## /m)
    const symbols = groups
      .filter((group) => /^(?:Functions|Classes)\n/.test(group))
      .flatMap((group) => group.split(/^### /m).slice(1))
    // Without the signature, the headings and the tables.
    const mute = symbols.filter((symbol) => !/\n[A-Z`"(]/.test(symbol.replaceAll(/^[>#|].*$/gm, '')))
    expect(mute.map((symbol) => `${page}: ${symbol.split('\n')[0]}`)).toEqual([])
  }
})

/** Of types that no entry exports. */
const MEMBERS = [
  ['react', 'StreamSnapshot', 'retryAt'],
  ['react', 'StreamActions', 'unsubscribe'],
  ['react', 'ReconnectSettings', 'minDelayMs'],
  ['react', 'QueueSettings', 'maxAgeMs'],
  ['react', 'SeamlessRollover', 'deadlineMs'],
  ['react', 'StreamEvent', 'stream.rolled_over'],
  ['react', 'CLIENT\\_ERRORS', 'CONNECTION_LOST'],
  ['react/audio', 'VoiceSessionParts', 'resume'],
] as const

it.each(MEMBERS)('the reference of %s has the members of %s', async (entry, type, member) => {
  const page = await textOf(`api/@stagepass/${entry}.md`)
  const section = page.split(/^### /m).find((part) => part.startsWith(`${type}\n`))
  expect(section).toContain(member)
})

it('llms-full.txt has every code of the BFF', async () => {
  const text = await textOf('llms-full.txt')
  for (const code of Object.keys(BFF_ERRORS)) expect(text).toContain(`### ${code}\n`)
})

/** Of English and TypeScript, as the tokenizers of models count them. */
const CHARACTERS_PER_TOKEN = 3.9

it('llms-full.txt has less than 60,000 tokens', async () => {
  const text = await textOf('llms-full.txt')
  expect(text.length / CHARACTERS_PER_TOKEN).toBeLessThan(60_000)
})

it('every link of the text leads to a text', async () => {
  const text = await textOf('llms-full.txt')
  const links = [...text.matchAll(/\]\((\/[^)#]+)/g)].map(([, path = '']) => path)
  expect(links.length).toBeGreaterThan(100)
  expect(links.filter((path) => !site.has(path))).toEqual([])
})

it.each(['BUDGET_EXHAUSTED', 'UPSTREAM_RATE_LIMITED'])(
  'the search finds %s, and its result opens',
  async (code) => {
    const search = new Walk(site)
    const page = await open(search)
    await page.goto(site.origin + (site.pages[0] ?? ''))
    // A page reacts to keys only after its scripts have run.
    await page.waitForFunction(() => '__vue_app__' in document.querySelector('#app')!)
    await page.keyboard.press('Control+k')
    await page.getByRole('searchbox').fill(code)
    await page.getByRole('option').filter({ hasText: code }).first().click()
    await page.getByRole('heading', { name: code }).first().waitFor()
    expect(search.problems).toEqual([])
  },
)

it.each([
  ['srt', /Captions/],
  ['csp', /Before production/],
  ['text to speech', /Text to speech/],
])('the search for "%s" finds its guide first', async (words, guide) => {
  const page = await browser.newPage()
  await page.goto(home())
  await page.waitForFunction(() => '__vue_app__' in document.querySelector('#app')!)
  await page.keyboard.press('Control+k')
  await page.getByRole('searchbox').fill(words)
  const found = page.getByRole('listbox').getByRole('option')
  await expect.poll(() => found.first().textContent()).toMatch(guide)
  await page.close()
})

it('every tab of the playground runs in its page', async () => {
  const play = new Walk(site)
  const page = await open(play)
  // The home page is the first.
  await page.goto(new URL('playground.html', site.origin + (site.pages[0] ?? '')).href)
  const sample = page.locator('.sample')
  const openTab = (name: string): Promise<void> => page.getByRole('tab', { name, exact: true }).click()
  await sample.getByText('success').waitFor()
  await openTab('Stream')
  await sample.getByRole('button', { name: 'Connect', exact: true }).click()
  await sample.getByText('open', { exact: true }).waitFor()
  await openTab('Captions')
  await sample.getByRole('button', { name: 'Say a sentence' }).click()
  await sample.getByText(/^Good morning everyone/).waitFor()
  await openTab('Speech')
  await sample.getByRole('button', { name: 'Read aloud' }).click()
  await sample.locator('mark').waitFor()
  await openTab('Meetings')
  await sample.getByText('20 of 60 meetings').waitFor()
  await openTab('Users')
  await sample.getByText("Ada's").first().waitFor()
  await openTab('Faults')
  // A fault applies to later requests, so wait for the first token.
  await sample.getByText('open', { exact: true }).waitFor()
  await sample.getByRole('radio', { name: 'no licence', exact: true }).check()
  await sample.getByText('AUTH_NO_LICENSE', { exact: true }).first().waitFor()
  expect(play.problems).toEqual([])
})

it('the home page has a stream in its first screen, which reconnects after a cut', async () => {
  const first = new Walk(site)
  const page = await open(first)
  await page.setViewportSize({ width: 1_280, height: 800 })
  await page.goto(home())
  const live = page.locator('.live.home')
  const isWhole = await live.evaluate((element) => element.getBoundingClientRect().bottom <= innerHeight)
  expect(isWhole).toBe(true)
  // Not by itself, for a reader who prefers less motion.
  expect(await live.getByRole('listitem').count()).toBe(0)
  await live.getByRole('button', { name: 'Play' }).press('Enter')
  await live.getByRole('listitem').filter({ hasText: /\w\.$/ }).first().waitFor()
  // It may be open again before a test could look.
  await live.getByRole('status').evaluate((status) => {
    const seen: string[] = []
    new MutationObserver(() => seen.push(status.textContent)).observe(status, {
      characterData: true,
      subtree: true,
    })
    Object.assign(globalThis, { seen })
  })
  await live.getByRole('button', { name: 'Cut the connection' }).press('Enter')
  await expect
    .poll(() => page.evaluate(() => (Reflect.get(globalThis, 'seen') as string[]).join(' ')))
    .toMatch(/^reconnecting .*\bopen$/)
  expect(await findViolations(page, 'home, running')).toEqual([])
  await page.setViewportSize({ width: 320, height: 800 })
  expect(await page.evaluate(() => document.documentElement.scrollWidth)).toBe(320)
  expect(first.problems).toEqual([])
})

it('the stream of the home page speaks by itself, until one presses Pause', async () => {
  const page = await browser.newPage({ reducedMotion: 'no-preference' })
  await page.goto(home())
  const live = page.locator('.live.home')
  await live.getByRole('listitem').filter({ hasText: /\w\.$/ }).first().waitFor()
  await live.getByRole('button', { name: 'Pause' }).click()
  await live.getByRole('button', { name: 'Play' }).waitFor()
  const texts = await live.getByRole('listitem').allInnerTexts()
  await page.waitForTimeout(2_000)
  expect(await live.getByRole('listitem').allInnerTexts()).toEqual(texts)
  await page.close()
})

/** The result of each button of "Why not by hand", by hand and with the hooks. */
const OUTCOMES = [
  ['Let the laptop sleep', /expired token again and again/, /Open again/],
  ['Refuse every handshake', /retries forever/, /Stopped, with an error for the user/],
  ['Ada leaves, Ben signs in', /reads Ada's words/, /nothing of Ada's/],
  ['Stop in mid-sentence', /before the end of the sentence/, /after the end of the sentence/],
  ['Ada sends 28 searches, Ben one', /Ben's only request is refused/, /nothing was refused/],
] as const

it('each button of "Why not by hand" breaks the code by hand, and not the hooks', async () => {
  const why = new Walk(site)
  const page = await open(why)
  await page.goto(new URL('why.html', home()).href)
  const verdicts = page.getByRole('status')
  for (const [button, byHand, hooks] of OUTCOMES) {
    await page.getByRole('button', { name: button }).press('Enter')
    await verdicts.filter({ hasText: byHand }).waitFor()
    await verdicts.filter({ hasText: hooks }).waitFor()
  }
  expect(await verdicts.allInnerTexts()).toHaveLength(2 * OUTCOMES.length)
  expect(await findViolations(page, 'why, after each failure')).toEqual([])
  await page.setViewportSize({ width: 320, height: 800 })
  expect(await page.evaluate(() => document.documentElement.scrollWidth)).toBe(320)
  expect(why.problems).toEqual([])
})

it('code can be copied with the keyboard', async () => {
  const page = await browser.newPage()
  await page.context().grantPermissions(['clipboard-read', 'clipboard-write'])
  await page.goto(home())
  await page.waitForFunction(() => '__vue_app__' in document.querySelector('#app')!)
  const block = page.locator('.language-ts').filter({ hasText: 'server.ts' })
  await block.getByRole('button', { name: 'Copy Code' }).press('Enter')
  await expect
    .poll(() => page.evaluate(() => navigator.clipboard.readText()))
    .toMatch(/^\/\/ server\.ts\nimport \{ createBff \}/)
  await page.close()
})

it('an unknown address shows a page that says so', async () => {
  const page = await browser.newPage({ reducedMotion: 'reduce' })
  const response = await page.goto(new URL('no/such/page.html', home()).href)
  expect(response?.status()).toBe(404)
  await page.getByRole('heading', { name: 'No page has this address' }).waitFor()
  await page.getByRole('link', { name: 'go to home' }).click()
  await page.getByRole('heading', { level: 1, name: 'Realtime voice in React' }).waitFor()
  await page.close()
})

it('every page has a title, a description and a picture for the preview of its link', async () => {
  const of = (html: string, name: string): string =>
    new RegExp(`<meta (?:property|name)="${name}" content="([^"]+)"`).exec(html)?.[1] ?? ''
  const seen = await Promise.all(
    site.pages.map(async (path) => {
      const html = await textOf(path)
      return [path, of(html, 'og:title'), of(html, 'og:description'), of(html, 'og:image')] as const
    }),
  )
  expect(seen.filter(([, title, description]) => title === '' || description === '')).toEqual([])
  expect(seen.filter(([, , , picture]) => !site.has(new URL(picture).pathname))).toEqual([])
  // The reference has the description of the site.
  const own = seen.filter(([path]) => !path.includes('/api/'))
  expect(new Set(own.map(([, , description]) => description)).size).toBeGreaterThan(own.length * 0.9)
})
