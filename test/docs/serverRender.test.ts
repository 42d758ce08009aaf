import { beforeAll, describe, expect, it } from 'vitest'
import type { ServerExample, Titled } from './rendered.js'
import {
  ADA,
  BOB,
  importServerExample,
  shownTitles,
  startVisitors,
  titlesOf,
  visitorOf,
  writeServerExample,
} from './rendered.js'

let example: ServerExample
beforeAll(async () => {
  example = await importServerExample(writeServerExample('server-example'))
})

/** The titles in the markup, and those in the dehydrated state. */
function readPage(html: string): { shown: string[]; state: string; dehydrated: string[] } {
  const shown = [...html.matchAll(/<li>(.*?)<\/li>/g)].map(([, title = '']) => title)
  const state = /<script id="state" type="application\/json">(.*?)<\/script>$/.exec(html)?.[1] ?? ''
  const { queries } = JSON.parse(state) as {
    queries: { state: { data: { pages: { meetings: Titled[] }[] } } }[]
  }
  const pages = queries.flatMap((query) => query.state.data.pages)
  return { shown, state, dehydrated: pages.flatMap(({ meetings }) => shownTitles(meetings)) }
}

describe('the server example of the React README', () => {
  it("renders the visitor's list, and puts it into the page's state", async () => {
    await using stack = await startVisitors()
    const titles = await titlesOf(stack, ADA)
    const seen: unknown[] = []
    stack.intercept((req, _res, next) => (seen.push(req), next()))

    const { shown, dehydrated } = readPage(await example.renderPage(visitorOf(stack, ADA)))
    expect(titles).toHaveLength(20)
    expect(dehydrated).toEqual(titles)
    expect(shown).toHaveLength(20)
    expect(shown[0]).toBe(titles[0])
    // The server sends itself no request.
    expect(seen).toEqual([])
  })

  it('separates visitors who are rendered at the same time', async () => {
    await using stack = await startVisitors()
    const [ada, bob] = await Promise.all(
      [ADA, BOB].map(async (cookie) => readPage(await example.renderPage(visitorOf(stack, cookie)))),
    )
    expect(ada?.dehydrated).toEqual(await titlesOf(stack, ADA))
    expect(bob?.dehydrated).toEqual(await titlesOf(stack, BOB))
    expect(bob?.dehydrated).not.toEqual(ada?.dehydrated)
  })

  it('has no token, no key and no cookie in the page', async () => {
    await using stack = await startVisitors()
    const html = await example.renderPage(visitorOf(stack, ADA))
    const { apiKey, credentials } = stack.upstream
    for (const secret of [apiKey, credentials.main, ADA, 'cookie-of-ada', 'session_key', 'stream_url'])
      expect(html).not.toContain(secret)
    expect(stack.upstream.counts.token).toBe(0)
  })

  it('keeps a title that looks like markup inside the data', async () => {
    await using stack = await startVisitors()
    const title = '</script><script>alert(1)</script>'
    for (const { id } of stack.upstream.meetings.all()) stack.upstream.meetings.update(id, { title })
    const html = await example.renderPage(visitorOf(stack, ADA))
    expect(html).not.toContain('<script>')
    expect(readPage(html).dehydrated[0]).toBe(title)
  })

  it('renders an empty list for a visitor who may see none, and dehydrates nothing', async () => {
    await using stack = await startVisitors()
    const { shown, dehydrated } = readPage(await example.renderPage(visitorOf(stack, '')))
    expect([shown, dehydrated]).toEqual([[], []])
    expect(stack.upstream.requests).toEqual([])
  })
})
