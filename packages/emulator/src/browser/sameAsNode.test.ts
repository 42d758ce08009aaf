import type { TransportError } from '@stagepass/contract'
import * as fc from 'fast-check'
import { afterAll, beforeEach, describe, expect, it } from 'vitest'
import type { Fault } from '../core/faults/Fault.js'
import { byteOrderMark, delay, drop, encoded, fail, malformed, respond } from '../core/faults/faults.js'
import { TOKEN_PATH } from '../node/client.test.kit.js'
import { createEmulator, type Emulator } from '../node/createEmulator.js'
import { anyTarget, anyTokenBody, runs } from '../node/fuzz.test.kit.js'
import { createBrowserEmulator } from './createBrowserEmulator.js'

/*
 * The same requests to the emulator on Node, over real HTTP, and to the emulator in the page, over its
 * transport. The responses for a BFF must be equal to the byte. The tests of the core check them for the
 * emulator on Node.
 */

const NOW = Date.UTC(2026, 0, 5, 9)
/** What the emulators could not answer. */
const errors: unknown[] = []
const onError = (error: unknown): void => void errors.push(error)
const options = { seed: 7, now: () => NOW, retryAfter: true, onError }
const inPage = createBrowserEmulator(options)
let onNode: Emulator

beforeEach(async () => {
  onNode ??= await createEmulator(options)
  onNode.reset()
  inPage.reset()
})
afterAll(() => onNode.close())

type Side = Pick<Emulator, 'baseUrl' | 'meetingsUrl' | 'apiKey' | 'meetingsCredential'>

interface Asked {
  readonly url: (side: Side) => string
  readonly init: (side: Side) => RequestInit
}

const mint = (body: unknown, init: RequestInit = {}): Asked => ({
  url: ({ baseUrl }) => baseUrl + TOKEN_PATH,
  init: ({ apiKey }) => ({
    method: 'POST',
    headers: { authorization: `api-key ${apiKey}`, 'content-type': 'application/json' },
    body: typeof body === 'string' ? body : JSON.stringify(body),
    ...init,
  }),
})

const read = (path: string, init: RequestInit = {}): Asked => ({
  url: ({ meetingsUrl }) => meetingsUrl + path,
  init: ({ meetingsCredential }) => ({ headers: { authorization: `Bearer ${meetingsCredential}` }, ...init }),
})

const MAX_BYTES = 150_000

/** A response for a BFF: status, its headers and the body, or no response. */
type Seen = object | string

// The sentence after the colon comes from the platform.
const withoutSentence = (text: string): string => text.replace(/(could not answer:).*/, '$1')

async function askOnNode({ url, init }: Asked): Promise<Seen> {
  try {
    const response = await fetch(url(onNode), { redirect: 'manual', ...init(onNode) })
    const [date, retryAfter, contentType, location] = 'date retry-after content-type location'
      .split(' ')
      .map((name) => response.headers.get(name) ?? undefined)
    const text = await response.text()
    if (Buffer.byteLength(text) > MAX_BYTES) return 'too-large'
    return { status: response.status, text: withoutSentence(text), date, retryAfter, contentType, location }
  } catch {
    return 'unreachable'
  }
}

const never = new AbortController().signal

async function askInPage({ url, init }: Asked): Promise<Seen> {
  const { method = 'GET', body } = init(inPage)
  const { origin, pathname, search } = new URL(url(inPage))
  // With the media type that `fetch` sets for a text.
  const { headers } = new Request(url(inPage), init(inPage))
  try {
    const response = await inPage.bffOptions.transport.send(
      {
        method: method as 'GET' | 'POST', // the transport passes on any
        origin,
        path: pathname + search,
        headers: Object.fromEntries(headers),
        body: (body ?? undefined) as string | undefined, // the requests here have no other
        maxBytes: MAX_BYTES,
      },
      never,
    )
    return { ...response, text: withoutSentence(response.text) }
  } catch (error) {
    return (error as TransportError).kind
  }
}

async function expectSame(asked: Asked): Promise<Seen> {
  const expected = await askOnNode(asked)
  expect(await askInPage(asked)).toEqual(expected)
  return expected
}

const REQUESTS: Readonly<Record<string, Asked>> = {
  'a token': mint({ usage_type: 'stt' }),
  'a token with a TTL': mint({ usage_type: 'vt', expiration_ttl: 1_440, metadata: { session_id: 'ä' } }),
  'a product that is not there': mint({ usage_type: 'x' }),
  'a body that is no JSON': mint('{'),
  'a key that is wrong': mint({ usage_type: 'stt' }, { headers: { authorization: 'api-key nothing' } }),
  'no key': mint({ usage_type: 'stt' }, { headers: {} }),
  'a wrong method': mint('', { method: 'PUT' }),
  'a body that is too long': mint('x'.repeat(1_024 * 1_024 + 1)),
  'the list': read('/meetings'),
  'a narrow list': read('/meetings?limit=3&ownership=mine&sort_by=duration&order=oldest&fields=title'),
  'a search': read('/meetings?q=review+%C3%A4&from=2025-01-01'),
  'a wrong field': read('/meetings?fields=nonsense'),
  'a wrong cursor': read('/meetings?cursor=nonsense'),
  'an unknown meeting': read('/meetings/nonsense'),
  'a meeting with an odd name': read('/meetings/%F0%9F%98%80%2F..'),
  'the tags': read('/tags'),
  'no credential': read('/meetings', { headers: {} }),
  'an unknown path': read('/nonsense?x=1'),
  'two headers of a name': read('/meetings', {
    headers: [
      ['x-a', '1'],
      ['x-a', '2'],
    ],
  }),
}

describe('a request to the emulator in the page is answered as on Node', () => {
  it.each(Object.entries(REQUESTS))('%s', async (_name, asked) => {
    await expectSame(asked)
    expect(withoutHost(inPage.requests)).toEqual(withoutHost(onNode.requests))
  })

  it('page after page', async () => {
    let cursor: string | null = ''
    let pages = 0
    while (cursor !== null) {
      const page = await expectSame(
        read(`/meetings?limit=50${cursor && `&cursor=${encodeURIComponent(cursor)}`}`),
      )
      cursor = (JSON.parse((page as { text: string }).text) as { next_cursor: string | null }).next_cursor
      pages += 1
    }
    expect(pages).toBeGreaterThan(1)
  })

  it('over the rate limit', async () => {
    const seen: unknown[] = []
    for (let count = 0; count < 27; count += 1) seen.push(await expectSame(read('/tags')))
    expect(seen.at(-1)).toMatchObject({ status: 429, retryAfter: '5' })
  })

  it.each<[name: string, fault: Fault, asked?: Asked]>([
    ['a code', fail('AUTH_NO_LICENSE')],
    ['an answer of another shape', respond({ status: 503, body: 'later', headers: { 'x-own': 'yes' } })],
    ['an answer without a body', respond({ status: 204 })],
    ['a status that HTTP has not', respond({ status: 1_000 })],
    ['a header that HTTP has not', respond({ status: 200, headers: { 'x-own': 'a\nb' } })],
    ['a body that JSON cannot hold', respond({ status: 200, body: { big: 1n } })],
    ['a drop', drop()],
    ['a drop before reading', drop({ when: 'before-reading' })],
    ['a drop in the middle', drop({ when: 'mid-response' })],
    ['a delay', delay(20)],
    ['gzip', encoded('gzip')],
    ['a byte order mark', byteOrderMark()],
    ['a redirect', malformed('redirect')],
    ['cut JSON', malformed('bad-json')],
    ['nothing', malformed('empty')],
    ['a page of a proxy', malformed('html')],
    ['another shape', malformed('wrong-shape')],
    ['too much', malformed('oversized', { bytes: 200_000 })],
  ])('under the fault %s', async (_name, fault) => {
    onNode.use(fault)
    inPage.use(fault)
    await expectSame(mint({ usage_type: 'stt' }))
    await expectSame(read('/meetings?limit=1'))
  })

  it('whatever a client sends, with a status of the contract', async () => {
    const asked = fc.oneof(
      anyTarget.map((target) => read(target)),
      anyTokenBody.map((body) => mint(body)),
    )
    errors.length = 0
    await fc.assert(
      fc.asyncProperty(fc.array(asked, { minLength: 1, maxLength: 6 }), async (list) => {
        onNode.reset()
        inPage.reset()
        for (const one of list)
          expect([200, 400, 404, 409]).toContain(Reflect.get(Object(await expectSame(one)), 'status'))
      }),
      runs(60),
    )
    expect(errors).toEqual([])
  })
})

/** The headers of a request, except for those that an HTTP client adds. */
function withoutHost(requests: Emulator['requests']): unknown {
  return requests.map(({ headers, ...request }) => ({
    ...request,
    headers: [headers.authorization, headers['content-type'], headers['x-a']],
  }))
}
