import { once } from 'node:events'
import { type IncomingMessage, request } from 'node:http'
import { redisEval } from '@stagepass/budget'
import { delay, drop, fail, hang, malformed } from '@stagepass/emulator'
import { startRedis } from '@stagepass/testing'
import { describe, expect, it, vi } from 'vitest'
import type { Host } from './startHost.test.kit.js'
import { startWorkerd } from './startWorkerd.test.kit.js'

/*
 * In Cloudflare Workers the timers and upstream requests of a request end with it. Other requests of the
 * isolate may wait for them.
 */

const post = (body: object) => ({ method: 'POST', body: JSON.stringify(body) })
const lists = ({ upstream }: Host): number => upstream.counts.list

describe.each([
  ['an isolate', false],
  ['a Durable Object', true],
])('the requests of %s', (_, inObject) => {
  it('share one upstream request for the same page', async () => {
    await using host = await startWorkerd({ inObject })
    host.upstream.use(delay(200))
    const answers = await Promise.all(Array.from({ length: 10 }, () => host.ask('/meetings')))
    expect(answers.map(({ status }) => status)).toEqual(Array.from({ length: 10 }, () => 200))
    expect(lists(host)).toBe(1)
  })

  it('wait for slots of the budget, even after the request before them has ended', async () => {
    await using host = await startWorkerd({ inObject })
    const ask = (q: number) =>
      host.ask(`/meetings?q=${q}`, { headers: { 'x-user': `user-${q % 5}` } }).then(({ status }) => status)
    const statuses = await Promise.all(Array.from({ length: 30 }, (_each, q) => ask(q)))
    expect(statuses).toEqual(Array.from({ length: 30 }, () => 200))
    expect(host.upstream.requests.filter(({ status }) => status === 429)).toEqual([])
  })

  it('refresh a stale page after the response', async () => {
    await using host = await startWorkerd({ inObject, meetings: { cacheMs: 500 } })
    const titleOf = async () => {
      const { text } = await host.ask('/meetings?limit=1&fields=title')
      return (JSON.parse(text) as { meetings: { id: string; title: string }[] }).meetings[0]
    }
    const before = await titleOf()
    host.upstream.meetings.update(before?.id ?? '', { title: 'Changed' })
    host.upstream.use(delay(100))
    await vi.waitFor(async () => {
      await titleOf()
      expect(lists(host)).toBeGreaterThan(1)
    })
    await vi.waitFor(async () => expect((await titleOf())?.title).toBe('Changed'))
  })

  it('fetch a new key after the response', async () => {
    // The content of the response does not matter.
    await using host = await startWorkerd({ inObject, keyPath: '/tags' })
    host.upstream.use(delay(100, { on: 'tags' }))
    // The second fetch happens after a response. If it never ended, the isolate would wait for the key
    // forever.
    await vi.waitFor(async () => {
      expect((await host.ask('/session-token', post({ usage_type: 'stt' }))).status).toBe(200)
      expect(host.upstream.counts.tags).toBeGreaterThan(3)
    })
  })

  it('end at the deadline if the service is silent, and leave nothing behind', async () => {
    await using host = await startWorkerd({ inObject, deadlineMs: 400 })
    const undo = host.upstream.use(hang())
    const [list, token] = await Promise.all([
      host.ask('/meetings'),
      host.ask('/session-token', post({ usage_type: 'stt' })),
    ])
    expect([list.status, token.status]).toEqual([504, 504])
    undo()
    await vi.waitFor(async () => expect((await host.ask('/meetings')).status).toBe(200))
    expect(await host.gauge()).toMatchObject({ inFlight: 0, waiting: 0 })
  })
})

describe.each([
  ['an isolate', false],
  ['a Durable Object', true],
])('server code in %s', (_, inObject) => {
  it('S59 reads and mints, with the pages and limits of the routes', async () => {
    await using host = await startWorkerd({ inObject, limits: { meetingsPerMinute: 4, tokensPerMinute: 1 } })
    const list = await host.as('meetings')
    expect(list).toMatchObject({ meetings: [{ title: expect.any(String) }] })
    expect(JSON.parse((await host.ask('/meetings?limit=1&fields=title')).text)).toEqual(list)
    expect(lists(host)).toBe(1)
    expect(await host.as('fetch')).toMatchObject({ tags: expect.any(Array) })
    expect(await host.as('token')).toMatchObject({ usage_type: 'stt' })
    const refused = { code: 'RATE_LIMITED', requestId: expect.any(String) }
    expect(await host.as('token')).toEqual(refused)
    await host.ask('/tags')
    expect(await host.as('meetings')).toEqual(refused)
    const doors = (await host.readEvents()).flatMap((event) =>
      event.type === 'request.finished' && event.route === 'meetings' ? [event.via] : [],
    )
    expect(doors).toEqual(['server', undefined, 'server'])
  })

  it('shares a request with pages, after the call that began it has left', async () => {
    await using host = await startWorkerd({ inObject })
    host.upstream.use(delay(600))
    const [left, ...stayed] = await Promise.all([
      host.as('meetings?q=a&patience=300'),
      host.as('meetings?q=a'),
      host.ask('/meetings?q=a&limit=1&fields=title').then(({ text }) => JSON.parse(text) as unknown),
      host.as('meetings?q=a'),
    ])
    expect(left).toContain('TimeoutError')
    for (const page of stayed) expect(page).toMatchObject({ meetings: expect.any(Array) })
    expect(await host.gauge()).toMatchObject({ inFlight: 0, waiting: 0 })
  })

  it('refreshes a stale page after its call', async () => {
    await using host = await startWorkerd({ inObject, meetings: { cacheMs: 500 } })
    await host.as('meetings')
    host.upstream.use(delay(100))
    await vi.waitFor(async () => {
      await host.as('meetings')
      expect(lists(host)).toBeGreaterThan(2)
    })
  })
})

describe('the way out', () => {
  const mint = async (host: Host) => {
    const { text } = await host.ask('/session-token', post({ usage_type: 'stt' }))
    return JSON.parse(text) as { session_key: string; error_code?: string }
  }
  const check = async (host: Host, session_key: string): Promise<unknown> => {
    const { text } = await host.ask('/handshake-check', post({ usage_type: 'stt', session_key }))
    return JSON.parse(text)
  }

  it('tries a handshake with a header', async () => {
    await using host = await startWorkerd()
    const { session_key } = await mint(host)
    expect(await check(host, session_key)).toEqual({ ok: true })
    expect(host.upstream.requests.at(-1)?.headers.authorization).toBe(`api-key ${session_key}`)
    await vi.waitFor(() => expect(host.upstream.sockets).toEqual([]))
    for (const refuseBy of ['status', 'frame', 'close'] as const) {
      const undo = host.upstream.use(fail('invalid_api_key', { refuseBy }))
      expect(await check(host, session_key)).toMatchObject({ ok: false, error_code: 'invalid_api_key' })
      undo()
    }
    host.upstream.use(drop({ on: 'handshake' }))
    expect(await check(host, session_key)).toMatchObject({ error_code: 'UPSTREAM_UNREACHABLE' })
  })

  it.each([
    ['a drop', drop({ on: 'token' }), 'UPSTREAM_UNREACHABLE'],
    ['a redirect', malformed('redirect', { on: 'token' }), 'UPSTREAM_MALFORMED'],
    ['too long a body', malformed('oversized', { on: 'token' }), 'UPSTREAM_MALFORMED'],
    ['a page of a proxy', malformed('html', { on: 'token' }), 'UPSTREAM_ERROR'],
  ])('takes %s for what it is', async (_what, fault, code) => {
    await using host = await startWorkerd()
    host.upstream.use(fault)
    expect((await mint(host)).error_code).toBe(code)
  })

  it('S12 sends no header of the browser', async () => {
    await using host = await startWorkerd()
    await host.ask('/tags', {
      headers: { cookie: 'a=b', authorization: 'Bearer mine', 'x-forwarded-for': '1.1.1.1' },
    })
    const { headers } = host.upstream.requests[0] ?? {}
    expect(headers).toMatchObject({ authorization: `Bearer ${host.upstream.meetingsCredential}` })
    // The runtime adds this header, which names the worker.
    const own = ['cf-worker', 'cf-connecting-ip']
    const others = Object.keys(headers ?? {}).filter((name) => !own.includes(name))
    expect(others.filter((name) => /cookie|forwarded|cf-|x-/.test(name))).toEqual([])
  })
})

it('a short body is read before a refusal: otherwise a Worker that forwards it to an object would fail', async () => {
  await using host = await startWorkerd({ inObject: true })
  const refused = { ...post({ usage_type: 'stt' }), headers: { 'x-stagepass': '0' } }
  for (let time = 0; time < 3; time++) {
    const { status, headers } = await host.ask('/session-token', refused)
    expect([status, headers['x-body-used']]).toEqual([403, 'true'])
  }
})

describe('Redis over HTTP', () => {
  it('shares budget and limits among several isolates, and each has its own pages', async () => {
    await using server = await startRedis()
    const client = await server.connect()
    const options = {
      redis: redisEval(client),
      limits: { meetingsPerMinute: 3 },
      meetings: { cacheMs: 60_000 },
    }
    await using first = await startWorkerd(options)
    await using second = await startWorkerd({ ...options, upstream: first.upstream })
    const page = await first.ask('/meetings')
    expect(page.status).toBe(200)
    expect((await second.ask('/meetings')).text).toBe(page.text)
    expect(lists(first)).toBe(2)
    expect((await second.ask('/meetings')).status).toBe(200)
    expect((await first.ask('/meetings?limit=2')).status).toBe(429)
    expect((await first.ask('/meetings?limit=2', { headers: { 'x-user': 'ben' } })).status).toBe(200)
    // The keys of one budget, although two Workers sent requests.
    expect(await client.keys('stagepass:*:budget:*')).toHaveLength(2)
    expect(await client.keys('stagepass:*:page:*')).toEqual([])
  })
})

it.each([
  ['by its length', { 'content-length': '20000000' }],
  ['by what has come', { 'transfer-encoding': 'chunked' }],
])('S8 a body that is too long is 413 %s, before it has ended', async (_, headers) => {
  await using host = await startWorkerd()
  const options = {
    method: 'POST',
    headers: { 'x-stagepass': '1', 'content-type': 'application/json', ...headers },
  }
  const sent = request(`${host.origin}/api/voice/session-token`, options)
  sent.write(' '.repeat(8_192))
  const [response] = (await once(sent, 'response')) as [IncomingMessage]
  expect(response.statusCode).toBe(413)
  sent.on('error', () => undefined)
  sent.destroy()
})
