import { Agent, request } from 'node:http'
import { connect } from 'node:net'
import { afterEach, describe, expect, it, vi } from 'vitest'
import { WebSocket } from 'ws'
import {
  getMeetings,
  handshake,
  issueToken,
  listMeetings,
  openStream,
  postToken,
  TOKEN_PATH,
  until,
} from '../../node/client.test.kit.js'
import { createEmulator, type Emulator } from '../../node/createEmulator.js'
import type { Fault } from './Fault.js'
import {
  acceptThenClose,
  byteOrderMark,
  closeIdle,
  delay,
  drop,
  encoded,
  expireCursors,
  fail,
  hang,
  malformed,
  oddFields,
  refuse,
  respond,
} from './faults.js'

afterEach(() => {
  vi.useRealTimers()
})

const stt = { usage_type: 'stt' }
const statusOf = async (upstream: Emulator, body: object = stt) => (await postToken(upstream, body)).status

describe('use', () => {
  it('applies until it is removed', async () => {
    await using upstream = await createEmulator()
    const undo = upstream.use(fail('SPEND_CAP_REACHED'))
    expect([await statusOf(upstream), await statusOf(upstream)]).toEqual([403, 403])
    undo()
    undo()
    expect(await statusOf(upstream)).toBe(200)
  })

  it('tries the newest first, and removes each after its number of times', async () => {
    await using upstream = await createEmulator()
    upstream.use(fail('CACHE_UNAVAILABLE', { times: 2 }))
    upstream.use(fail('PAYMENT_PAST_DUE', { times: 1 }))
    const statuses: number[] = []
    while (statuses.length < 4) statuses.push(await statusOf(upstream))
    expect(statuses).toEqual([403, 502, 502, 200])
  })

  it('applies only to the product, the endpoint or the path that it names', async () => {
    await using upstream = await createEmulator()
    upstream.use(fail('CACHE_UNAVAILABLE', { product: 'vt' }))
    upstream.use(respond({ status: 503 }, { on: 'meetings', path: '/v1/tags' }))
    upstream.use(respond({ status: 418 }, { on: ['meeting'], path: /ings\/a/ }))
    expect(await statusOf(upstream)).toBe(200)
    expect(await statusOf(upstream, { usage_type: 'vt' })).toBe(502)
    expect((await getMeetings(upstream, '/meetings')).status).toBe(200)
    expect((await getMeetings(upstream, '/tags')).status).toBe(503)
    expect((await getMeetings(upstream, '/meetings/a')).status).toBe(418)
    expect((await getMeetings(upstream, '/meetings/b')).status).toBe(404)
  })
})

describe('an impossible fault', () => {
  it.each<[string, () => Fault, string]>([
    ['of an unknown code', () => fail('NOPE' as 'CACHE_UNAVAILABLE'), 'the contract has no such code'],
    ['on another endpoint', () => fail('CACHE_UNAVAILABLE', { on: 'tags' }), 'does not apply to "tags"'],
    ['malformed on a handshake', () => malformed('empty', { on: 'handshake' }), 'apply to "handshake"'],
    ['for no request', () => delay(1, { times: 0 }), 'times is 0'],
    [
      'a close after less than nothing',
      () => closeIdle({ afterMs: -1 }),
      'afterMs is -1. Give a number from 0.',
    ],
    ['a refusal with 200', () => refuse(200), 'refuse(200): it is not an error status. Give 400 to 599.'],
    ['a close reason of 124 bytes', () => acceptThenClose(1011, 'é'.repeat(62)), 'Give at most 123 bytes.'],
  ])('says so when it is made: %s', (_name, make, message) => {
    expect(make).toThrow(message)
  })

  it.each([0, 999, 1004, 1005, 1006, 1015, 2999, 5000, 9999, 1011.5, NaN])('is a close with %d', (code) => {
    expect(() => acceptThenClose(code)).toThrow(`acceptThenClose(${code}): no close frame can have this code`)
  })
})

describe('answer', () => {
  it('gives any status, body and headers', async () => {
    await using upstream = await createEmulator()
    const body = { code: 1, error_code: 'BRAND_NEW', message: 'x', req_id: 'y' }
    upstream.use(respond({ status: 409, body, headers: { 'retry-after': '3' } }, { on: 'token' }))
    const reply = await postToken(upstream, stt)
    expect(reply).toMatchObject({ status: 409, body })
    expect(reply.headers.get('retry-after')).toBe('3')
  })

  it('refuses an upgrade', async () => {
    await using upstream = await createEmulator()
    upstream.use(respond({ status: 401, body: { code: 'unauthorized' } }, { on: 'handshake', times: 1 }))
    expect(await handshake(upstream, {})).toEqual({
      type: 'refused',
      status: 401,
      body: { code: 'unauthorized' },
    })
  })
})

describe('oddFields', () => {
  const meetings = [{ id: 'a', title: 'A' }, { id: 'b' }]
  const rowsOf = async (upstream: Emulator, query = 'fields=title,duration&order=oldest') =>
    ((await getMeetings(upstream, `/meetings?${query}`)).body as { meetings: unknown[] }).meetings

  it('sends other values of one meeting or of all, the newest first, and only requested fields', async () => {
    await using upstream = await createEmulator({ meetings })
    upstream.use(oddFields({ title: { en: 'A' }, source: 5 }))
    upstream.use(oddFields({ title: 7, duration: undefined }, { id: 'b', on: 'list' }))
    expect(await rowsOf(upstream)).toEqual([
      { id: 'b', title: 7 },
      { id: 'a', title: { en: 'A' }, duration: 1_800 },
    ])
    expect((await getMeetings(upstream, '/meetings/b?fields=title')).body).toEqual({
      id: 'b',
      title: { en: 'A' },
    })
  })

  it('writes a bigint with all its digits', async () => {
    await using upstream = await createEmulator({ meetings })
    upstream.use(oddFields({ id: 9_007_199_254_740_993n, title: '9007199254740995' }, { id: 'a' }))
    const { meetingsUrl, meetingsCredential } = upstream
    const response = await fetch(`${meetingsUrl}/meetings?fields=title`, {
      headers: { authorization: `Bearer ${meetingsCredential}` },
    })
    expect(await response.text()).toContain('{"id":9007199254740993,"title":"9007199254740995"}')
  })
})

describe('expireCursors', () => {
  it('refuses the pages that have a cursor, and no others', async () => {
    await using upstream = await createEmulator()
    upstream.use(expireCursors({ status: 410, times: 1 }))
    const read = async (path: string) => (await getMeetings(upstream, path)).status
    const { next_cursor } = await listMeetings(upstream, { limit: '1' })
    const next = `/meetings?limit=1&cursor=${next_cursor}`
    expect([await read('/meetings'), await read('/tags'), await read(next), await read(next)]).toEqual([
      200, 200, 410, 200,
    ])
  })
})

describe('delay', () => {
  it('adds up with other delays, and other faults still apply', async () => {
    await using upstream = await createEmulator()
    upstream.use(fail('CACHE_UNAVAILABLE', { times: 1 }))
    upstream.use(delay(20, { on: 'token', times: 1 }))
    upstream.use(delay(20, { on: 'token', times: 1 }))
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] })
    const delayed = statusOf(upstream)
    await until(() => upstream.requests[0]?.body !== undefined)
    vi.advanceTimersByTime(39)
    expect(upstream.requests[0]).toMatchObject({ status: null })
    vi.advanceTimersByTime(1)
    expect(await delayed).toBe(502)
    expect(await statusOf(upstream)).toBe(200)
  })

  it('is cancelled when the client leaves', async () => {
    await using upstream = await createEmulator()
    upstream.use(delay(60_000))
    const controller = new AbortController()
    const request = fetch(upstream.baseUrl + TOKEN_PATH, {
      method: 'POST',
      body: '{}',
      signal: controller.signal,
    })
    await until(() => upstream.requests.length === 1)
    controller.abort()
    await expect(request).rejects.toThrow('aborted')
    await until(() => upstream.requests[0]?.aborted === true)
    expect(upstream.requests[0]).toMatchObject({ status: null })
  })
})

describe('drop', () => {
  it.each(['before-reading', 'after-reading'] as const)(
    '%s: the client gets no response, and the request has no effect',
    async (when) => {
      await using upstream = await createEmulator()
      upstream.use(drop({ when, on: 'token', times: 1 }))
      await expect(postToken(upstream, stt)).rejects.toThrow('fetch failed')
      expect(upstream.tokens.size).toBe(0)
      expect(upstream.requests[0]).toMatchObject({
        status: null,
        aborted: false,
        body: when === 'before-reading' ? undefined : stt,
      })
      expect(await statusOf(upstream)).toBe(200)
    },
  )

  it('mid-response: half of the response, although the token was created', async () => {
    await using upstream = await createEmulator()
    upstream.use(drop({ when: 'mid-response', times: 1 }))
    await expect(postToken(upstream, stt)).rejects.toThrow('terminated')
    expect(upstream.tokens.size).toBe(1)
  })

  it('a handshake gets no response, whenever it is dropped', async () => {
    await using upstream = await createEmulator()
    for (const when of ['before-reading', 'after-reading', 'mid-response'] as const) {
      upstream.use(drop({ when, on: 'handshake', times: 1 }))
      expect(await handshake(upstream, {})).toEqual({ type: 'broken' })
    }
  })
})

describe('malformed', () => {
  async function get(upstream: Emulator, fault: Fault): Promise<{ response: Response; text: string }> {
    upstream.use(fault)
    const response = await fetch(`${upstream.meetingsUrl}/tags`, { redirect: 'manual' })
    return { response, text: await response.text() }
  }

  it.each([
    ['bad-json', 200, '{"code":0,'],
    ['wrong-shape', 200, '{"ok":true,'],
    ['empty', 200, ''],
    ['html', 502, '<html>'],
    ['redirect', 302, ''],
  ] as const)('%s: %i, or a status of its own', async (kind, usual, start) => {
    await using upstream = await createEmulator()
    for (const status of [undefined, 200, 418, 503]) {
      const { response, text } = await get(upstream, malformed(kind, { status, times: 1 }))
      expect(response.status).toBe(status ?? usual)
      expect(text.startsWith(start)).toBe(true)
      expect(upstream.requests.at(-1)).toMatchObject({ status: status ?? usual })
    }
  })

  it('redirect: to the location that is given', async () => {
    await using upstream = await createEmulator()
    const { response } = await get(upstream, malformed('redirect', { location: 'http://127.0.0.1:1/x' }))
    expect(response.headers.get('location')).toBe('http://127.0.0.1:1/x')
  })

  it('oversized: the requested number of bytes, and valid JSON', async () => {
    await using upstream = await createEmulator()
    const { text } = await get(upstream, malformed('oversized', { bytes: 300_000 }))
    expect(text).toHaveLength(300_002)
    expect(JSON.parse(text)).toEqual({})
  })

  it('endless: a body that never ends, until the client leaves', async () => {
    await using upstream = await createEmulator()
    upstream.use(malformed('endless'))
    const controller = new AbortController()
    const response = await fetch(`${upstream.meetingsUrl}/tags`, { signal: controller.signal })
    const reader = response.body?.getReader()
    for (let chunk = 0; chunk < 3; chunk += 1) expect((await reader?.read())?.done).toBe(false)
    controller.abort()
    await until(() => upstream.requests[0]?.aborted === true)
  })
})

describe('hang', () => {
  it('never answers a request', async () => {
    await using upstream = await createEmulator()
    upstream.use(hang({ on: 'token' }))
    const request = postToken(upstream, stt)
    await until(() => upstream.requests.length === 1)
    upstream.reset()
    await expect(request).rejects.toThrow('fetch failed')
    expect(await statusOf(upstream)).toBe(200)
  })

  it.each(['end', 'resetAndDestroy'] as const)(
    'notices that the client of a handshake has left (%s)',
    async (leave) => {
      await using upstream = await createEmulator()
      upstream.use(hang({ on: 'handshake' }))
      const connection = connect(Number(new URL(upstream.baseUrl).port), '127.0.0.1')
      connection.write('GET /stt HTTP/1.1\r\nHost: x\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n\r\n')
      await until(() => upstream.counts.handshake === 1)
      connection[leave]()
      await until(() => upstream.requests[0]?.aborted === true)
      expect(upstream.requests[0]).toMatchObject({ path: '/stt', status: null })
    },
  )

  it('never answers a handshake', async () => {
    await using upstream = await createEmulator()
    upstream.use(hang({ on: 'handshake' }))
    const socket = new WebSocket(`${upstream.streamingUrl}/stt`)
    const failed = new Promise<Error>((resolve) => socket.once('error', resolve))
    await until(() => upstream.counts.handshake === 1)
    expect(socket.readyState).toBe(socket.CONNECTING)
    await upstream.close()
    expect(await failed).toBeInstanceOf(Error)
  })
})

describe('closeIdle', () => {
  /** Sends one request on the connection of `agent`. */
  const statusOver = (upstream: Emulator, agent: Agent): Promise<number | string> =>
    new Promise((resolve) => {
      const asked = request(`${upstream.meetingsUrl}/tags`, { agent }, (response) => {
        response.resume().on('end', () => setImmediate(() => resolve(response.statusCode ?? 0)))
      })
      asked.on('error', ({ code }: NodeJS.ErrnoException) => resolve(code ?? 'failed')).end()
    })

  it('answers the first request of a connection, and loses the next one', async () => {
    await using upstream = await createEmulator()
    const agent = new Agent({ keepAlive: true, maxSockets: 1 })
    upstream.use(closeIdle({ on: 'meetings' }))
    const seen: unknown[] = []
    for (let count = 0; count < 4; count += 1) seen.push(await statusOver(upstream, agent))
    expect(seen).toEqual([401, 'ECONNRESET', 401, 'ECONNRESET'])
    agent.destroy()
  })

  it('closes only a connection that was idle for long enough, on the clock of the emulator', async () => {
    let now = 0
    await using upstream = await createEmulator({ now: () => now })
    const agent = new Agent({ keepAlive: true, maxSockets: 1 })
    upstream.use(closeIdle({ afterMs: 300, times: 1 }))
    const seen: unknown[] = []
    for (const idleMs of [0, 299, 300, 300]) {
      now += idleMs
      seen.push(await statusOver(upstream, agent))
    }
    expect(seen).toEqual([401, 401, 'ECONNRESET', 401])
    agent.destroy()
  })
})

describe('encoded and byteOrderMark', () => {
  const ask = (upstream: Emulator, path = '/tags') =>
    fetch(upstream.meetingsUrl + path, {
      headers: { authorization: `Bearer ${upstream.meetingsCredential}`, 'accept-encoding': 'identity' },
    })

  it.each(['gzip', 'br', 'deflate'] as const)('encodes any response with %s', async (coding) => {
    await using upstream = await createEmulator()
    const plain = await (await ask(upstream)).text()
    upstream.use(respond({ status: 503, body: 'x'.repeat(1_000) }, { path: '/v1/meetings' }))
    upstream.use(malformed('oversized', { on: 'meeting', bytes: 1_000_000 }))
    upstream.use(encoded(coding))
    const response = await ask(upstream)
    expect(response.headers.get('content-encoding')).toBe(coding)
    expect(await response.text()).toBe(plain)
    expect(await (await ask(upstream, '/meetings')).text()).toBe('x'.repeat(1_000))
    const bomb = await ask(upstream, '/meetings/m1')
    expect(Number(bomb.headers.get('content-length'))).toBeLessThan(10_000)
    expect((await bomb.text()).length).toBe(1_000_002)
  })

  it('begins any response with a byte order mark, also an encoded one', async () => {
    await using upstream = await createEmulator()
    const plain = new Uint8Array(await (await ask(upstream)).arrayBuffer())
    upstream.use(byteOrderMark())
    const expected = Buffer.from([0xef, 0xbb, 0xbf, ...plain])
    expect(Buffer.from(await (await ask(upstream)).arrayBuffer())).toEqual(expected)
    upstream.use(encoded('gzip'))
    expect(Buffer.from(await (await ask(upstream)).arrayBuffer())).toEqual(expected)
  })
})

describe('acceptThenClose', () => {
  it('opens for any token and closes at once, with the code and the reason', async () => {
    await using upstream = await createEmulator()
    upstream.use(acceptThenClose(1013, 'try later', { times: 1 }))
    const result = await handshake(upstream, {})
    expect(result.type === 'open' && (await result.client.closed)).toEqual({
      code: 1013,
      reason: 'try later',
    })
    expect(upstream.sockets).toEqual([])
    expect((await openStream(upstream, 'stt')).socket.readyState).toBe(WebSocket.OPEN)
  })
})

it('a token request that a fault answers counts for no limit and creates no token', async () => {
  await using upstream = await createEmulator({ now: () => 0 })
  const undo = upstream.use(fail('RATE_LIMIT_EXCEEDED'))
  for (let request = 0; request < 40; request += 1) await getMeetings(upstream, '/tags')
  undo()
  expect((await getMeetings(upstream, '/tags')).status).toBe(200)
  expect(await issueToken(upstream, stt)).toBeDefined()
})
