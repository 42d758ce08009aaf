import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { BFF_ERRORS } from '@stagepass/contract'
import { fail } from '@stagepass/emulator'
import { startStack } from '@stagepass/testing'
import express from 'express'
import { describe, expect, it, vi } from 'vitest'
import { ask, type Asked, ROUTE_BODIES } from '../../ask.test.kit.js'
import { type Authorize, type BffOptions, createBff, type Grant } from '../../index.js'
import { AuthorizeError } from '../../grant/AuthorizeError.js'
import { ROUTES } from '../routes/matchRoute.js'

const LISTED = 'https://app.example.com'
const MINT = { method: 'POST', body: '{"usage_type":"stt"}' }

const byName = ROUTES.map((route) => [route.name, route] as const)
const pathOf = (route: { path: string }) => route.path.replace(':id', 'm-1')
const requestOf = ({ method, name }: { method: string; name: string }) => ({
  method,
  body: ROUTE_BODIES[name],
})

/** `Vary` of a response to a user, if `allowedOrigins` is set. */
const OF_A_USER = 'Origin, Authorization, Cookie, x-stagepass-user'

describe('S1 authorize', () => {
  it('S1 creation throws without it', () => {
    const options = { apiKey: 'k', baseUrl: 'https://a.example', streamingUrl: 'wss://a.example' }
    expect(() => createBff(options as unknown as BffOptions)).toThrow(
      'Failed to create the BFF: "authorize" is missing or not a function: it is undefined. Pass one that returns a grant for a signed-in user and null for anyone else.',
    )
  })

  // readGrant.test.ts has each way in which a grant can be wrong.
  const failing: [string, () => unknown, problem: string | undefined][] = [
    ['returns null', () => null, undefined],
    ['returns nothing', () => undefined, undefined],
    ['returns false', async () => false as const, undefined],
    [
      'runs past the deadline',
      () => new Promise(() => undefined),
      '"authorize" took longer than 50 ms. Make it faster, or raise "deadlineMs".',
    ],
    [
      'rejects',
      () => Promise.reject(new Error('the session store is down')),
      '"authorize" threw. If a user has no access, it should return null.',
    ],
    [
      'throws at once',
      () => {
        throw new TypeError('of undefined')
      },
      '"authorize" threw. If a user has no access, it should return null.',
    ],
    [
      'throws what says why itself',
      () => Promise.reject(new AuthorizeError('The session server did not answer.')),
      'The session server did not answer.',
    ],
    [
      'returns what cannot be read',
      () => ({
        get user() {
          throw new Error('x')
        },
      }),
      'The grant\'s "user" is an accessor. Return plain data with each key written out, such as { user: user.id, products: user.products }.',
    ],
    [
      'returns what looks like a promise and is none',
      () => JSON.parse('{"user":"ada","then":"x"}') as unknown,
      'The grant has an unknown key "then". Use only: user, products, maxTtlMinutes, sessionId, apiKey, account, usage, sessions, maxSessionMinutes, streamQuery, accountUsage, meetings.',
    ],
    [
      'returns true',
      () => true,
      'The grant is not an object: it is true. Return an object, or null if the user has no access.',
    ],
    [
      'returns a secret that cannot be used, which the event does not hold',
      () => ({ user: 'a', meetings: { credential: 'vm_secret\n' } }),
      'The grant\'s "meetings.credential" cannot be used: it begins or ends with a line break, as the text of a file does: remove it, such as with trim(). Return the bearer credential, or a function that returns it.',
    ],
  ]
  it.each(failing)('S1 authorize that %s: no upstream request', async (_what, authorize, problem) => {
    await using stack = await startStack({
      bff: { authorize: authorize as Authorize<unknown>, deadlineMs: 50 },
    })
    const code = problem === undefined ? 'UNAUTHENTICATED' : 'AUTHORIZE_FAILED'
    for (const route of ROUTES) {
      const answer = await ask(stack, pathOf(route), requestOf(route))
      expect([answer.status, answer.code]).toEqual([BFF_ERRORS[code].status, code])
    }
    expect(stack.upstream.requests).toEqual([])
    const failed = stack.events.filter(({ type }) => type === 'authorize.failed')
    expect(failed).toMatchObject(problem === undefined ? [] : ROUTES.map(() => ({ problem })))
    expect(JSON.stringify(failed)).not.toContain('vm_secret')
  })

  it('S1 is called once for each request, and not for requests that the gate blocks', async () => {
    let asked = 0
    await using stack = await startStack({ bff: { authorize: () => ((asked += 1), { user: 'ada' }) } })
    await ask(stack, '/session-token', { ...MINT, headers: { 'x-stagepass': '0' } })
    await ask(stack, '/health')
    expect(asked).toBe(0)
    await ask(stack, '/session-token', MINT)
    expect(asked).toBe(1)
  })

  it('S44 without a common secret a grant with usage is reported as a mistake of the configuration', async () => {
    await using stack = await startStack({ bff: { redis: () => Promise.resolve([1, 1]) } })
    stack.grant = { user: 'ada', usage: { minutesPerDay: 20 } }
    expect(await ask(stack, '/session-token', MINT)).toMatchObject({ code: 'AUTHORIZE_FAILED' })
    expect(stack.events).toContainEqual(
      expect.objectContaining({
        type: 'authorize.failed',
        problem:
          'The grant has "usage" or "accountUsage". With "redis" this needs a secret that all instances share, because each must be able to read the receipts of the others. Set "userSecret" to a random text, such as the output of: openssl rand -base64 32.',
      }),
    )
    stack.grant = { user: 'ada' }
    expect(await ask(stack, '/session-token', MINT)).toMatchObject({ status: 200 })
    await stack.remount({ userSecret: 'a secret of these tests, of 32 characters' })
    stack.grant = { user: 'ada', usage: {} }
    expect((await ask(stack, '/session-token', MINT)).code).not.toBe('AUTHORIZE_FAILED')
  })

  it('S1 a client that leaves is not a failure of authorize', async () => {
    const leaving = new AbortController()
    await using stack = await startStack({
      bff: { authorize: () => new Promise(() => leaving.abort()), deadlineMs: 60_000 },
    })
    await expect(stack.fetch('/tags', { signal: leaving.signal })).rejects.toThrow('aborted')
    await vi.waitFor(() => expect(stack.events.map(({ type }) => type)).toEqual(['request.abandoned']))
  })

  it('S1 a failure is answered even without a listener', async () => {
    await using bff = createBff({
      apiKey: 'k',
      baseUrl: 'http://127.0.0.1:1',
      streamingUrl: 'ws://127.0.0.1:1',
      authorize: () => Promise.reject(new Error('x')),
      logger: false,
    })
    const server = createServer(bff)
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
    const { port } = server.address() as AddressInfo
    const { status } = await fetch(`http://127.0.0.1:${port}/tags`, { headers: { 'x-stagepass': '1' } })
    expect(status).toBe(503)
    server.closeAllConnections()
    await new Promise((resolve) => server.close(resolve))
  })

  it('S1 keeps the value that authorize threw for code, but hides it from loggers', async () => {
    const thrown = new Error('connect ECONNREFUSED db:5432')
    await using stack = await startStack({ bff: { authorize: () => Promise.reject(thrown) } })
    await ask(stack, '/tags')
    const event = stack.events.find(({ type }) => type === 'authorize.failed')
    expect(event).toHaveProperty('cause', thrown)
    expect(JSON.stringify(event)).not.toContain('db:5432')
  })
})

describe('S2 every route', () => {
  it('S2 has the eleven routes of the wire behind the gate', () => {
    expect(ROUTES.map(({ method, path }) => `${method} ${path}`)).toEqual([
      'POST /session-token',
      'GET /meetings',
      'GET /meetings/:id',
      'GET /tags',
      'POST /handshake-check',
      'GET /usage',
      'POST /usage',
      'POST /vitals',
      'POST /sessions',
      'POST /sessions/:id',
      'DELETE /sessions/:id',
    ])
  })

  it.each([
    ...byName,
    ['nowhere', { name: 'nowhere', method: 'GET', path: '/nowhere' }] as const,
    ['another method', { name: 'other', method: 'DELETE', path: '/session-token' }] as const,
  ])('S2 %s: the gate and authorize come first', async (_name, route) => {
    await using stack = await startStack()
    const send = async (headers: object) => {
      const { status, code } = await ask(stack, pathOf(route), {
        ...requestOf(route),
        headers: { ...headers },
      })
      return [status, code]
    }
    expect(await send({ 'x-stagepass': undefined })).toEqual([403, 'CROSS_SITE_BLOCKED'])
    const evil = { 'sec-fetch-site': 'cross-site', origin: 'https://evil.example' }
    expect(await send(evil)).toEqual([403, 'CROSS_SITE_BLOCKED'])
    stack.grant = null
    expect(await send({ 'sec-fetch-site': 'same-origin' })).toEqual([401, 'UNAUTHENTICATED'])
    expect(stack.upstream.requests).toEqual([])
  })
})

describe('S3 the custom header', () => {
  it.each([undefined, '', '0', 'true', '1, 1', '11'])(
    'S3 refuses x-stagepass: %s, on GET too',
    async (value) => {
      await using stack = await startStack()
      const headers = { 'sec-fetch-site': 'same-origin', 'x-stagepass': value }
      expect((await ask(stack, '/meetings', { headers })).code).toBe('CROSS_SITE_BLOCKED')
      expect(stack.events).toContainEqual(expect.objectContaining({ type: 'gate.blocked', reason: 'header' }))
    },
  )

  it('S3 is required for every spelling of a path, but not for health', async () => {
    await using stack = await startStack()
    const headers = { 'x-stagepass': undefined }
    const spellings =
      '/TAGS /tags/ //tags /tags// /./tags /x/../tags /%74ags /tags?x /health/../tags /health/..%2ftags /health%2f..%2ftags /health;/tags /meetings/%2e%2e/tags'
    for (const path of spellings.split(' '))
      expect([path, (await ask(stack, path, { headers })).status]).toEqual([path, 403])
    expect(stack.upstream.requests).toEqual([])
    const health = await ask(stack, '/health', { headers })
    expect([health.status, health.text]).toEqual([200, '{"status":"ok"}'])
  })
})

// The table of methods, cookies, origins and sites is in gateTable.test.ts.
it.each(['', 'SAME-ORIGIN', 'same-party', ['same-origin', 'cross-site']])(
  'S4 Sec-Fetch-Site %j is refused',
  async (site) => {
    await using stack = await startStack()
    expect((await ask(stack, '/tags', { headers: { 'sec-fetch-site': site } })).status).toBe(403)
  },
)

describe('S5 Origin is compared exactly', () => {
  it("S5 with the server's own host", async () => {
    await using stack = await startStack()
    const send = async (host: string, origin: string) =>
      (await ask(stack, '/tags', { headers: { host, origin } })).status
    const others =
      'null * http://0x7f000001 http://app.example.co http://app.example.com. http://APP.example.com HTTP://app.example.com https://app.example.com http://app.example.com:8080 http://user@app.example.com http://app.example.com.evil.example http://evilapp.example.com http://app.example.com/'
    for (const origin of ['', ...others.split(' '), 'http://app.example.com, http://app.example.com'])
      expect([origin, await send('app.example.com', origin)]).toEqual([origin, 403])
    expect(await send('app.example.com', 'http://app.example.com')).toBe(200)
    // A Host header may have capitals and a default port.
    expect(await send('App.example.com:80', 'http://app.example.com')).toBe(200)
  })

  it('S5 with the list', async () => {
    await using stack = await startStack({ bff: { allowedOrigins: [LISTED] } })
    const others = `null ${LISTED}. https://APP.example.com ${LISTED}:443 http://app.example.com ${LISTED}.evil.example`
    for (const origin of others.split(' ')) {
      const headers = { 'sec-fetch-site': 'cross-site', origin }
      expect([origin, (await ask(stack, '/tags', { headers })).status]).toEqual([origin, 403])
    }
  })
})

describe('S5 pages of applications have schemes of their own', () => {
  it.each([
    'capacitor://localhost',
    'ionic://localhost',
    'tauri://localhost',
    'http://tauri.localhost',
    'https://localhost',
    'app://voice',
    'app://.',
    'app://-',
    'app://obsidian.md',
    'chrome-extension://abcdefghijklmnopabcdefghijklmnop',
    'moz-extension://2c127fa4-62c7-7e4f-90e5-472b45eecfdc',
  ])('S5 %s passes exactly, with CORS headers', async (origin) => {
    await using stack = await startStack({ bff: { allowedOrigins: [origin] } })
    const send = async (sent: string, site: string | undefined) =>
      ask(stack, '/tags', { headers: { origin: sent, ...(site && { 'sec-fetch-site': site }) } })
    for (const site of ['cross-site', undefined]) {
      const passed = await send(origin, site)
      expect(passed.status).toBe(200)
      expect(passed.headers).toMatchObject({
        'access-control-allow-origin': origin,
        'access-control-allow-credentials': 'true',
        vary: OF_A_USER,
      })
      const [scheme = '', host = ''] = origin.split('://')
      const others = [
        `${scheme}://other`,
        `${scheme}://${host}.evil`,
        `${scheme}x://${host}`,
        `${origin}:8080`,
        `${origin}/`,
        `${scheme.toUpperCase()}://${host}`,
        `${scheme}://`,
        `${scheme}:`,
        'null',
      ]
      for (const other of others) {
        const { status, headers } = await send(other, site)
        expect([other, status]).toEqual([other, 403])
        expect(headers).not.toHaveProperty('access-control-allow-origin')
      }
    }
    const preflight = { origin, 'access-control-request-method': 'POST', 'x-stagepass': undefined }
    const answer = await ask(stack, '/session-token', { method: 'OPTIONS', headers: preflight })
    expect(answer.status).toBe(204)
    expect(answer.headers).toMatchObject({ 'access-control-allow-origin': origin })
  })
})

describe('S6 CORS', () => {
  const corsOf = ({ headers }: Asked) =>
    Object.fromEntries(
      Object.entries(headers).filter(([name]) => name.startsWith('access-control') || name === 'vary'),
    )
  const preflight = (origin: string, more: object = {}) => ({
    method: 'OPTIONS',
    headers: { 'x-stagepass': undefined, origin, 'access-control-request-method': 'POST', ...more },
  })

  it('S6 sends no CORS headers by default, and leaves OPTIONS to the gate', async () => {
    await using stack = await startStack()
    const answer = await ask(stack, '/session-token', preflight(LISTED))
    expect([answer.status, corsOf(answer)]).toEqual([403, {}])
  })

  it('S6 answers the preflight of a listed origin itself', async () => {
    const asked: string[] = []
    await using stack = await startStack({
      bff: { allowedOrigins: [LISTED], authorize: (req) => (asked.push(req.method), null) },
    })
    const names = 'content-type, x-stagepass, authorization'
    const wanted = preflight(LISTED, { 'access-control-request-headers': names })
    const answer = await ask(stack, '/session-token', wanted)
    expect([answer.status, corsOf(answer)]).toEqual([
      204,
      {
        'access-control-allow-origin': LISTED,
        'access-control-allow-credentials': 'true',
        'access-control-allow-methods': 'GET, POST',
        'access-control-allow-headers': names,
        'access-control-expose-headers': 'Retry-After, x-stagepass-deadline',
        'access-control-max-age': '600',
        vary: 'Origin',
      },
    ])
    expect(answer.headers).toMatchObject({
      connection: 'keep-alive',
      'cache-control': 'no-store, no-transform',
      'x-content-type-options': 'nosniff',
      'referrer-policy': 'no-referrer',
    })
    expect(asked).toEqual([])
    expect(stack.upstream.requests).toEqual([])
  })

  it.each([
    ['x-a', 'x-a'],
    ['x-a,x-b ,\t x-c', 'x-a,x-b ,\t x-c'],
    ['x-a, <b>', undefined],
    ['<b>, x-a', undefined],
    ['x-a x-b', undefined],
    ['', undefined],
    [undefined, undefined],
  ])('S6 repeats names of headers and nothing else: %j', async (names, allowed) => {
    await using stack = await startStack({ bff: { allowedOrigins: [LISTED] } })
    const wanted = preflight(LISTED, names === undefined ? {} : { 'access-control-request-headers': names })
    const { status, headers } = await ask(stack, '/session-token', wanted)
    expect([status, headers['access-control-allow-headers']]).toEqual([204, allowed])
  })

  it('S6 accepts only OPTIONS as a preflight', async () => {
    await using stack = await startStack({ bff: { allowedOrigins: [LISTED] } })
    const { headers } = preflight(LISTED)
    const { status } = await ask(stack, '/tags', { headers: { ...headers, 'x-stagepass': '1' } })
    expect(status).toBe(200)
    expect((await ask(stack, '/tags', { headers })).status).toBe(403)
  })

  it('S6 sends other origins only the header Vary, even for a preflight', async () => {
    await using stack = await startStack({ bff: { allowedOrigins: [LISTED] } })
    for (const [origin, vary] of [
      ['https://evil.example', 'Origin'],
      [undefined, OF_A_USER],
    ])
      expect(corsOf(await ask(stack, '/tags', { headers: { origin } }))).toEqual({ vary })
    const answer = await ask(stack, '/session-token', preflight('https://evil.example'))
    expect([answer.status, corsOf(answer)]).toEqual([403, { vary: 'Origin' }])
    expect(stack.events).toContainEqual(expect.objectContaining({ type: 'gate.blocked', reason: 'origin' }))
  })

  it('S6 errors carry the CORS headers and expose Retry-After', async () => {
    await using stack = await startStack({
      bff: { allowedOrigins: [LISTED], limits: { tokensPerMinute: 1 } },
    })
    const headers = { origin: LISTED, 'sec-fetch-site': 'cross-site' }
    const send = async (status: number, path: string, request: object = {}) => {
      const answer = await ask(stack, path, { ...request, headers })
      const cors = {
        'access-control-allow-origin': LISTED,
        'access-control-allow-credentials': 'true',
        'access-control-expose-headers': 'Retry-After, x-stagepass-deadline',
        vary: path === '/health' ? 'Origin' : OF_A_USER,
      }
      expect([path, answer.status, corsOf(answer)]).toEqual([path, status, cors])
      return answer.headers['retry-after']
    }
    stack.upstream.use(fail('CACHE_UNAVAILABLE'))
    expect(await send(503, '/session-token', MINT)).toBe('1')
    expect(await send(429, '/session-token', MINT)).toBeDefined()
    await send(400, '/meetings?limit=0')
    await send(404, '/nowhere')
    await send(405, '/tags', { method: 'DELETE' })
    stack.grant = null
    await send(401, '/tags')
    await stack.bff.close()
    await send(503, '/tags')
  })
})

describe('S7 methods and media types', () => {
  it.each(byName)('S7 %s answers other methods with 405 and Allow', async (_name, route) => {
    await using stack = await startStack()
    const methods = ['GET', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS', 'HEAD']
    const own = ROUTES.filter(({ path }) => path === route.path).map(({ method }) => method)
    for (const method of methods.filter((one) => !own.some((known) => known === one))) {
      // A HEAD with the body of a POST does not mint a token either.
      const body = method === 'HEAD' ? ROUTE_BODIES[route.name] : undefined
      const length = { 'content-length': body?.length }
      const { status, headers } = await ask(stack, pathOf(route), { method, body, headers: length })
      expect([method, status, headers.allow]).toEqual([method, 405, own.join(', ')])
    }
    expect(stack.upstream.requests).toEqual([])
  })

  it('S7 accepts only JSON', async () => {
    await using stack = await startStack()
    const refused = [
      undefined,
      'text/plain',
      'application/x-www-form-urlencoded',
      'application/jsonp',
      'application/json; charset=utf-16',
    ]
    const send = async (type: string | undefined) =>
      (await ask(stack, '/session-token', { ...MINT, headers: { 'content-type': type } })).status
    for (const type of refused) expect([type, await send(type)]).toEqual([type, 415])
    for (const type of ['application/json', 'Application/JSON; charset=UTF-8'])
      expect(await send(type)).toBe(200)
  })
})

describe('S9 names that are special in JavaScript', () => {
  const POLLUTING = '{"usage_type":"stt","__proto__":{"polluted":true}}'
  it.each([
    ['/session-token', POLLUTING, '__proto__'],
    ['/session-token', '{"usage_type":"stt","constructor":{"prototype":{"polluted":true}}}', 'constructor'],
    ['/session-token', '{"usage_type":"__proto__"}', 'usage_type'],
    ['/session-token?usage_type=stt', '{"usage_type":"stt"}', 'usage_type'],
    ['/meetings?__proto__[polluted]=1', undefined, 'query'],
    ['/meetings?__proto__=1', undefined, '__proto__'],
    ['/meetings?constructor=1', undefined, 'constructor'],
    ['/meetings?fields=__proto__', undefined, 'fields'],
    ['/meetings?limit=1&limit=2', undefined, 'limit'],
    ['/meetings?limit=1&%6Cimit=2', undefined, 'limit'],
  ])('S9 %s %s is 400 and changes nothing', async (path, body, field) => {
    await using stack = await startStack()
    const { text } = await ask(stack, path, { method: body === undefined ? 'GET' : 'POST', body })
    expect(JSON.parse(text)).toMatchObject({ status: 400, error_code: 'VALIDATION_ERROR', field })
    expect(Object.prototype).not.toHaveProperty('polluted')
    expect(stack.upstream.requests).toEqual([])
  })

  it('S9 are harmless in a body that the host has parsed', async () => {
    await using stack = await startStack({ app: (app) => app.use(express.json()) })
    expect((await ask(stack, '/session-token', { method: 'POST', body: POLLUTING })).status).toBe(400)
    expect(Object.prototype).not.toHaveProperty('polluted')
  })

  it('S9 a grant grants nothing through its prototype', async () => {
    const parsed = JSON.parse('{"user":"ada","__proto__":{"products":["tts"]},"constructor":1}') as Grant
    await using stack = await startStack({ bff: { authorize: () => parsed } })
    expect((await ask(stack, '/session-token', MINT)).status).toBe(200)
    expect((await ask(stack, '/meetings')).status).toBe(403)
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
    return (await ask(stack, '/session-token', { ...MINT, headers })).status
  }
  const ada = [await mint('ada', '1.1.1.1'), await mint('ada', '2.2.2.2'), await mint('ada', '3.3.3.3')]
  expect(ada).toEqual([200, 200, 429])
  expect(await mint('bob', '1.1.1.1')).toBe(200)
})

it('works beside another BFF in one process, and mounted in a sub-application', async () => {
  await using stack = await startStack()
  const grant: Grant = { user: 'ada', products: ['tts'] }
  const { apiKey, baseUrl, streamingUrl } = stack.upstream
  const other = createBff({ apiKey, baseUrl, streamingUrl, authorize: () => grant, logger: false })
  stack.app.use('/deep', express().use('/:tenant/voice', other))
  const headers = { 'x-stagepass': '1', 'content-type': 'application/json' }
  const mint = async (path: string) =>
    (await fetch(`${stack.origin}${path}/session-token`, { ...MINT, headers })).status
  expect([await mint('/api/voice'), await mint('/deep/acme/voice')]).toEqual([200, 403])
  await other.close()
  expect([await mint('/deep/acme/voice'), await mint('/api/voice')]).toEqual([503, 200])
})
