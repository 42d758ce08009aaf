import { createServer } from 'node:http'
import { fail, hang, respond } from '@stagepass/emulator'
import { startStack, startTcpProxy } from '@stagepass/testing'
import { describe, expect, it, vi } from 'vitest'
import { isBffError } from '../base/BffError.js'
import type { Grant } from '../grant/Grant.js'
import type { RequestSpan, Telemetry } from '../telemetry/Telemetry.js'
import { heapUsed } from '../front/heapUsed.test.kit.js'
import { createBff } from './fetch/index.js'
import { type HostOptions, nodeHost } from './startHost.test.kit.js'

/* `as`, apart from the rules that it shares with the routes (`twoDoors.test.ts`). */

async function setUp(options: HostOptions = {}, granted: Partial<Grant> = {}) {
  const kind = nodeHost('node:http', '', (bff) => createServer(bff))
  const host = await kind.start(options)
  const meetings = { credential: host.upstream.meetingsCredential }
  const user = host.bff.as({ user: 'ada', meetings, ...granted })
  return { ...host, user, meetings, [Symbol.asyncDispose]: () => host[Symbol.asyncDispose]() }
}

const refusalOf = (call: Promise<unknown>): Promise<unknown> =>
  call.then(
    () => expect.unreachable(),
    (error: unknown) => error,
  )

it.each([
  [null, 'the grant is null. Call `as` only for a user who has a grant.'],
  [{}, 'The grant\'s "user"'],
  [{ user: '' }, 'The grant\'s "user"'],
  [Promise.resolve({ user: 'ada' }), 'The grant is a Promise. Await it.'],
  [{ user: 'ada', meetings: { credential: '' } }, 'The grant\'s "meetings.credential"'],
  [
    { user: 'ada', meetings: { credential: 'c', fields: ['titel'] } },
    '"meetings.fields" names an unknown field',
  ],
  [{ user: 'ada', role: 'admin' }, 'unknown key "role"'],
])('throws a TypeError with a remedy for the grant %j', async (grant, words) => {
  await using host = await setUp()
  const act = () => host.bff.as(grant as Grant)
  expect(act).toThrow(TypeError)
  expect(act).toThrow(/^Failed to act as a user: /)
  expect(act).toThrow(words)
})

describe('a list', () => {
  it('has the filters of the hooks, and is read page by page', async () => {
    await using host = await setUp()
    const all = await host.user.meetings({
      pageSize: 100,
      sortBy: 'duration',
      order: 'oldest',
      fields: ['duration'],
    })
    const read: string[] = []
    let cursor: string | null = null
    do {
      const filters = {
        pageSize: 7,
        sortBy: 'duration',
        order: 'oldest',
        fields: ['duration'],
        cursor,
      } as const
      const page: { meetings: readonly { id: string }[]; next_cursor: string | null } =
        await host.user.meetings(filters)
      read.push(...page.meetings.map(({ id }) => id))
      cursor = page.next_cursor
    } while (cursor !== null)
    expect(read.slice(0, 100)).toEqual(all.meetings.map(({ id }) => id))
    await host.user.meetings({ from: new Date('2026-01-02T03:04:05Z'), tags: ['b', 'a'], search: ' road ' })
    expect(host.upstream.requests.at(-1)?.query).toEqual({
      q: 'road',
      from: '2026-01-02T03:04:05.000Z',
      tags: 'a,b',
    })
  })

  it.each([
    [{ pageSize: 0 }, 'pageSize'],
    [{ pageSize: Number.NaN }, 'pageSize'],
    [{ sortBy: 'name' }, 'sortBy'],
    [{ ownership: 'none' }, 'ownership'],
    [{ search: 'x'.repeat(501) }, 'search'],
    [{ from: new Date(Number.NaN) }, 'from'],
    [{ from: '2026-02-01', to: '2026-01-01' }, 'from'],
    [{ cursor: '' }, 'cursor'],
    [{ fields: ['titel'] }, 'fields'],
    // Otherwise all meetings would be shown.
    [{ ownerhip: 'mine' }, 'ownerhip'],
    // The name on the wire is not that of the filter.
    [{ limit: 5 }, 'pageSize'],
  ])('with %j is refused with the name of the filter', async (filters, field) => {
    await using host = await setUp()
    const error = await refusalOf(host.user.meetings(filters as object))
    expect(error).toMatchObject({ code: 'VALIDATION_ERROR', status: 400, retryable: false, field })
    expect(host.upstream.requests).toEqual([])
  })
})

it('options of a token and of a meeting with wrong names or values are refused with their name', async () => {
  await using host = await setUp({ limits: { tokensPerMinute: Infinity, meetingsPerMinute: Infinity } })
  const { user } = host
  for (const [call, field] of [
    [user.sessionToken('stt', { ttlMinutes: 1 }), 'ttlMinutes'],
    [user.sessionToken('stt', { sessionId: 'x'.repeat(256) }), 'sessionId'],
    [user.sessionToken('other' as 'stt'), 'product'],
    [user.sessionToken('stt', { ttl: 5 } as object), 'ttl'],
    [user.meeting('m1', { field: ['title'] } as object), 'field'],
    [user.meeting('..'), 'id'],
    // An empty id would be the address of the list.
    [user.meeting(''), 'id'],
    // From code without types.
    [user.meeting(undefined as unknown as string), 'id'],
    [user.meeting(7 as unknown as string), 'id'],
    [user.usage(['other' as 'stt']), 'products'],
    ...[null, 5, 'mine', [], ['mine']].flatMap((odd) => [
      [user.meetings(odd as object), 'filters'] as const,
      [user.meetings({}, odd as object), 'options'] as const,
      [user.meeting('m1', odd as object), 'options'] as const,
      [user.tags(odd as object), 'options'] as const,
      [user.sessionToken('stt', odd as object), 'options'] as const,
      [user.usage([], odd as object), 'options'] as const,
    ]),
    [user.usage('stt' as unknown as ['stt']), 'products'],
    [user.usage(null as unknown as ['stt']), 'products'],
    [user.tags({ singal: undefined } as object), 'singal'],
    [user.meetings({ search: { toString: () => 'a' } as unknown as string }), 'search'],
    [user.meetings({ search: ['a'] as unknown as string }), 'search'],
    [user.meetings({ pageSize: '5' as unknown as number }), 'pageSize'],
    [user.meetings({ tags: 'a,b' as unknown as string[] }), 'tags'],
    // On the wire they would be two tags, or two fields.
    [user.meetings({ tags: ['a,b'] }), 'tags'],
    [user.meetings({ fields: ['title,tags'] }), 'fields'],
    [user.meeting('m1', { fields: ['title,tags'] }), 'fields'],
    [user.meetings({ cursor: 5 as unknown as string }), 'cursor'],
  ] as const)
    expect(await refusalOf(call)).toMatchObject({ code: 'VALIDATION_ERROR', field })
  expect(host.upstream.requests).toEqual([])
})

it('usage of some products is that of the grant, and no other', async () => {
  await using host = await setUp({}, { products: ['stt', 'tts'], usage: { minutesPerDay: 60 } })
  const shown = async (...args: Parameters<typeof host.user.usage>) =>
    Object.keys((await host.user.usage(...args)).usage)
  expect(await shown()).toEqual(['stt', 'tts'])
  expect(await shown(['tts'])).toEqual(['tts'])
  expect(await shown(['tts', 'vt'])).toEqual(['tts'])
  expect(await shown([])).toEqual([])
})

describe('an error', () => {
  it('has the values of its event, and no cause', async () => {
    await using host = await setUp()
    host.upstream.use(fail('CACHE_UNAVAILABLE', { times: 9 }))
    const error = await refusalOf(host.user.sessionToken('stt'))
    const event = host.events.find(({ type }) => type === 'request.finished')
    if (event?.type !== 'request.finished' || !isBffError(error)) throw error
    expect(error).toMatchObject({
      code: event.errorCode,
      status: event.status,
      requestId: event.requestId,
      reqId: event.reqId,
    })
    expect([event.via, event.route, event.method, event.user]).toEqual([
      'server',
      'session-token',
      'POST',
      'ada',
    ])
    expect(error.cause).toBeUndefined()
  })

  it('has a hint with what was seen, which is in no JSON and no response', async () => {
    await using host = await setUp()
    host.upstream.use(respond({ status: 200, headers: { 'content-type': 'text/html' }, body: '<html>' }))
    const error = await refusalOf(host.user.meetings())
    const hint =
      'The response was 200 with a page of HTML, not one of the voice service: a login, a portal or a proxy may answer there. Set "meetings.baseUrl" to the address of the service itself.'
    expect(error).toHaveProperty('hint', hint)
    expect(JSON.stringify(error)).not.toMatch(/HTML|seen|hint/)
    expect(await (await host.user.fetch('/meetings')).text()).not.toContain('HTML')
    expect(await refusalOf(host.user.meetings({ pageSize: 0 }))).toMatchObject({
      field: 'pageSize',
      hint: '`pageSize` must be a whole number from 1 to 100. It is a text of 1 character.',
    })
    expect(await refusalOf(host.user.sessionToken('stt', { ttlMinutes: 1 }))).toMatchObject({
      hint: expect.stringMatching(/^`ttlMinutes` must be a whole number of minutes \(stt, /) as string,
    })
  })

  it('says when to call again', async () => {
    await using host = await setUp({ limits: { meetingsPerMinute: 1 } })
    await host.user.tags()
    const error = await refusalOf(host.user.tags())
    expect(error).toMatchObject({ code: 'RATE_LIMITED', status: 429, retryable: true })
    expect(isBffError(error, 'RATE_LIMITED') && error.retryAfterMs).toBeGreaterThan(0)
  })

  it('has the exact code even with maskAccountErrors, which hides it from browsers', async () => {
    await using host = await setUp({ maskAccountErrors: true })
    host.upstream.use(fail('AUTH_API_KEY_EXPIRED', { times: 9 }))
    const { text } = await host.ask('/session-token', { method: 'POST', body: '{"usage_type":"stt"}' })
    expect(text).toContain('SERVICE_UNAVAILABLE')
    expect(await refusalOf(host.user.sessionToken('stt'))).toMatchObject({ code: 'AUTH_API_KEY_EXPIRED' })
  })

  it.each([
    [new Error('other'), false],
    [Object.assign(new Error('a'), { name: 'BffError', code: 'NO_SUCH_CODE' }), false],
    [{ name: 'BffError', code: 'RATE_LIMITED' }, false],
    ['RATE_LIMITED', false],
    [undefined, false],
    // Of a second copy of the package.
    [Object.assign(new Error('a'), { name: 'BffError', code: 'RATE_LIMITED' }), true],
  ])('%s is one: %s', (thrown, is) => {
    expect(isBffError(thrown)).toBe(is)
    expect(isBffError(thrown, 'RATE_LIMITED')).toBe(is)
    expect(isBffError(thrown, 'FORBIDDEN')).toBe(false)
  })
})

describe('a signal', () => {
  it('ends a call with its reason, and not the request that others share', async () => {
    await using stack = await startStack()
    await using proxy = await startTcpProxy(Number(new URL(stack.upstream.meetingsUrl).port))
    const meetings = { credential: stack.upstream.meetingsCredential }
    const bff = await stack.remount({ meetings: { baseUrl: `http://127.0.0.1:${proxy.port}` } })
    const user = bff.as({ user: 'ada', meetings })
    const release = proxy.hold()
    const leave = new AbortController()
    const leaving = refusalOf(user.meetings({}, { signal: leave.signal }))
    await vi.waitFor(() => expect(stack.upstream.counts.list).toBe(1))
    const staying = [user.meetings(), stack.fetch('/meetings')] as const
    await vi.waitFor(() => expect(bff.gauge().inFlight).toBe(3))
    // Nothing of them needs another turn of the event loop.
    await new Promise(setImmediate)
    const reason = new Error('no longer wanted')
    leave.abort(reason)
    expect(await leaving).toBe(reason)
    release()
    expect((await staying[0]).meetings.length).toBeGreaterThan(0)
    expect((await staying[1]).status).toBe(200)
    expect(stack.upstream.counts.list).toBe(1)
    const ended = stack.events.filter(({ type }) => type === 'request.abandoned')
    expect(ended).toMatchObject([{ via: 'server', route: 'meetings' }])
  })

  it('of a token that is not minted any more costs no minutes', async () => {
    await using host = await setUp({}, { usage: { minutesPerDay: 60 } })
    host.upstream.use(hang({ times: 1 }))
    const leave = new AbortController()
    const leaving = refusalOf(host.user.sessionToken('stt', { signal: leave.signal }))
    await vi.waitFor(() => expect(host.upstream.requests).toHaveLength(1))
    leave.abort('left')
    expect(await leaving).toBe('left')
    expect(await host.user.usage(['stt'])).toMatchObject({ usage: { stt: { reserved_ms: 0 } } })
  })

  it('that is aborted already sends nothing and counts nothing', async () => {
    await using host = await setUp()
    const { user } = host
    const options = { signal: AbortSignal.abort('too late') }
    const calls = [
      user.meetings({}, options),
      user.meeting('m1', options),
      user.tags(options),
      user.sessionToken('stt', options),
      user.usage(undefined, options),
      user.fetch('/tags', options),
    ]
    for (const call of calls) expect(await refusalOf(call)).toBe('too late')
    expect([host.events, host.upstream.requests]).toEqual([[], []])
  })

  it('that is aborted while a tracer begins the span sends nothing', async () => {
    const leave = new AbortController()
    const span: RequestSpan = { begin: () => ({ end: () => {} }), end: () => {} }
    const telemetry: Telemetry = {
      start: () => {},
      async observe(_request, run) {
        await new Promise(setImmediate)
        return run(span)
      },
    }
    await using host = await setUp({ telemetry })
    const calling = refusalOf(host.user.tags({ signal: leave.signal }))
    leave.abort('too late')
    expect(await calling).toBe('too late')
    expect(host.upstream.requests).toEqual([])
  })

  it('may have many calls, without a warning of Node', async () => {
    await using host = await setUp()
    const warned = vi.fn<(warning: Error) => void>()
    process.on('warning', warned)
    const { signal } = new AbortController()
    await Promise.all(Array.from({ length: 30 }, () => host.user.tags({ signal })))
    await new Promise(setImmediate)
    process.off('warning', warned)
    expect(warned).not.toHaveBeenCalled()
  })
})

it('a signal that outlives its calls holds none of them', async () => {
  await using host = await setUp({ limits: { tokensPerMinute: Infinity, meetingsPerMinute: Infinity } })
  const { signal } = new AbortController()
  const call = async (times: number): Promise<number> => {
    for (let turn = 0; turn < times; turn++) await host.user.usage([], { signal })
    host.events.length = 0
    return heapUsed()
  }
  const before = await call(1_000)
  expect((await call(5_000)) - before).toBeLessThan(2_000_000)
})

describe('S59 fetch', () => {
  it('takes no request from outside', async () => {
    await using host = await setUp()
    const error = await refusalOf(host.user.fetch(new Request('http://a.example/api/voice/tags')))
    expect(error).toBeInstanceOf(TypeError)
    expect(String(error)).toContain('call the BFF itself')
    expect(host.events).toEqual([])
  })

  it('reads of its headers only what a voice client means, and sends none', async () => {
    await using host = await setUp()
    const headers = {
      cookie: 'a=b',
      authorization: 'Bearer mine',
      'x-user': 'eve',
      'x-stagepass-user': 'ada',
    }
    expect((await host.user.fetch('/api/voice/tags', { headers })).status).toBe(200)
    expect(JSON.stringify(host.upstream.requests[0]?.headers)).not.toMatch(/a=b|mine|eve/)
    expect(host.events.at(-1)).toMatchObject({ user: 'ada' })
    const other = { headers: { 'x-stagepass-user': 'ben' } }
    const refused = await host.user.fetch('/api/voice/tags', other)
    expect(await refused.json()).toMatchObject({ error_code: 'USER_CHANGED' })
    const { headers: sent } = await host.user.fetch('/tags?x=1')
    expect(Object.fromEntries(sent)).toMatchObject({
      'content-type': 'application/problem+json; charset=utf-8',
    })
    await host.user.fetch('/tags', { headers: { 'cache-control': 'no-cache' } })
    expect(host.upstream.counts.tags).toBe(2)
  })

  it.each([
    ['/api/voice/tags', 200],
    ['http://127.0.0.1:3000/api/voice/tags#top', 200],
    [new URL('https://app.example/api/voice/usage'), 200],
    ['/tags', 200],
    ['/api/voice/meetings/nothing', 404],
    ['/meetings/tags', 200],
    ['/api/meetings/meetings?fields=title', 200],
    ['/api/meetings/usage', 200],
    ['/api/meetings/meetings/nothing', 404],
    ['/api/voice/meetings/a%2Fb', 400],
    ['/api/voice/nothing', 404],
    ['/api/voice/tags/', 404],
    ['', 404],
    ['/health', 404],
  ])('answers %s with %i', async (url, status) => {
    await using host = await setUp()
    expect((await host.user.fetch(url)).status).toBe(status)
  })

  it.each(['/session-token', '/handshake-check', '/usage', '/tags'])('has no POST %s', async (path) => {
    await using host = await setUp()
    const response = await host.user.fetch(`/api/voice${path}`, {
      method: 'POST',
      body: '{"usage_type":"stt"}',
    })
    expect([response.status, response.headers.get('allow')]).toEqual([405, 'GET'])
    expect(host.upstream.requests).toEqual([])
  })
})

it('a BFF for fetch has it too, with a path of its own', async () => {
  await using host = await setUp()
  await using bff = createBff({
    ...host.upstream.bffOptions,
    basePath: '/x/meetings',
    authorize: () => null,
    logger: false,
  })
  const { fetch, tags } = bff.as({ user: 'ada', meetings: host.meetings })
  expect(await (await fetch('/x/meetings/tags')).json()).toEqual(await tags())
})
