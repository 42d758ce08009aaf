import { PRODUCT_NAMES } from '@stagepass/contract'
import type { Product } from '@stagepass/contract'
import { expect, it, vi } from 'vitest'
import { DemoPage } from './support/DemoPage.js'
import { sentRecording } from './support/recording.js'
import { readHeap } from './support/readHeap.js'
import { placesOf, readPage, recordAnswers } from './support/searchPage.js'
import { shareDemo } from './support/shareDemo.js'

// On an emulator as the real service, so that the test sees the service's side of everything.
const demo = shareDemo({ recordFrames: Infinity })

const SOUND_PRODUCTS = ['stt', 'vt', 'viva'] as const satisfies readonly Product[]

/** All sound that the service got for a product, in the order of arrival. */
function soundAt(product: Product): Buffer {
  const frames = demo.upstream.frames.filter((frame) => frame.product === product).map(({ data }) => data)
  return Buffer.concat(frames.filter((data) => typeof data !== 'string'))
}

const tokensOf = (product: Product) => demo.upstream.tokens.all().filter((token) => token.product === product)

/**
 * Runs in the page. A busy browser reports several changes of visibility at once, the oldest first; here it
 * always does.
 */
function reportInBatches(): void {
  const Native = IntersectionObserver
  window.IntersectionObserver = class extends Native {
    constructor(report: IntersectionObserverCallback, options?: IntersectionObserverInit) {
      super((changes, observer) => {
        const before = { isIntersecting: false } as IntersectionObserverEntry
        report([before, ...changes], observer)
      }, options)
    }
  }
}

it('does the main job on a real recording, and holds no secret', async () => {
  const context = await demo.browser.newContext()
  await context.addInitScript(reportInBatches)
  const answersOf = recordAnswers(context)
  const page = await context.newPage()
  const problems: string[] = []
  page.on('pageerror', (error) => problems.push(error.message))
  page.on('console', (message) => message.type() === 'error' && problems.push(message.text()))
  const heard = new Map<string, number>()
  page.on('websocket', (socket) => {
    const path = new URL(socket.url()).pathname
    socket.on('framereceived', ({ payload }) => {
      if (typeof payload !== 'string') heard.set(path, (heard.get(path) ?? 0) + payload.length)
    })
  })
  const ui = new DemoPage(page)
  await page.goto(demo.url)

  // Takes a session token through the BFF for each product, and opens its socket with it. Streams the
  // recording to those that take sound, in real time, and its words to the one that takes text.
  await ui.press('tts', 'Speak')
  await ui.sendRecording(SOUND_PRODUCTS)
  expect(demo.upstream.sockets.map(({ product }) => product).toSorted()).toEqual(PRODUCT_NAMES.toSorted())
  expect(PRODUCT_NAMES.map((product) => tokensOf(product).length)).toEqual([1, 1, 1, 1])
  for (const product of SOUND_PRODUCTS) {
    // The last frames may still be in flight.
    await vi.waitFor(() => expect(soundAt(product).length).toBe(sentRecording(product).length))
    expect(
      soundAt(product).equals(sentRecording(product)),
      `${product} got the recording, byte for byte`,
    ).toBe(true)
  }
  await ui.show('tts')
  await ui.card('tts').locator('.spoken').getByText('And', { exact: true }).waitFor()
  await vi.waitFor(() => expect(heard.get('/tts')).toBeGreaterThan(32_000))
  await vi.waitFor(() => expect(heard.get('/voice-isolation')).toBe(sentRecording('viva').length))
  await vi.waitFor(() => expect(heard.get('/vt')).toBe(sentRecording('vt').length))
  await ui.show('stt')
  await ui.card('stt').getByText('Good morning everyone').waitFor()
  await ui.show('vt')
  await ui.card('vt').getByText('Buenos días a todos').waitFor()

  // Renews a token: the stream changes to a socket with the new token, and continues to work.
  const [first] = tokensOf('stt')
  await ui.renew('stt').click()
  await vi.waitFor(() => expect(tokensOf('stt')).toHaveLength(2))
  const [, second] = tokensOf('stt')
  await vi.waitFor(() => {
    const keys = demo.upstream.sockets
      .filter(({ product }) => product === 'stt')
      .map(({ sessionKey }) => sessionKey)
    expect(keys).toEqual([second!.sessionKey])
  })
  demo.upstream.tokens.update(first!.sessionKey, { expiresAtMs: demo.upstream.clock.now() })
  expect(await ui.status('stt').getAttribute('data-status')).toBe('open')

  // Pages through filtered meetings, to the end.
  await ui.show('meetings')
  const meetings = ui.meetings()
  const rows = meetings.locator('li h4')
  await meetings.getByLabel('Whose').selectOption('Yours')
  await meetings.getByLabel('Order').selectOption('Longest')
  await meetings.getByLabel('Search').fill('planning')
  const mine = demo.upstream.meetings
    .all()
    .filter(
      ({ processing, visibility, holder }) => !processing && visibility === 'owned' && holder === undefined,
    )
  const wanted = mine.filter(({ title, notes, participants }) =>
    JSON.stringify({ title, notes, participants }).toLowerCase().includes('planning'),
  )
  expect(wanted.length).toBeGreaterThan(2)
  await meetings.getByText(`${wanted.length} of ${wanted.length} meetings`).waitFor()
  expect(await rows.count()).toBe(wanted.length)

  await meetings.getByLabel('Search').fill('')
  const all = meetings.getByText(`${mine.length} of ${mine.length} meetings`)
  await vi.waitFor(
    async () => {
      await page.evaluate(() => scrollTo(0, document.documentElement.scrollHeight))
      expect(await all.isVisible()).toBe(true)
    },
    { interval: 100 },
  )
  const titles = (await rows.allInnerTexts()).map((text) => text.split('\n')[0])
  const titlesOf = (list: typeof mine) => list.map(({ title }) => title ?? 'Untitled meeting')
  expect(new Set(titles)).toEqual(new Set(titlesOf(mine)))
  expect(titles).toHaveLength(mine.length)
  const [longest] = mine.toSorted((one, other) => other.duration - one.duration)
  expect(titles[0]).toBe(longest?.title)

  // The page contains no secret.
  const places = await readPage(page)
  const answers = await answersOf()
  const heap = await readHeap(page)
  expect(answers.size).toBeGreaterThan(20)
  expect(heap.includes(second!.sessionKey), 'the search would find a secret').toBe(true)
  for (const [name, secret] of [
    ['API key', demo.upstream.apiKey],
    ['meetings credential', demo.upstream.meetingsCredential],
  ] as const) {
    expect(placesOf(secret, places), `${name} in the page`).toEqual([])
    expect(placesOf(secret, answers), `${name} in an answer`).toEqual([])
    expect(heap.includes(secret), `${name} on the heap`).toBe(false)
  }
  for (const { sessionKey } of demo.upstream.tokens.all()) {
    expect(placesOf(sessionKey, places), 'a session token in the page').toEqual([])
    const carriers = placesOf(sessionKey, answers).map((name) => name.replace(/ #\d+$/, ''))
    expect(carriers).toEqual([`POST ${demo.url}/api/voice/session-token`])
  }
  expect(problems).toEqual([])
  await context.close()
})
