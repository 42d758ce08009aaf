import { DEFAULT_MEETING_FIELDS } from '@stagepass/contract'
import { answer, malformed } from '@stagepass/emulator'
import { rawRequest, startStack } from '@stagepass/testing'
import { describe, expect, it } from 'vitest'
import { type BffOptions, createBff, type Grant } from '../index.js'

const MOUNT = '/api/voice'
const GATE = { 'x-stagepass': '1' }

const good: BffOptions = {
  apiKey: 'key',
  baseUrl: 'https://api.example.com',
  streamingUrl: 'wss://stream.example.com',
  authorize: () => null,
}

describe('S11 addresses', () => {
  it.each([
    ['baseUrl', 'http://api.example.com'],
    ['baseUrl', 'http://127.0.0.1.evil.example'],
    ['baseUrl', 'http://localhost.evil.example'],
    ['baseUrl', 'ftp://api.example.com'],
    ['baseUrl', 'https://user:pass@api.example.com'],
    ['baseUrl', 'https://api.example.com?x=1'],
    ['baseUrl', 'https://api.example.com/#x'],
    ['baseUrl', 'javascript:alert(1)'],
    ['baseUrl', '//api.example.com'],
    ['baseUrl', 'api.example.com'],
    ['baseUrl', ''],
    ['streamingUrl', 'https://api.example.com'],
    ['streamingUrl', 'ws://api.example.com'],
  ] as const)('S11 %s %s is refused at creation', (name, value) => {
    expect(() => createBff({ ...good, [name]: value })).toThrow(`Failed to create the BFF: "${name}"`)
  })

  it.each([
    'http://localhost:1',
    'http://127.0.0.1',
    'http://127.8.9.1',
    'http://[::1]:80',
    'https://x.example/v1/',
  ])('S11 %s is an address', async (baseUrl) => {
    const bff = createBff({ ...good, baseUrl })
    expect(bff.gauge().inFlight).toBe(0)
    await bff.close()
  })

  it.each(['http://evil.example/x', '//evil.example', '/redirected', 'file:///etc/passwd'])(
    'S11 a redirect to %s is an error, and the key does not follow',
    async (location) => {
      await using stack = await startStack()
      stack.upstream.use(malformed('redirect', { location }))
      for (const [path, init] of [
        ['/session-token', { json: { usage_type: 'stt' } }],
        ['/meetings', {}],
        ['/meetings/1', {}],
        ['/tags', {}],
      ] as const) {
        stack.upstream.use(malformed('redirect', { location, times: 1 }))
        const response = await stack.fetch(path, init)
        expect([path, response.status, await response.json()]).toEqual([
          path,
          502,
          expect.objectContaining({ error_code: 'UPSTREAM_MALFORMED', retryable: false }),
        ])
      }
      expect(stack.upstream.requests).toHaveLength(4)
    },
  )

  it.each(['oversized', 'endless'] as const)('S11 an %s answer is cut off', async (kind) => {
    await using stack = await startStack({ bff: { deadlineMs: 400 } })
    stack.upstream.use(malformed(kind, { bytes: 17 * 1_024 * 1_024 }))
    const response = await stack.fetch('/session-token', { json: { usage_type: 'stt' } })
    const { error_code } = (await response.json()) as { error_code: string }
    expect(error_code).toBe(kind === 'oversized' ? 'UPSTREAM_MALFORMED' : 'UPSTREAM_TIMEOUT')
  })

  it('S11 an answer that is longer than any token is no answer, however well formed', async () => {
    await using stack = await startStack()
    const data = {
      session_key: 'st_1',
      expires_at: '2099-01-01T00:00:00Z',
      key_id: 1,
      status: 'x',
      type: 'session',
      usage_type: 'stt',
    }
    const bodyOf = (pad: number) => ({ code: 0, message: 'x'.repeat(pad), data, req_id: 'r' })
    const mint = async () => (await stack.fetch('/session-token', { json: { usage_type: 'stt' } })).json()
    stack.upstream.use(answer({ status: 200, body: bodyOf(60_000) }, { times: 1 }))
    expect(await mint()).toMatchObject({ session_key: 'st_1' })
    stack.upstream.use(answer({ status: 200, body: bodyOf(70_000) }, { times: 1 }))
    expect(await mint()).toMatchObject({ error_code: 'UPSTREAM_MALFORMED' })
  })

  const hostile = [
    'http://evil.example/',
    '//evil.example',
    '/../../admin',
    '..%2f..',
    '@evil.example',
    'a@b',
    'x\r\nx-injected: 1',
    'x\u0000y',
    '?a=b&c=d#e',
    '%',
    '%25',
    'ü\u2028',
    'ü漢字😀',
    '%2B',
    `"'`,
    '\u0000',
    '{id}',
    '$&',
  ]

  it.each(hostile)('S11 the meeting id %j stays inert', async (id) => {
    await using stack = await startStack()
    const response = await rawRequest(stack.origin, {
      path: `${MOUNT}/meetings/${encodeURIComponent(id)}`,
      headers: GATE,
    })
    expect(response.status).toBe(404)
    const { pathname } = new URL(stack.upstream.meetingsUrl)
    expect(stack.upstream.requests.map(({ path, query }) => ({ path, query }))).toEqual([
      { path: `${pathname}/meetings/${encodeURIComponent(id)}`, query: {} },
    ])
  })

  it.each(['.', '..', '%2e', '%2E%2e', '.%2e', '%zz', '%', '%c3%28', '%ff', 'abc%', 'x'.repeat(257)])(
    'S11 the meeting id %s is 400 and goes nowhere',
    async (id) => {
      await using stack = await startStack()
      const response = await rawRequest(stack.origin, { path: `${MOUNT}/meetings/${id}`, headers: GATE })
      expect(JSON.parse(response.text)).toMatchObject({
        status: 400,
        error_code: 'VALIDATION_ERROR',
        field: 'id',
      })
      expect(stack.upstream.requests).toEqual([])
    },
  )

  it.each(hostile)('S11 the parameter %j stays inert', async (value) => {
    await using stack = await startStack()
    for (const name of ['cursor', 'q', 'tags']) {
      await rawRequest(stack.origin, {
        path: `${MOUNT}/meetings?${name}=${encodeURIComponent(value)}`,
        headers: GATE,
      })
      const sent = stack.upstream.requests.at(-1)
      expect(sent?.query).toEqual({ [name]: value })
      expect(sent?.headers).not.toHaveProperty('x-injected')
    }
    expect(new Set(stack.upstream.requests.map(({ path }) => path)).size).toBe(1)
  })
})

it('S12 nothing of the browser arrives upstream', async () => {
  await using stack = await startStack()
  const headers = {
    ...GATE,
    host: 'app.example.com',
    cookie: 'session=secret',
    authorization: 'Bearer of-the-browser',
    'x-forwarded-for': '1.2.3.4',
    'x-forwarded-host': 'evil.example',
    'x-api-key': 'of-the-browser',
    'accept-language': 'de',
    'user-agent': 'Browser/1',
    referer: 'http://app.example.com/secret',
    origin: 'http://app.example.com',
    'sec-fetch-site': 'same-origin',
    te: 'trailers',
  }
  await rawRequest(stack.origin, { path: `${MOUNT}/meetings`, headers })
  await rawRequest(stack.origin, {
    method: 'POST',
    path: `${MOUNT}/session-token`,
    headers: { ...headers, 'content-type': 'application/json; charset=utf-8' },
    body: '{"usage_type":"stt"}',
  })
  const host = new URL(stack.upstream.baseUrl).host
  const own = { host, connection: 'keep-alive', accept: 'application/json', 'user-agent': 'stagepass-bff' }
  expect(stack.upstream.requests.map((request) => request.headers)).toEqual([
    { ...own, authorization: `Bearer ${stack.upstream.meetingsCredential}` },
    {
      ...own,
      authorization: `api-key ${stack.upstream.apiKey}`,
      'content-type': 'application/json',
      'content-length': '20',
    },
  ])
})

describe('S14 list parameters', () => {
  it.each([
    ['limit=0', 'limit'],
    ['limit=101', 'limit'],
    ['limit=1.5', 'limit'],
    ['limit=', 'limit'],
    ['limit=-1', 'limit'],
    ['ownership=owned', 'ownership'],
    ['sort_by=title', 'sort_by'],
    ['order=asc', 'order'],
    ['from=yesterday', 'from'],
    ['from=2026-02-30', 'from'],
    ['to=1', 'to'],
    ['from=2026-02-02&to=2026-02-01', 'from'],
    ['from=2026-02-01T10:00:00%2B02:00&to=2026-02-01T07:59:59Z', 'from'],
    ['fields=title,secret', 'fields'],
    ['fields=title,,status', 'fields'],
    ['fields=', 'fields'],
    ['fields=transcript', 'fields'],
    ['tags=a,,b', 'tags'],
    [`tags=${'x'.repeat(129)}`, 'tags'],
    [`tags=${'a,'.repeat(50)}a`, 'tags'],
    [`q=${'x'.repeat(501)}`, 'q'],
    ['q=&q=', 'q'],
    [`cursor=${'x'.repeat(1_025)}`, 'cursor'],
    ['page=2', 'page'],
    ['include_transcript=true', 'include_transcript'],
    ['q=%ff', 'q'],
    ['q=100%', 'q'],
  ])('S14 %s is refused here, before any call', async (query, field) => {
    await using stack = await startStack()
    const response = await stack.fetch(`/meetings?${query}`)
    expect(await response.json()).toMatchObject({ status: 400, error_code: 'VALIDATION_ERROR', field })
    expect(stack.upstream.requests).toEqual([])
  })

  it.each([
    ['q=', undefined],
    ['q', undefined],
    ['q=%20', ' '],
    ['q=+a+', ' a '],
  ])('S14 of %s goes up as %j', async (query, search) => {
    await using stack = await startStack()
    expect((await stack.fetch(`/meetings?${query}`)).status).toBe(200)
    expect(stack.upstream.requests[0]?.query['q']).toBe(search)
  })

  it('S14 all ten roles go up in the words of the wire', async () => {
    await using stack = await startStack({
      bff: {
        meetings: {
          wire: {
            listPath: '/meetings',
            params: { sort_by: 'sort', q: 'search' },
            order: { oldest: 'asc' },
          },
        },
      },
    })
    stack.upstream.use(answer({ status: 200, body: { meetings: [] } }))
    const asked =
      'limit=5&cursor=c1&ownership=shared&sort_by=duration&order=oldest&q=road+map&from=2026-01-01&to=2026-02-01T00:00:00Z&tags=a,b&fields=title,participants'
    expect((await stack.fetch(`/meetings?${asked}`)).status).toBe(200)
    expect(stack.upstream.requests[0]?.query).toEqual({
      limit: '5',
      cursor: 'c1',
      ownership: 'shared',
      sort: 'duration',
      order: 'asc',
      search: 'road map',
      from: '2026-01-01',
      to: '2026-02-01T00:00:00Z',
      tags: 'a,b',
      fields: 'title,participants',
    })
  })

  it.each([
    ['asked beyond the grant', ['title'], 'title,participants', 'title', ['title']],
    ['nothing asked, the default set cut', ['title', 'participants'], undefined, 'title', ['title']],
    ['nothing left but id', ['title'], 'participants', 'id', []],
    ['nothing granted at all', [], undefined, 'id', []],
    ['no limit in the grant', undefined, undefined, undefined, undefined],
  ])('S14 fields are cut to the grant: %s', async (_what, granted, asked, sent, shown) => {
    await using stack = await startStack()
    stack.grant = {
      user: 'ada',
      meetings: { credential: stack.upstream.meetingsCredential, fields: granted },
    }
    const response = await stack.fetch(`/meetings?limit=1${asked ? `&fields=${asked}` : ''}`)
    const { meetings } = (await response.json()) as { meetings: object[] }
    expect(stack.upstream.requests[0]?.query['fields']).toBe(sent)
    expect(Object.keys(meetings[0] ?? {}).toSorted()).toEqual(
      ['id', ...(shown ?? DEFAULT_MEETING_FIELDS)].toSorted(),
    )
  })

  it.each([
    ['mine', undefined, 'mine'],
    ['mine', 'all', 'mine'],
    ['mine', 'mine', 'mine'],
    ['shared', 'all', 'shared'],
    ['all', 'shared', 'shared'],
    ['all', undefined, undefined],
  ] as const)('S14 a forced ownership %s makes %s into %s', async (forced, asked, sent) => {
    await using stack = await startStack()
    stack.grant = {
      user: 'ada',
      meetings: { credential: stack.upstream.meetingsCredential, ownership: forced },
    }
    expect((await stack.fetch(`/meetings${asked ? `?ownership=${asked}` : ''}`)).status).toBe(200)
    expect(stack.upstream.requests[0]?.query['ownership']).toBe(sent)
  })

  it('S14 the other ownership is 403 with its field', async () => {
    await using stack = await startStack()
    stack.grant = {
      user: 'ada',
      meetings: { credential: stack.upstream.meetingsCredential, ownership: 'mine' },
    }
    const response = await stack.fetch('/meetings?ownership=shared')
    expect(await response.json()).toMatchObject({ status: 403, error_code: 'FORBIDDEN', field: 'ownership' })
    expect(stack.upstream.requests).toEqual([])
    expect(stack.events).toContainEqual(expect.objectContaining({ type: 'grant.refused', what: 'ownership' }))
  })

  it('S14 a forced ownership holds by id too, and where the list ignores the filter', async () => {
    await using stack = await startStack()
    const credential = stack.upstream.meetingsCredential
    const rows = (await (await stack.fetch('/meetings?limit=100')).json()) as {
      meetings: { id: string; ownership: string }[]
    }
    const owned = rows.meetings.find(({ ownership }) => ownership === 'owned')?.id
    const shared = rows.meetings.find(({ ownership }) => ownership === 'shared')?.id
    stack.grant = { user: 'ada', meetings: { credential, ownership: 'mine', fields: ['title'] } }
    const own = await stack.fetch(`/meetings/${owned}`)
    expect(await own.json()).toEqual({ id: owned, title: expect.any(String) })
    expect((await stack.fetch(`/meetings/${shared}`)).status).toBe(404)
    // `ownership` is not shown, but it is asked for: without it no row could be trusted.
    const list = (await (await stack.fetch('/meetings?limit=100')).json()) as typeof rows
    const mine = rows.meetings.filter((row) => row.ownership === 'owned')
    expect(list.meetings.map(({ id }) => id)).toEqual(mine.map(({ id }) => id))
    expect(list.meetings.length).toBeGreaterThan(0)

    stack.upstream.use(
      answer({
        status: 200,
        body: {
          meetings: [
            { id: '1', ownership: 'shared' },
            { id: '2', ownership: 'owned' },
          ],
        },
      }),
    )
    expect(await (await stack.fetch('/meetings?q=x')).json()).toEqual({
      meetings: [{ id: '2' }],
      next_cursor: null,
    })
  })
})

describe('S15 TTL and session id follow the grant', () => {
  const mint = async (body: object, grant: Partial<Grant> = {}) => {
    await using stack = await startStack()
    stack.grant = { user: 'ada', ...grant }
    const response = await stack.fetch('/session-token', { json: body })
    return { status: response.status, body: await response.json(), sent: stack.upstream.requests[0]?.body }
  }

  it.each([
    ['stt', 4],
    ['stt', 0],
    ['stt', -5],
    ['stt', 301],
    ['stt', 1_440],
    ['tts', 301],
    ['viva', 301],
    ['vt', 4],
    ['vt', 1_441],
    ['stt', 5.5],
    ['stt', Number.NaN],
    ['stt', Infinity],
    ['stt', 1e300],
    ['stt', '60'],
    ['stt', [60]],
    ['stt', true],
  ])('S15 %s for %j is 400, and goes nowhere', async (usage_type, expiration_ttl) => {
    const { body, sent } = await mint({ usage_type, expiration_ttl })
    expect(body).toMatchObject({ status: 400, error_code: 'VALIDATION_ERROR', field: 'expiration_ttl' })
    expect(sent).toBeUndefined()
  })

  it.each([
    ['stt', 5, undefined, 5],
    ['stt', 300, undefined, 300],
    ['vt', 1_440, undefined, 1_440],
    ['stt', 300, 60, 60],
    ['stt', 30, 60, 30],
    ['stt', undefined, 60, 60],
    ['stt', undefined, 500, undefined],
    ['stt', undefined, undefined, undefined],
    ['vt', 1_440, 600, 600],
  ])('S15 %s for %s under %s is %s', async (usage_type, asked, max, expected) => {
    const { status, sent, body } = await mint({ usage_type, expiration_ttl: asked }, { maxTtlMinutes: max })
    expect(status).toBe(200)
    expect(sent).toEqual({ usage_type, ...(expected !== undefined && { expiration_ttl: expected }) })
    expect((body as { expires_in_ms: number }).expires_in_ms).toBeLessThanOrEqual((expected ?? 180) * 60_000)
  })

  it('S15 the session id is the grant, or else the browser', async () => {
    const asked = { usage_type: 'stt', session_id: 'browser' }
    expect((await mint(asked)).sent).toEqual({ usage_type: 'stt', metadata: { session_id: 'browser' } })
    expect((await mint(asked, { sessionId: 'support-7' })).sent).toEqual({
      usage_type: 'stt',
      metadata: { session_id: 'support-7' },
    })
    expect((await mint({ usage_type: 'stt' })).sent).toEqual({ usage_type: 'stt' })
  })

  it('S15 255 characters are UTF-16 units', async () => {
    expect((await mint({ usage_type: 'stt', session_id: 'x'.repeat(255) })).status).toBe(200)
    expect((await mint({ usage_type: 'stt', session_id: 'x'.repeat(256) })).status).toBe(400)
    expect((await mint({ usage_type: 'stt', session_id: '😀'.repeat(127) })).status).toBe(200)
    expect((await mint({ usage_type: 'stt', session_id: '😀'.repeat(128) })).status).toBe(400)
  })

  it('S15 a product that is not granted is 403', async () => {
    const { body, sent } = await mint({ usage_type: 'vt' }, { products: ['stt', 'tts'] })
    expect(body).toMatchObject({
      status: 403,
      error_code: 'FORBIDDEN',
      retryable: false,
      field: 'usage_type',
    })
    expect(sent).toBeUndefined()
  })
})

describe('S16 answers are rebuilt', () => {
  const leaky = {
    'set-cookie': 'a=b',
    'x-upstream': 'yes',
    server: 'secret/1',
    etag: '"1"',
    'cache-control': 'public',
  }

  it('S16 a token answer holds its seven fields', async () => {
    await using stack = await startStack()
    stack.upstream.use(
      answer(
        {
          status: 200,
          headers: leaky,
          body: {
            code: 0,
            message: 'Success',
            data: {
              session_key: 'st_1',
              expires_at: '2099-01-01T00:00:00.000Z',
              key_id: 7,
              status: 'active',
              type: 'session',
              usage_type: 'stt',
              team: 'secret',
            },
            req_id: 'r1',
            debug: 'secret',
          },
        },
        { on: 'token' },
      ),
    )
    const response = await stack.fetch('/session-token', { json: { usage_type: 'stt' } })
    expect(await response.json()).toEqual({
      session_key: 'st_1',
      usage_type: 'stt',
      type: 'session',
      status: 'active',
      expires_at: '2099-01-01T00:00:00.000Z',
      expires_in_ms: 180 * 60_000,
      stream_url: `${stack.upstream.streamingUrl}/stt`,
    })
    for (const name of Object.keys(leaky).filter((header) => header !== 'cache-control'))
      expect(response.headers.has(name)).toBe(false)
    expect(response.headers.get('cache-control')).toBe('no-store, no-transform')
  })

  it('S16 a list answer holds what was asked for', async () => {
    await using stack = await startStack()
    const row = {
      id: 'm1',
      title: 'A',
      participants: [{ email: 'x@y' }],
      transcript: 'secret',
      owner_key: 'secret',
    }
    stack.upstream.use(
      answer({
        status: 200,
        headers: leaky,
        body: { meetings: [row], next_cursor: 'c', total: 7, took_ms: 3, account: 'secret' },
      }),
    )
    const response = await stack.fetch('/meetings?fields=title')
    expect(await response.json()).toEqual({
      meetings: [{ id: 'm1', title: 'A' }],
      next_cursor: 'c',
      total: 7,
    })
    expect(await (await stack.fetch('/meetings/m1?fields=title')).json()).toMatchObject({
      error_code: 'UPSTREAM_MALFORMED',
    })
    expect(response.headers.has('set-cookie')).toBe(false)
  })
})
