import { BFF_ERRORS, type BffErrorCode } from '@stagepass/contract'
import { fail } from '@stagepass/emulator'
import { rawRequest, startStack } from '@stagepass/testing'
import express from 'express'
import { describe, expect, it } from 'vitest'
import { type Authorize, type BffOptions, createBff, type Grant } from '../index.js'
import { ROUTES } from '../routes/matchRoute.js'

const MOUNT = '/api/voice'
const pathOf = (route: { path: string }) => MOUNT + route.path.replace(':id', 'm-1')

/** A request that each route would serve. */
const bodyOf = (name: string): string | undefined =>
  ({
    'session-token': '{"usage_type":"stt"}',
    'handshake-check': '{"usage_type":"stt","session_key":"st_1"}',
  })[name]

const codeOf = (text: string): unknown => (JSON.parse(text) as { error_code: unknown }).error_code

describe('S1 authorize', () => {
  it('S1 creation throws without it', () => {
    const options = { apiKey: 'k', baseUrl: 'https://a.example', streamingUrl: 'wss://a.example' }
    expect(() => createBff(options as unknown as BffOptions)).toThrow(
      'Failed to create the BFF: "authorize" is missing or not a function. Pass one that returns a grant for a signed-in user and null for anyone else.',
    )
  })

  const answers: [string, Authorize, BffErrorCode][] = [
    ['returns null', () => null, 'UNAUTHENTICATED'],
    ['returns nothing', () => undefined, 'UNAUTHENTICATED'],
    ['returns false', async () => false as const, 'UNAUTHENTICATED'],
    ['throws', () => Promise.reject(new Error('the session store is down')), 'AUTHORIZE_FAILED'],
    [
      'throws at once',
      () => {
        throw new TypeError('of undefined')
      },
      'AUTHORIZE_FAILED',
    ],
    ['runs past the deadline', () => new Promise<null>(() => undefined), 'AUTHORIZE_FAILED'],
    ['returns a string', () => 'ada' as unknown as Grant, 'AUTHORIZE_FAILED'],
    ['returns a grant without a user', () => ({ products: ['stt'] }) as unknown as Grant, 'AUTHORIZE_FAILED'],
    [
      'returns an unknown product',
      () => ({ user: 'a', products: ['x'] }) as unknown as Grant,
      'AUTHORIZE_FAILED',
    ],
    ['returns a misspelt limit', () => ({ user: 'a', maxTTL: 5 }) as unknown as Grant, 'AUTHORIZE_FAILED'],
    ['returns a life below the least', () => ({ user: 'a', maxTtlMinutes: 4 }), 'AUTHORIZE_FAILED'],
    [
      'returns a credential that no header can hold',
      () => ({ user: 'a', meetings: { credential: 'a\nb' } }),
      'AUTHORIZE_FAILED',
    ],
  ]
  it.each(answers)('S1 authorize that %s: no upstream call', async (_what, authorize, code) => {
    await using stack = await startStack({ bff: { authorize, deadlineMs: 50 } })
    for (const [path, init] of [
      ['/session-token', { json: { usage_type: 'stt' } }],
      ['/meetings', {}],
    ] as const) {
      const response = await stack.fetch(path, init)
      expect(response.status).toBe(BFF_ERRORS[code].status)
      expect(await response.json()).toMatchObject({ error_code: code })
    }
    expect(stack.upstream.requests).toEqual([])
  })

  it('S1 a grant that is none lets nothing through', async () => {
    await using stack = await startStack()
    const credential = 'c'
    const grants: unknown[] = [
      {},
      { user: '' },
      { user: 7 },
      { user: 'ada', products: ['asr'] },
      { user: 'ada', products: 'stt' },
      { user: 'ada', maxTtlMinutes: '60' },
      { user: 'ada', maxTtlMinutes: Number.NaN },
      { user: 'ada', sessionId: 'x'.repeat(256) },
      { user: 'ada', meetings: {} },
      { user: 'ada', meetings: { credential, ownership: 'owned' } },
      { user: 'ada', meetings: { credential, fields: 'title' } },
      { user: 'ada', meetings: { credential, weight: 0 } },
      { user: 'ada', meetings: { credential, weight: '2' } },
      true,
      [],
    ]
    for (const grant of grants) {
      stack.grant = grant as Grant
      for (const route of ROUTES) {
        const body = bodyOf(route.name)
        const { error_code } = (await (
          await stack.fetch(route.path.replace(':id', 'm-1'), {
            method: route.method,
            headers: { 'content-type': 'application/json' },
            ...(body !== undefined && { body }),
          })
        ).json()) as { error_code: string }
        expect([grant, error_code]).toEqual([grant, 'AUTHORIZE_FAILED'])
      }
    }
    expect(stack.upstream.requests).toEqual([])
    expect(stack.events.filter(({ type }) => type === 'authorize.failed')).toHaveLength(
      grants.length * ROUTES.length,
    )
  })

  it('S1 asks once a request, and not for what the gate blocks', async () => {
    let asked = 0
    await using stack = await startStack({ bff: { authorize: () => ((asked += 1), { user: 'ada' }) } })
    const mint = { json: { usage_type: 'stt' } }
    await stack.fetch('/session-token', { ...mint, headers: { 'x-stagepass': '0' } })
    await stack.fetch('/health')
    expect(asked).toBe(0)
    await stack.fetch('/session-token', mint)
    expect(asked).toBe(1)
  })

  it('S1 says in an event what is wrong with a grant, and not what is in it', async () => {
    const grant = { user: 'a', meetings: { credential: 'vm_secret\n' } }
    await using stack = await startStack({ bff: { authorize: () => grant } })
    await stack.fetch('/tags')
    expect(stack.events).toContainEqual({
      type: 'authorize.failed',
      requestId: expect.any(String),
      problem:
        'The grant\'s "meetings.credential" cannot be used: it begins or ends with white space. Return the bearer credential, or a function that gives it.',
    })
  })

  it('S1 keeps what authorize threw for code that asks, out of sight of loggers', async () => {
    const thrown = new Error('connect ECONNREFUSED db:5432')
    await using stack = await startStack({ bff: { authorize: () => Promise.reject(thrown) } })
    await stack.fetch('/tags')
    const event = stack.events.find(({ type }) => type === 'authorize.failed')
    expect(event).toHaveProperty('cause', thrown)
    expect(JSON.stringify(event)).not.toContain('db:5432')
  })
})

describe('S2 every route', () => {
  it('S2 has the five routes of the wire behind the gate', () => {
    expect(ROUTES.map(({ method, path }) => `${method} ${path}`)).toEqual([
      'POST /session-token',
      'GET /meetings',
      'GET /meetings/:id',
      'GET /tags',
      'POST /handshake-check',
    ])
  })

  it.each(ROUTES.map((route) => [route.name, route] as const))(
    'S2 %s refuses a missing header, a cross-site request and an unauthenticated one',
    async (_name, route) => {
      await using stack = await startStack()
      const send = (headers: Record<string, string>) =>
        rawRequest(stack.origin, {
          method: route.method,
          path: pathOf(route),
          headers: { 'content-type': 'application/json', ...headers },
          body: bodyOf(route.name),
        })

      const bare = await send({})
      expect([bare.status, codeOf(bare.text)]).toEqual([403, 'CROSS_SITE_BLOCKED'])
      const crossSite = await send({
        'x-stagepass': '1',
        'sec-fetch-site': 'cross-site',
        origin: 'https://evil.example',
      })
      expect([crossSite.status, codeOf(crossSite.text)]).toEqual([403, 'CROSS_SITE_BLOCKED'])
      stack.grant = null
      const nobody = await send({ 'x-stagepass': '1', 'sec-fetch-site': 'same-origin' })
      expect([nobody.status, codeOf(nobody.text)]).toEqual([401, 'UNAUTHENTICATED'])
      expect(stack.upstream.requests).toEqual([])
    },
  )

  it('S2 the gate comes before 404 and 405', async () => {
    await using stack = await startStack()
    const send = (method: string, path: string, headers: Record<string, string> = {}) =>
      rawRequest(stack.origin, { method, path: MOUNT + path, headers }).then(({ text }) => codeOf(text))
    expect(await send('GET', '/nowhere')).toBe('CROSS_SITE_BLOCKED')
    expect(await send('DELETE', '/session-token')).toBe('CROSS_SITE_BLOCKED')
    stack.grant = null
    expect(await send('GET', '/nowhere', { 'x-stagepass': '1' })).toBe('UNAUTHENTICATED')
    expect(await send('DELETE', '/session-token', { 'x-stagepass': '1' })).toBe('UNAUTHENTICATED')
  })
})

describe('S3 the custom header', () => {
  it.each([[undefined], [''], ['0'], ['true'], ['1, 1'], ['11']])(
    'S3 refuses x-stagepass: %s, on GET too',
    async (value) => {
      await using stack = await startStack()
      const answer = await rawRequest(stack.origin, {
        path: `${MOUNT}/meetings`,
        headers: { 'sec-fetch-site': 'same-origin', ...(value !== undefined && { 'x-stagepass': value }) },
      })
      expect([answer.status, codeOf(answer.text)]).toEqual([403, 'CROSS_SITE_BLOCKED'])
      expect(stack.events).toContainEqual(expect.objectContaining({ type: 'gate.blocked', reason: 'header' }))
    },
  )

  it('S3 stands in the way of every spelling of a path', async () => {
    await using stack = await startStack()
    for (const path of [
      '/TAGS',
      '/tags/',
      '//tags',
      '/tags//',
      '/./tags',
      '/x/../tags',
      '/%74ags',
      '/tags?x',
      '/health/../tags',
      '/health/..%2ftags',
      '/health%2f..%2ftags',
      '/health;/tags',
      '/meetings/%2e%2e/tags',
    ]) {
      const { status } = await rawRequest(stack.origin, { path: MOUNT + path })
      expect([path, status === 403 || status === 404]).toEqual([path, true])
    }
    expect(stack.upstream.requests).toEqual([])
  })

  it('S3 leaves health alone', async () => {
    await using stack = await startStack()
    const answer = await rawRequest(stack.origin, { path: `${MOUNT}/health` })
    expect([answer.status, answer.text]).toEqual([200, '{"status":"ok"}'])
  })
})

const LISTED = 'https://app.example.com'

// The table of methods, cookies, origins and sites is in gateTable.test.ts.
it.each(['', 'SAME-ORIGIN', 'same-party'])('S4 Sec-Fetch-Site "%s" is refused', async (site) => {
  await using stack = await startStack()
  const headers = { 'x-stagepass': '1', 'sec-fetch-site': site }
  expect((await rawRequest(stack.origin, { path: `${MOUNT}/tags`, headers })).status).toBe(403)
})

it('S4 Fetch Metadata sent twice is refused', async () => {
  await using stack = await startStack()
  const headers = { 'x-stagepass': '1', 'sec-fetch-site': ['same-origin', 'cross-site'] }
  expect((await rawRequest(stack.origin, { path: `${MOUNT}/tags`, headers })).status).toBe(403)
})

describe('S5 Origin is compared exactly', () => {
  it.each([
    ['http://app.example.com', 200],
    ['null', 403],
    ['*', 403],
    ['http://0x7f000001', 403],
    ['', 403],
    ['http://app.example.co', 403],
    ['http://app.example.com.', 403],
    ['http://APP.example.com', 403],
    ['HTTP://app.example.com', 403],
    ['https://app.example.com', 403],
    ['http://app.example.com:8080', 403],
    ['http://user@app.example.com', 403],
    ['http://app.example.com.evil.example', 403],
    ['http://evilapp.example.com', 403],
    ['http://app.example.com/', 403],
    ['http://app.example.com, http://app.example.com', 403],
  ])('S5 %s against its own host: %i', async (origin, status) => {
    await using stack = await startStack()
    const answer = await rawRequest(stack.origin, {
      path: `${MOUNT}/tags`,
      headers: { 'x-stagepass': '1', host: 'app.example.com', origin },
    })
    expect(answer.status).toBe(status)
  })

  it.each([
    ['null'],
    ['https://app.example.com.'],
    ['https://APP.example.com'],
    ['https://app.example.com:443'],
    ['http://app.example.com'],
    ['https://app.example.com.evil.example'],
  ])('S5 %s against the list', async (origin) => {
    await using stack = await startStack({ bff: { allowedOrigins: [LISTED] } })
    const headers = { 'x-stagepass': '1', 'sec-fetch-site': 'cross-site', origin }
    expect((await rawRequest(stack.origin, { path: `${MOUNT}/tags`, headers })).status).toBe(403)
  })

  it('S5 takes the outer host and scheme from a proxy only where the host trusts one', async () => {
    const headers = {
      'x-stagepass': '1',
      origin: 'https://outer.example',
      'x-forwarded-host': 'outer.example',
      'x-forwarded-proto': 'https',
    }
    await using wary = await startStack()
    expect((await rawRequest(wary.origin, { path: `${MOUNT}/tags`, headers })).status).toBe(403)
    await using trusting = await startStack({ app: (app) => app.set('trust proxy', true) })
    expect((await rawRequest(trusting.origin, { path: `${MOUNT}/tags`, headers })).status).toBe(200)
    const inner = { ...headers, origin: trusting.origin }
    expect((await rawRequest(trusting.origin, { path: `${MOUNT}/tags`, headers: inner })).status).toBe(403)
  })

  it('S5 a Host with capitals or a default port is the same host', async () => {
    await using stack = await startStack()
    const headers = { 'x-stagepass': '1', host: 'App.example.com:80', origin: 'http://app.example.com' }
    expect((await rawRequest(stack.origin, { path: `${MOUNT}/tags`, headers })).status).toBe(200)
  })
})

describe('S6 CORS', () => {
  const corsOf = (headers: object) =>
    Object.fromEntries(
      Object.entries(headers).filter(([name]) => name.startsWith('access-control') || name === 'vary'),
    )

  it('S6 sends no CORS headers by default, and leaves OPTIONS to the gate', async () => {
    await using stack = await startStack()
    const answer = await rawRequest(stack.origin, {
      method: 'OPTIONS',
      path: `${MOUNT}/session-token`,
      headers: { origin: LISTED, 'access-control-request-method': 'POST' },
    })
    expect(answer.status).toBe(403)
    expect(corsOf(answer.headers)).toEqual({})
  })

  it('S6 answers the preflight of a listed origin itself', async () => {
    const asked: string[] = []
    await using stack = await startStack({
      bff: { allowedOrigins: [LISTED], authorize: (req) => (asked.push(req.method), null) },
    })
    const answer = await rawRequest(stack.origin, {
      method: 'OPTIONS',
      path: `${MOUNT}/session-token`,
      headers: {
        origin: LISTED,
        'access-control-request-method': 'POST',
        'access-control-request-headers': 'content-type, x-stagepass, authorization',
      },
    })
    expect(answer.status).toBe(204)
    expect(corsOf(answer.headers)).toEqual({
      'access-control-allow-origin': LISTED,
      'access-control-allow-credentials': 'true',
      'access-control-allow-methods': 'GET, POST',
      'access-control-allow-headers': 'content-type, x-stagepass, authorization',
      'access-control-expose-headers': 'Retry-After',
      'access-control-max-age': '600',
      vary: 'Origin',
    })
    expect(answer.headers).toMatchObject({
      'cache-control': 'no-store, no-transform',
      'x-content-type-options': 'nosniff',
      'referrer-policy': 'no-referrer',
    })
    expect(asked).toEqual([])
    expect(stack.upstream.requests).toEqual([])
  })

  it('S6 varies by Origin, also for a request with another one or none', async () => {
    await using stack = await startStack({ bff: { allowedOrigins: [LISTED] } })
    for (const origin of [{ origin: 'https://evil.example' }, {}]) {
      const headers = { 'x-stagepass': '1', ...origin }
      const answer = await rawRequest(stack.origin, { path: `${MOUNT}/tags`, headers })
      expect(corsOf(answer.headers)).toEqual({ vary: 'Origin' })
    }
  })

  it('S6 refuses the preflight of any other origin, without a word that it could use', async () => {
    await using stack = await startStack({ bff: { allowedOrigins: [LISTED] } })
    const answer = await rawRequest(stack.origin, {
      method: 'OPTIONS',
      path: `${MOUNT}/session-token`,
      headers: { origin: 'https://evil.example', 'access-control-request-method': 'POST' },
    })
    expect(answer.status).toBe(403)
    expect(corsOf(answer.headers)).toEqual({ vary: 'Origin' })
  })

  it('S6 errors carry the CORS headers and expose Retry-After', async () => {
    await using stack = await startStack({
      bff: { allowedOrigins: [LISTED], limits: { tokensPerMinute: 1 } },
    })
    const send = async (status: number, path: string, method = 'GET') => {
      const answer = await rawRequest(stack.origin, {
        method,
        path: MOUNT + path,
        headers: {
          origin: LISTED,
          'sec-fetch-site': 'cross-site',
          'x-stagepass': '1',
          'content-type': 'application/json',
        },
        body: method === 'POST' ? '{"usage_type":"stt"}' : undefined,
      })
      expect([path, answer.status, corsOf(answer.headers)]).toEqual([
        path,
        status,
        {
          'access-control-allow-origin': LISTED,
          'access-control-allow-credentials': 'true',
          'access-control-expose-headers': 'Retry-After',
          vary: 'Origin',
        },
      ])
      return answer.headers['retry-after']
    }
    stack.upstream.use(fail('CACHE_UNAVAILABLE'))
    expect(await send(503, '/session-token', 'POST')).toBe('1')
    expect(await send(429, '/session-token', 'POST')).toBeDefined()
    await send(400, '/meetings?limit=0')
    await send(404, '/nowhere')
    await send(405, '/tags', 'DELETE')
    stack.grant = null
    await send(401, '/tags')
    await stack.bff.close()
    await send(503, '/tags')
  })
})

describe('S7 methods and media types', () => {
  it.each(ROUTES.map((route) => [route.name, route] as const))(
    'S7 %s answers other methods with 405 and Allow',
    async (_name, route) => {
      await using stack = await startStack()
      const others = ['GET', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS', 'HEAD'].filter(
        (method) => method !== route.method,
      )
      for (const method of others) {
        const answer = await rawRequest(stack.origin, {
          method,
          path: pathOf(route),
          headers: { 'x-stagepass': '1' },
        })
        expect([method, answer.status, answer.headers.allow]).toEqual([method, 405, route.method])
      }
      expect(stack.upstream.requests).toEqual([])
    },
  )

  it('S7 HEAD mints nothing', async () => {
    await using stack = await startStack()
    const headers = { 'x-stagepass': '1', 'content-type': 'application/json', 'content-length': 20 }
    const answer = await rawRequest(stack.origin, {
      method: 'HEAD',
      path: `${MOUNT}/session-token`,
      headers,
      body: '{"usage_type":"stt"}',
    })
    expect([answer.status, answer.headers.allow, answer.text]).toEqual([405, 'POST', ''])
    expect(stack.upstream.requests).toEqual([])
  })

  it.each([
    [undefined, 415],
    ['text/plain', 415],
    ['application/x-www-form-urlencoded', 415],
    ['application/jsonp', 415],
    ['application/json; charset=utf-16', 415],
    ['application/json', 200],
    ['Application/JSON; charset=UTF-8', 200],
  ])('S7 Content-Type %s: %i', async (contentType, status) => {
    await using stack = await startStack()
    const answer = await rawRequest(stack.origin, {
      method: 'POST',
      path: `${MOUNT}/session-token`,
      headers: { 'x-stagepass': '1', ...(contentType && { 'content-type': contentType }) },
      body: '{"usage_type":"stt"}',
    })
    expect(answer.status).toBe(status)
  })
})

describe('S9 names with a meaning of their own', () => {
  it.each([
    ['a body', 'POST', '/session-token', '{"usage_type":"stt","__proto__":{"polluted":true}}', '__proto__'],
    [
      'a body',
      'POST',
      '/session-token',
      '{"usage_type":"stt","constructor":{"prototype":{"polluted":true}}}',
      'constructor',
    ],
    ['a body', 'POST', '/session-token', '{"usage_type":"__proto__"}', 'usage_type'],
    ['a query', 'POST', '/session-token?usage_type=stt', '{"usage_type":"stt"}', 'usage_type'],
    ['a query', 'GET', '/meetings?__proto__[polluted]=1', undefined, 'query'],
    ['a query', 'GET', '/meetings?__proto__=1', undefined, '__proto__'],
    ['a query', 'GET', '/meetings?constructor=1', undefined, 'constructor'],
    ['a query', 'GET', '/meetings?fields=__proto__', undefined, 'fields'],
    ['a query', 'GET', '/meetings?limit=1&limit=2', undefined, 'limit'],
    ['a query', 'GET', '/meetings?limit=1&%6Cimit=2', undefined, 'limit'],
  ])('S9 %s is 400 and changes nothing: %s %s', async (_where, method, path, body, field) => {
    await using stack = await startStack()
    const answer = await rawRequest(stack.origin, {
      method,
      path: MOUNT + path,
      headers: { 'x-stagepass': '1', 'content-type': 'application/json' },
      body,
    })
    expect(JSON.parse(answer.text)).toMatchObject({ status: 400, error_code: 'VALIDATION_ERROR', field })
    expect(Object.prototype).not.toHaveProperty('polluted')
    expect(stack.upstream.requests).toEqual([])
  })

  it('S9 a body that the host has parsed changes nothing either', async () => {
    await using stack = await startStack({ app: (app) => app.use(express.json()) })
    const answer = await rawRequest(stack.origin, {
      method: 'POST',
      path: `${MOUNT}/session-token`,
      headers: { 'x-stagepass': '1', 'content-type': 'application/json' },
      body: '{"usage_type":"stt","__proto__":{"polluted":true}}',
    })
    expect(answer.status).toBe(400)
    expect(Object.prototype).not.toHaveProperty('polluted')
  })

  it('S9 a grant gives nothing through its prototype', async () => {
    const inherited = Object.create({ meetings: { credential: 'vm_x' }, products: ['tts'] }) as {
      user: string
    }
    inherited.user = 'ada'
    const parsed = JSON.parse('{"user":"ada","__proto__":{"products":["tts"]},"constructor":1}') as Grant
    for (const grant of [inherited, parsed]) {
      await using stack = await startStack({ bff: { authorize: () => grant } })
      expect((await stack.fetch('/session-token', { json: { usage_type: 'stt' } })).status).toBe(200)
      expect((await stack.fetch('/meetings')).status).toBe(403)
    }
  })
})

it('S10 limits count by the grant user, never by an address or a header', async () => {
  await using stack = await startStack({
    app: (app) => app.set('trust proxy', true),
    bff: {
      limits: { tokensPerMinute: 2 },
      authorize: (req) => ({ user: String(req.headers['authorization']) }),
    },
  })
  const mint = async (user: string, from: string) => {
    const headers = { authorization: user, 'x-forwarded-for': from, 'x-real-ip': from }
    return (await stack.fetch('/session-token', { json: { usage_type: 'stt' }, headers })).status
  }
  expect([await mint('ada', '1.1.1.1'), await mint('ada', '2.2.2.2'), await mint('ada', '3.3.3.3')]).toEqual([
    200, 200, 429,
  ])
  expect(await mint('bob', '1.1.1.1')).toBe(200)
})

it('works beside another BFF in one process, and mounted in a sub-application', async () => {
  await using stack = await startStack()
  const grant: Grant = { user: 'ada', products: ['tts'] }
  const other = createBff({
    apiKey: stack.upstream.apiKey,
    baseUrl: stack.upstream.baseUrl,
    streamingUrl: stack.upstream.streamingUrl,
    authorize: () => grant,
  })
  stack.app.use('/deep', express().use('/:tenant/voice', other))
  const mint = (path: string) =>
    fetch(stack.origin + path, {
      method: 'POST',
      headers: { 'x-stagepass': '1', 'content-type': 'application/json' },
      body: '{"usage_type":"stt"}',
    })
  expect((await mint('/api/voice/session-token')).status).toBe(200)
  expect((await mint('/deep/acme/voice/session-token')).status).toBe(403)
  await other.close()
  expect((await mint('/deep/acme/voice/session-token')).status).toBe(503)
  expect((await mint('/api/voice/session-token')).status).toBe(200)
})
