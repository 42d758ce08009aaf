import { DEFAULT_MEETING_FIELDS, MEETINGS_QUERY_ROLES } from '@stagepass/contract'
import { respond, malformed } from '@stagepass/emulator'
import { type Stack, startStack } from '@stagepass/testing'
import { describe, expect, it } from 'vitest'
import { ask, tokenBody } from '../ask.test.kit.js'
import { type BffOptions, createBff, type Grant, type MeetingsGrant } from '../index.js'

const good: BffOptions = {
  apiKey: 'key',
  baseUrl: 'https://api.example.com',
  streamingUrl: 'wss://stream.example.com',
  authorize: () => null,
}
const post = (body: object) => ({ method: 'POST', body: JSON.stringify(body) })
const MINT = post({ usage_type: 'stt' })

const read = async <TBody = unknown>(stack: Stack, path: string, request = {}): Promise<TBody> =>
  JSON.parse((await ask(stack, path, request)).text) as TBody

const allow = (stack: Stack, meetings: Partial<MeetingsGrant>): void => {
  stack.grant = { user: 'ada', meetings: { credential: stack.upstream.meetingsCredential, ...meetings } }
}

describe('S11 addresses', () => {
  const refused = [
    'http://api.example.com http://127.0.0.1.evil.example http://localhost.evil.example ftp://api.example.com',
    'https://user:pass@api.example.com https://api.example.com?x=1 https://api.example.com/#x',
    'javascript:alert(1) //api.example.com api.example.com',
  ]
  it.each([
    ['baseUrl', [...refused.join(' ').split(' '), '']],
    ['streamingUrl', ['https://api.example.com', 'ws://api.example.com']],
  ] as const)('S11 %s is refused at creation: %s', (name, values) => {
    for (const value of values)
      expect(() => createBff({ ...good, [name]: value })).toThrow(`Failed to create the BFF: "${name}"`)
  })

  it('S11 encrypted addresses and loopback addresses are accepted', async () => {
    const urls = 'http://localhost:1 http://127.0.0.1 http://127.8.9.1 http://[::1]:80 https://x.example/v1/'
    for (const baseUrl of urls.split(' '))
      expect(await createBff({ ...good, baseUrl }).close()).toBeUndefined()
  })

  it.each(['http://evil.example/x', '//evil.example', '/redirected', 'file:///etc/passwd'])(
    'S11 a redirect to %s is an error, and the key does not follow',
    async (location) => {
      await using stack = await startStack()
      stack.upstream.use(malformed('redirect', { location }))
      const requests = { '/session-token': MINT, '/meetings': {}, '/meetings/1': {}, '/tags': {} }
      for (const [path, request] of Object.entries(requests)) {
        const problem = { status: 502, error_code: 'UPSTREAM_MALFORMED', retryable: false }
        expect(await read(stack, path, request)).toMatchObject(problem)
      }
      expect(stack.upstream.requests).toHaveLength(4)
    },
  )

  it.each([
    ['oversized', 'UPSTREAM_MALFORMED', 10_000],
    ['endless', 'UPSTREAM_TIMEOUT', 400],
  ] as const)('S11 an %s answer is cut off', async (kind, code, deadlineMs) => {
    await using stack = await startStack({ bff: { deadlineMs } })
    stack.upstream.use(malformed(kind, { bytes: 17 * 1_024 * 1_024 }))
    expect((await ask(stack, '/session-token', MINT)).code).toBe(code)
  })

  it('S11 a response that is longer than any token is an error, even if it is well formed', async () => {
    await using stack = await startStack()
    const mint = (padding: number) => {
      const body = tokenBody({}, { message: 'x'.repeat(padding) })
      stack.upstream.use(respond({ status: 200, body }, { times: 1 }))
      return read(stack, '/session-token', MINT)
    }
    expect(await mint(60_000)).toMatchObject({ session_key: 'st_1' })
    expect(await mint(70_000)).toMatchObject({ error_code: 'UPSTREAM_MALFORMED' })
  })

  const paths = [
    ...'http://evil.example/ //evil.example /../../admin ..%2f.. ?a=b&c=d#e'.split(' '),
    'x\r\nx-injected: 1',
    'x\u0000y',
    '\u0000',
  ]
  const segments = [...'@evil.example a@b % %25 %2B {id} $&'.split(' '), 'ü\u2028', 'ü漢字😀', `"'`]

  it.each([...paths, ...segments])('S11 %j stays inert as a meeting id and as a parameter', async (text) => {
    await using stack = await startStack()
    const isPath = paths.includes(text)
    expect((await ask(stack, `/meetings/${encodeURIComponent(text)}`)).status).toBe(isPath ? 400 : 404)
    const { pathname } = new URL(stack.upstream.meetingsUrl)
    const expected = { path: `${pathname}/meetings/${encodeURIComponent(text)}`, query: {} }
    expect(stack.upstream.requests).toMatchObject(isPath ? [] : [expected])
    for (const name of ['cursor', 'q', 'tags']) {
      await ask(stack, `/meetings?${name}=${encodeURIComponent(text)}`)
      const sent = stack.upstream.requests.at(-1)
      expect([sent?.path, sent?.query]).toEqual([`${pathname}/meetings`, { [name]: text }])
      expect(sent?.headers).not.toHaveProperty('x-injected')
    }
  })

  it('S11 a meeting id that a URL parser could take for a path, or cannot decode, is 400', async () => {
    await using stack = await startStack()
    const ids = '. .. %2e %2E%2e .%2e %zz % %c3%28 %ff abc%'.split(' ')
    for (const id of [...ids, 'x'.repeat(257)])
      expect([id, await read(stack, `/meetings/${id}`)]).toMatchObject([id, { status: 400, field: 'id' }])
    expect(stack.upstream.requests).toEqual([])
  })
})

it('S12 no header of the browser is sent upstream', async () => {
  await using stack = await startStack()
  const headers = {
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
  await ask(stack, '/meetings', { headers })
  await ask(stack, '/session-token', { ...MINT, headers })
  const host = new URL(stack.upstream.baseUrl).host
  const own = {
    host,
    connection: 'keep-alive',
    accept: 'application/json',
    'accept-encoding': 'identity',
    'user-agent': 'stagepass-bff',
  }
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
    ['limit', ['limit=0', 'limit=101', 'limit=1.5', 'limit=', 'limit=-1']],
    ['ownership', ['ownership=owned']],
    ['sort_by', ['sort_by=title']],
    ['order', ['order=asc']],
    ['from', ['from=yesterday', 'from=2026-02-30', 'from=2026-02-02&to=2026-02-01']],
    ['from', ['from=2026-02-01T10:00:00%2B02:00&to=2026-02-01T07:59:59Z']],
    ['to', ['to=1']],
    ['fields', ['fields=title,secret', 'fields=title,,status', 'fields=', 'fields=transcript']],
    ['tags', ['tags=a,,b', `tags=${'x'.repeat(129)}`, `tags=${'a,'.repeat(50)}a`]],
    ['q', [`q=${'x'.repeat(501)}`, 'q=&q=', 'q=%ff', 'q=100%']],
    ['cursor', [`cursor=${'x'.repeat(4_097)}`]],
    ['page', ['page=2']],
    ['include_transcript', ['include_transcript=true']],
  ])('S14 a wrong %s is refused before any upstream request: %s', async (field, queries) => {
    await using stack = await startStack()
    const problem = { status: 400, error_code: 'VALIDATION_ERROR', field }
    for (const query of queries)
      expect([query, await read(stack, `/meetings?${query}`)]).toMatchObject([query, problem])
    expect(stack.upstream.requests).toEqual([])
  })

  it('S14 q is decoded like a form, and an empty q is omitted', async () => {
    await using stack = await startStack()
    for (const query of ['q=', 'q', 'q=%20', 'q=+a+', 'q=+a+&limit=1']) await ask(stack, `/meetings?${query}`)
    // The second is equal to the first in another spelling, so both share one upstream request.
    expect(stack.upstream.requests.map((request) => request.query['q'])).toEqual([
      undefined,
      ' ',
      ' a ',
      ' a ',
    ])
  })

  it('S14 all roles are sent in the words of the wire', async () => {
    const wire = { listPath: '/meetings', params: { sort_by: 'sort', q: 'search' }, order: { oldest: 'asc' } }
    await using stack = await startStack({ bff: { meetings: { wire } } })
    stack.upstream.use(respond({ status: 200, body: { meetings: [] } }))
    const asked =
      'limit=5&cursor=c1&ownership=shared&sort_by=duration&order=oldest&q=road+map&from=2026-01-01&to=2026-02-01T00:00:00Z&tags=a,b&fields=title,participants'
    expect([...new URLSearchParams(asked).keys()].toSorted()).toEqual(MEETINGS_QUERY_ROLES.toSorted())
    expect((await ask(stack, `/meetings?${asked}`)).status).toBe(200)
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
  ])('S14 fields are cut to the grant: %s', async (_what, fields, asked, sent, shown) => {
    await using stack = await startStack()
    allow(stack, { fields })
    const list = await read<{ meetings: object[] }>(
      stack,
      `/meetings?limit=1${asked ? `&fields=${asked}` : ''}`,
    )
    expect(stack.upstream.requests[0]?.query['fields']).toBe(sent)
    const expected = ['id', ...(shown ?? DEFAULT_MEETING_FIELDS)]
    expect(Object.keys(list.meetings[0] ?? {}).toSorted()).toEqual(expected.toSorted())
  })

  it.each([
    ['mine', undefined, 'mine'],
    ['mine', 'all', 'mine'],
    ['mine', 'mine', 'mine'],
    ['shared', 'all', 'shared'],
    ['all', 'shared', 'shared'],
    ['all', undefined, undefined],
  ] as const)('S14 a forced ownership %s makes %s into %s', async (ownership, asked, sent) => {
    await using stack = await startStack()
    allow(stack, { ownership })
    expect((await ask(stack, `/meetings${asked ? `?ownership=${asked}` : ''}`)).status).toBe(200)
    expect(stack.upstream.requests[0]?.query['ownership']).toBe(sent)
  })

  it('S14 a request for the other ownership is 403 with its field', async () => {
    await using stack = await startStack()
    allow(stack, { ownership: 'mine' })
    const problem = { status: 403, error_code: 'FORBIDDEN', field: 'ownership' }
    expect(await read(stack, '/meetings?ownership=shared')).toMatchObject(problem)
    expect(stack.upstream.requests).toEqual([])
    expect(stack.events).toContainEqual(expect.objectContaining({ type: 'grant.refused', what: 'ownership' }))
  })

  it('S14 a forced ownership also holds by id, and if the list ignores the filter', async () => {
    await using stack = await startStack()
    type List = { meetings: { id: string; ownership: string }[] }
    const all = (await read<List>(stack, '/meetings?limit=100')).meetings
    const idsOf = (ownership: string) => all.filter((row) => row.ownership === ownership).map(({ id }) => id)
    const [owned] = idsOf('owned')
    allow(stack, { ownership: 'mine', fields: ['title'] })
    expect(await read(stack, `/meetings/${owned}`)).toEqual({ id: owned, title: expect.any(String) })
    expect((await ask(stack, `/meetings/${idsOf('shared')[0]}`)).status).toBe(404)
    // `ownership` is not shown, but it is requested, because no row can be trusted without it.
    const { meetings } = await read<List>(stack, '/meetings?limit=100')
    expect(meetings.map(({ id }) => id)).toEqual(idsOf('owned'))

    const rows = [
      { id: '1', ownership: 'shared' },
      { id: '2', ownership: 'owned' },
    ]
    stack.upstream.use(respond({ status: 200, body: { meetings: rows } }))
    expect(await read(stack, '/meetings?q=x')).toEqual({ meetings: [{ id: '2' }], next_cursor: null })
  })
})

describe('S15 TTL and session id follow the grant', () => {
  const mint = async (body: object, grant: Partial<Grant> = {}) => {
    await using stack = await startStack()
    stack.grant = { user: 'ada', ...grant }
    const response = await ask(stack, '/session-token', post(body))
    const { status, text } = response
    return { status, body: JSON.parse(text) as object, sent: stack.upstream.requests[0]?.body }
  }

  it.each([
    ['stt', [4, 0, -5, 301, 1_440, 5.5, Number.NaN, Infinity, 1e300, '60', [60], true]],
    ['tts', [301]],
    ['viva', [301]],
    ['vt', [4, 1_441]],
  ])('S15 a wrong time to live for %s is 400, and goes nowhere', async (usage_type, ttls) => {
    for (const expiration_ttl of ttls) {
      const { body, sent } = await mint({ usage_type, expiration_ttl })
      expect(body).toMatchObject({ status: 400, error_code: 'VALIDATION_ERROR', field: 'expiration_ttl' })
      expect(sent).toBeUndefined()
    }
  })

  it.each([
    ['stt', 5, undefined, 5],
    ['stt', 300, undefined, 300],
    ['vt', 1_440, undefined, 1_440],
    ['stt', 300, 60, 60],
    ['stt', 30, 60, 30],
    ['stt', undefined, 60, 60],
    ['stt', undefined, 180, undefined],
    ['stt', undefined, 179, 179],
    ['stt', undefined, undefined, undefined],
    ['vt', 1_440, 600, 600],
  ])('S15 %s for %s under %s is %s', async (usage_type, asked, max, expected) => {
    const { status, sent, body } = await mint({ usage_type, expiration_ttl: asked }, { maxTtlMinutes: max })
    expect(status).toBe(200)
    expect(sent).toEqual({ usage_type, ...(expected !== undefined && { expiration_ttl: expected }) })
    expect((body as { expires_in_ms: number }).expires_in_ms).toBeLessThanOrEqual((expected ?? 180) * 60_000)
  })

  it.each([
    ['browser', undefined, { metadata: { session_id: 'browser' } }],
    ['browser', 'support-7', { metadata: { session_id: 'support-7' } }],
    [undefined, undefined, {}],
  ])('S15 the session id %s under %s', async (session_id, sessionId, sent) => {
    const minted = await mint({ usage_type: 'stt', session_id }, { sessionId })
    expect(minted.sent).toEqual({ usage_type: 'stt', ...sent })
  })

  it.each([
    ['x', 255],
    ['😀', 127],
  ])('S15 a session id has at most 255 UTF-16 units: %s', async (letter, most) => {
    const statusOf = async (length: number) =>
      (await mint({ usage_type: 'stt', session_id: letter.repeat(length) })).status
    expect([await statusOf(most), await statusOf(most + 1)]).toEqual([200, 400])
  })
})

describe('S16 responses are rebuilt', () => {
  const headers = {
    'set-cookie': 'a=b',
    'x-upstream': 'yes',
    server: 'secret/1',
    etag: '"1"',
    'cache-control': 'public',
  }
  const expectOwnHeaders = (got: object) => {
    expect(got).toMatchObject({ 'cache-control': 'no-store, no-transform' })
    for (const name of ['set-cookie', 'x-upstream', 'server', 'etag']) expect(got).not.toHaveProperty(name)
  }

  it('S16 a token response has its eight fields', async () => {
    await using stack = await startStack()
    const body = tokenBody({ team: 'secret' }, { debug: 'secret' })
    stack.upstream.use(respond({ status: 200, headers, body }, { on: 'token' }))
    const response = await ask(stack, '/session-token', MINT)
    expect(JSON.parse(response.text)).toEqual({
      session_key: 'st_1',
      usage_type: 'stt',
      type: 'session',
      status: 'active',
      expires_at: '2099-01-01T00:00:00.000Z',
      expires_in_ms: 180 * 60_000,
      stream_url: `${stack.upstream.streamingUrl}/stt`,
      req_id: Reflect.get(body, 'req_id'),
    })
    expectOwnHeaders(response.headers)
  })

  it('S16 a list response has the requested fields', async () => {
    await using stack = await startStack()
    const row = { id: 'm1', title: 'A', participants: [{ email: 'x@y' }], transcript: 's', owner_key: 's' }
    const body = { meetings: [row], next_cursor: 'c', total: 7, took_ms: 3, account: 'secret' }
    stack.upstream.use(respond({ status: 200, headers, body }))
    const response = await ask(stack, '/meetings?fields=title')
    const expected = { meetings: [{ id: 'm1', title: 'A' }], next_cursor: 'c', total: 7 }
    expect(JSON.parse(response.text)).toEqual(expected)
    expectOwnHeaders(response.headers)
    expect((await ask(stack, '/meetings/m1?fields=title')).code).toBe('UPSTREAM_MALFORMED')
  })
})

it('S60 what was seen holds no secret, in events and lines, wherever the service repeats it', async () => {
  // Longer than any limit of a text, and in the characters of a name as far as a key can be.
  const apiKey = 'key-0123456789-'.padEnd(60, 'abc0')
  const lines: string[] = []
  const print = (line: string) => lines.push(line)
  await using stack = await startStack({ bff: { apiKey, logger: { warn: print, error: print } } })
  const json = { 'content-type': 'application/json' }
  const answers: Parameters<typeof respond>[0][] = [
    { status: 200, body: tokenBody({ expires_at: apiKey }) },
    { status: 200, body: tokenBody({ usage_type: apiKey }) },
    { status: 200, body: tokenBody({ type: apiKey }) },
    { status: 200, body: tokenBody({ session_key: `${apiKey} ` }) },
    { status: 200, body: 'x', headers: { ...json, 'content-encoding': apiKey } },
    { status: 200, body: 'x', headers: { 'content-type': `text/${apiKey}` } },
    { status: 302, headers: { location: `https://${apiKey}.example.com/${apiKey}` } },
    { status: 403, body: { error_code: apiKey } },
    { status: 429, headers: { 'retry-after': apiKey } },
    { status: 200, body: apiKey, headers: json },
  ]
  for (const answer of answers) {
    stack.upstream.use(respond(answer, { times: 1, on: 'token' }))
    expect((await ask(stack, '/session-token', MINT)).status).toBeGreaterThan(400)
  }
  const seen = stack.events.flatMap((event) => ('seen' in event && event.seen ? [event.seen.cause] : []))
  const causes = 'field field field field changed elsewhere elsewhere token changed'
  expect(seen.join(' ')).toBe(causes)
  expect(lines.length).toBeGreaterThan(2)
  expect(JSON.stringify([lines, stack.events])).not.toContain(apiKey.slice(0, 15))
})

it.each([
  ['LICENSE_VALID', 'LICENSE_VALID'],
  ['active', 'active'],
  ['key-0123456789', undefined],
  ['two words', undefined],
  ['', undefined],
])('S20 the status of a token is passed on only as one word: %j', async (status, expected) => {
  await using stack = await startStack({ bff: { apiKey: 'key-0123456789' } })
  stack.upstream.use(respond({ status: 200, body: tokenBody({ status }) }, { on: 'token' }))
  const answer = await ask(stack, '/session-token', MINT)
  expect(answer.status).toBe(200)
  expect((JSON.parse(answer.text) as { status?: string }).status).toBe(expected)
})

it('S60 no user can make the BFF forget a credential', async () => {
  const credential = '9d8c7b6a-1234-4cde-8f00-abcdefabcdef'
  await using stack = await startStack({ bff: { limits: { tokensPerMinute: Infinity } } })
  stack.grant = { user: 'ada', meetings: { credential: () => credential } }
  const readId = async () => {
    const body = { error_code: 'X', req_id: credential }
    stack.upstream.use(respond({ status: 500, body }, { times: 1, on: 'meetings' }))
    return (JSON.parse((await ask(stack, '/tags')).text) as { req_id?: string }).req_id
  }
  expect(await readId()).toBeUndefined()
  for (let nth = 0; nth < 40; nth += 1) {
    const body = JSON.stringify({ usage_type: 'stt', session_key: `${nth}-`.padEnd(8_100, 'x') })
    await ask(stack, '/handshake-check', { method: 'POST', body })
  }
  expect(await readId()).toBeUndefined()
})

describe('S18 an id of the upstream that may be a secret is omitted', () => {
  const UUID = '0b9c2a54-1d3e-4f60-8a71-92b3c4d5e6f7'
  const read = async (stack: Stack, path: string, init?: typeof MINT) => {
    const { text } = await ask(stack, path, init)
    return { text, events: JSON.stringify(stack.events) }
  }
  const readId = async (stack: Stack, path: string, req_id: unknown) => {
    stack.upstream.use(respond({ status: 500, body: { error_code: 'X', req_id } }, { times: 1 }))
    const { text, events } = await read(stack, path, path === '/session-token' ? MINT : undefined)
    expect(JSON.parse(text)).toMatchObject({ error_code: 'UPSTREAM_ERROR' })
    return { id: (JSON.parse(text) as { req_id?: string }).req_id, events }
  }
  const PATHS = ['/tags', '/session-token', '/meetings', '/meetings/1']

  it.each(PATHS)('only its known forms pass, of %s', async (path) => {
    await using stack = await startStack()
    for (const id of [UUID, UUID.replaceAll('-', ''), UUID.toUpperCase()])
      expect((await readId(stack, path, id)).id).toBe(id)
    for (const id of ['req_00000001', '7', '4bf92f3577b34da6', '01ARZ3NDEKTSV4RRFFQ69G5FAV', `req_${UUID}`])
      expect((await readId(stack, path, id)).id).toBeUndefined()
    const { apiKey, meetingsCredential } = stack.upstream
    for (const secret of [apiKey, meetingsCredential]) {
      const forms = [secret, secret.slice(0, -1), secret.slice(4), Buffer.from(secret).toString('base64url')]
      for (const form of [...forms, `r-${secret}.1`, Buffer.from(secret).toString('hex')]) {
        const { id, events } = await readId(stack, path, form)
        expect(id).toBeUndefined()
        expect(events).not.toContain(form)
      }
    }
  })

  it.each(PATHS)('a secret in such a form does not pass, whatever was asked before, of %s', async (path) => {
    const credential = UUID.replaceAll('b', 'a')
    for (const before of [[], PATHS]) {
      await using stack = await startStack({ bff: { apiKey: UUID } })
      stack.grant = { user: 'ada', meetings: { credential } }
      for (const other of before) await read(stack, other, other === '/session-token' ? MINT : undefined)
      for (const secret of [UUID, credential])
        for (const form of [secret, secret.replaceAll('-', ''), secret.toUpperCase(), `req-${secret}`])
          expect((await readId(stack, path, form)).id).toBeUndefined()
    }
  })

  it('also of a token that cannot be used', async () => {
    await using stack = await startStack()
    for (const data of [{ usage_type: 'vt' }, { expires_at: 'soon' }, { type: 'other' }]) {
      const body = tokenBody({ session_key: UUID, ...data }, { req_id: UUID })
      stack.upstream.use(respond({ status: 200, body }, { times: 1 }))
      const { text, events } = await read(stack, '/session-token', MINT)
      expect(JSON.parse(text)).toMatchObject({ error_code: 'UPSTREAM_MALFORMED' })
      expect(text + events).not.toContain(UUID)
    }
  })
})
