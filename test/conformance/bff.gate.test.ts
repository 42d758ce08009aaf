import { startStack } from '@stagepass/testing'
import { createBff } from '@stagepass/bff'
import express from 'express'
import { describe, expect, it } from 'vitest'
import { type Ask, ask, callsOf } from './kit.js'

const BLOCKED = { status: 403, code: 'CROSS_SITE_BLOCKED', retryable: false }
const token = { json: { usage_type: 'stt' } }
const ROUTES: [string, Ask][] = [
  ['/session-token', token],
  ['/meetings', {}],
  ['/meetings/m-1', {}],
  ['/tags', {}],
  ['/handshake-check', { json: { usage_type: 'stt', session_key: 'x' } }],
]
const with_ = (init: Ask, headers: Ask['headers']): Ask => ({
  ...init,
  headers: { ...init.headers, ...headers },
})

const valid = {
  apiKey: 'planted-key',
  baseUrl: 'https://voice.example',
  streamingUrl: 'wss://voice.example',
  authorize: () => null,
}

describe('creation', () => {
  it('throws without authorize', () => {
    for (const authorize of [undefined, null, 'yes', {}])
      expect(() => createBff({ ...valid, authorize: authorize as never })).toThrow(/authorize/)
  })

  for (const baseUrl of [
    undefined,
    '',
    'voice.example',
    'http://voice.example',
    'ftp://voice.example',
    'https://user:pass@voice.example',
    'http://localhost.evil.example',
    'http://127.0.0.1.evil.example',
    'https://voice.example/?key=1',
    'https://voice.example/#x',
    'javascript:alert(1)',
  ]) {
    it(`refuses baseUrl ${baseUrl}`, () => {
      expect(() => createBff({ ...valid, baseUrl })).toThrow(/baseUrl/)
    })
  }
  for (const streamingUrl of [
    undefined,
    '',
    'https://voice.example',
    'ws://voice.example',
    'wss://a:b@voice.example',
  ]) {
    it(`refuses streamingUrl ${streamingUrl}`, () => {
      expect(() => createBff({ ...valid, streamingUrl })).toThrow(/streamingUrl/)
    })
  }
  for (const baseUrl of [
    'http://localhost:1',
    'http://127.0.0.1:1',
    'http://[::1]:1',
    'https://voice.example:8443/eu',
  ]) {
    it(`accepts baseUrl ${baseUrl}`, async () => {
      await using bff = createBff({ ...valid, baseUrl })
      expect(bff).toBeTypeOf('function')
    })
  }
  for (const apiKey of [
    undefined,
    '',
    ' planted-key',
    'planted-key ',
    'planted\r\nkey',
    'planted\u0000key',
    'planted\u007fkey',
    'planted\tkey\t',
    7,
  ]) {
    it(`refuses the key ${JSON.stringify(apiKey)} in a message without it`, () => {
      let message = ''
      try {
        createBff({ ...valid, apiKey: apiKey as never })
      } catch (error) {
        message = String(error) + String((error as Error).stack)
      }
      expect(message).toMatch(/apiKey/)
      expect(message).not.toContain('planted')
    })
  }
  for (const [name, bad] of [
    ['deadlineMs', { deadlineMs: 0 }],
    ['deadlineMs', { deadlineMs: Number.NaN }],
    ['deadlineMs', { deadlineMs: '10' }],
    ['allowedOrigins', { allowedOrigins: ['app.example'] }],
    ['allowedOrigins', { allowedOrigins: ['*'] }],
    ['allowedOrigins', { allowedOrigins: ['https://app.example/path'] }],
    ['allowedOrigins', { allowedOrigins: ['null'] }],
    ['limits', { limits: { tokensPerMinute: -1 } }],
    ['limits', { limits: { meetingsPerMinute: '5' } }],
    ['meetings', { meetings: { baseUrl: 'http://meetings.example' } }],
    ['meetings', { meetings: { reserve: 25 } }],
    ['meetings', { meetings: { cacheMs: -1 } }],
    ['onEvent', { onEvent: 'log' }],
    ['nonsense', { nonsense: true }],
  ] as const) {
    it(`refuses ${JSON.stringify(bad)} with a sentence that names it`, () => {
      expect(() => createBff({ ...valid, ...(bad as object) })).toThrow(new RegExp(name))
    })
  }
})

describe('authorize', () => {
  for (const returned of [null, undefined, false, 0, '']) {
    it(`${JSON.stringify(returned)} is 401 on every route, with no call`, async () => {
      await using stack = await startStack({ bff: { authorize: () => returned as never } })
      for (const [path, init] of ROUTES) {
        const reply = await ask(stack.url + path, init)
        expect(reply).toBeProblem({ status: 401, code: 'UNAUTHENTICATED', retryable: false })
        expect(reply.headers.location).toBeUndefined()
      }
      expect(callsOf(stack)).toBe(0)
    })
  }
  for (const grant of [
    {},
    { user: '' },
    { user: 7 },
    { user: 'ada', products: ['asr'] },
    { user: 'ada', products: 'stt' },
    { user: 'ada', maxTtlMinutes: 4 },
    { user: 'ada', maxTtlMinutes: '60' },
    { user: 'ada', maxTtlMinutes: Number.NaN },
    { user: 'ada', sessionId: 'x'.repeat(256) },
    { user: 'ada', meetings: {} },
    { user: 'ada', meetings: { credential: 'c', ownership: 'owned' } },
    { user: 'ada', meetings: { credential: 'c', fields: 'title' } },
    { user: 'ada', meetings: { credential: 'c', weight: 0 } },
    { user: 'ada', meetings: { credential: 'c', weight: '2' } },
    true,
    'ada',
    [],
  ]) {
    it(`a grant that is none, ${JSON.stringify(grant)?.slice(0, 60)}, lets nothing through`, async () => {
      await using stack = await startStack({ bff: { authorize: () => grant as never } })
      for (const [path, init] of ROUTES) {
        const reply = await ask(stack.url + path, init)
        expect([401, 503]).toContain(reply.status)
      }
      expect(callsOf(stack)).toBe(0)
    })
  }

  it('is asked once a request, and not for what the gate blocks', async () => {
    let asked = 0
    await using stack = await startStack({
      bff: {
        authorize: () => {
          asked++
          return { user: 'ada' }
        },
      },
    })
    await ask(`${stack.url}/session-token`, with_(token, { 'x-stagepass': null }))
    await ask(`${stack.url}/health`)
    expect(asked).toBe(0)
    await ask(`${stack.url}/session-token`, token)
    expect(asked).toBe(1)
  })

  it('gets the request of the host, with its own additions', async () => {
    await using stack = await startStack({
      app: (app) =>
        app.use((req, _res, next) => {
          Object.assign(req, { session: { userId: 'from-session' } })
          next()
        }),
      bff: {
        authorize: (req) => ({ user: (req as unknown as { session: { userId: string } }).session.userId }),
      },
    })
    await ask(`${stack.url}/session-token`, token)
    expect(JSON.stringify(stack.events)).toContain('from-session')
  })
})

describe('the custom header', () => {
  for (const [path, init] of ROUTES) {
    it(`is required on ${path}`, async () => {
      await using stack = await startStack()
      expect(await ask(stack.url + path, with_(init, { 'x-stagepass': null }))).toBeProblem(BLOCKED)
      expect(callsOf(stack)).toBe(0)
    })
  }
  it('stands in the way of any spelling of the path', async () => {
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
      const reply = await ask(stack.url + path, { headers: { 'x-stagepass': null } })
      expect({ path, blocked: [403, 404].includes(reply.status) }).toEqual({ path, blocked: true })
    }
    expect(callsOf(stack)).toBe(0)
  })
})

describe('Sec-Fetch-Site', () => {
  for (const [path, init] of ROUTES) {
    for (const site of [
      'cross-site',
      'same-site',
      'none',
      'nonsense',
      'SAME-ORIGIN',
      'same-origin, cross-site',
      '',
    ]) {
      it(`${JSON.stringify(site)} is blocked on ${path}`, async () => {
        await using stack = await startStack()
        const reply = await ask(stack.url + path, with_(init, { 'sec-fetch-site': site }))
        expect(reply).toBeProblem(BLOCKED)
        expect(callsOf(stack)).toBe(0)
      })
    }
  }
  it('same-origin passes', async () => {
    await using stack = await startStack()
    expect((await ask(`${stack.url}/tags`, { headers: { 'sec-fetch-site': 'same-origin' } })).status).toBe(
      200,
    )
  })
  for (const site of ['same-site', 'cross-site']) {
    it(`${site} passes with a listed Origin, not with another or none`, async () => {
      await using stack = await startStack({ bff: { allowedOrigins: ['https://app.example'] } })
      const go = (origin: string | null) =>
        ask(`${stack.url}/tags`, { headers: { 'sec-fetch-site': site, origin } })
      expect((await go('https://app.example')).status).toBe(200)
      expect(await go('https://app2.example')).toBeProblem(BLOCKED)
      expect(await go(null)).toBeProblem(BLOCKED)
    })
  }
  it('none is refused with a listed Origin too', async () => {
    await using stack = await startStack({ bff: { allowedOrigins: ['https://app.example'] } })
    const reply = await ask(`${stack.url}/tags`, {
      headers: { 'sec-fetch-site': 'none', origin: 'https://app.example' },
    })
    expect(reply).toBeProblem(BLOCKED)
  })
  it('twice is blocked', async () => {
    await using stack = await startStack()
    const reply = await ask(`${stack.url}/tags`, {
      headers: { 'sec-fetch-site': ['same-origin', 'cross-site'] },
    })
    expect(reply).toBeProblem(BLOCKED)
  })
})

describe('Origin, where Sec-Fetch-Site is absent', () => {
  it("the request's own origin passes", async () => {
    await using stack = await startStack()
    expect((await ask(`${stack.url}/tags`, { headers: { origin: stack.origin } })).status).toBe(200)
  })
  it('a listed one passes', async () => {
    await using stack = await startStack({ bff: { allowedOrigins: ['https://app.example'] } })
    expect((await ask(`${stack.url}/tags`, { headers: { origin: 'https://app.example' } })).status).toBe(200)
  })

  const lookAlikes = (origin: string): string[] => {
    const { protocol, hostname, port, host } = new URL(origin)
    return [
      'null',
      '',
      `${origin}/`,
      `${protocol}//${hostname}.:${port}`,
      `${protocol}//${hostname}`,
      `${protocol}//${hostname}:1`,
      origin.toUpperCase(),
      `HTTP://${host}`,
      `https://${host}`,
      `${protocol}//user@${host}`,
      `${protocol}//${host}.evil.example`,
      `${protocol}//evil.example/${origin}`,
      `${protocol}//x${host}`,
      `${origin} `,
      `${origin}, https://evil.example`,
      `${protocol}//0x7f000001:${port}`,
      '*',
    ]
  }
  it('look-alikes of its own origin are blocked', async () => {
    await using stack = await startStack()
    for (const origin of lookAlikes(stack.origin)) {
      // Blanks at the ends are not part of a header's value.
      if (origin.trim() !== origin) continue
      const reply = await ask(`${stack.url}/tags`, { headers: { origin } })
      expect({ origin, status: reply.status }).toEqual({ origin, status: 403 })
    }
    expect(callsOf(stack)).toBe(0)
  })
  it('look-alikes of a listed origin are blocked', async () => {
    await using stack = await startStack({ bff: { allowedOrigins: ['https://app.example:8443'] } })
    for (const origin of [
      'null',
      'https://app.example',
      'https://app.example:8443/',
      'https://app.example.:8443',
      'https://APP.example:8443',
      'https://user@app.example:8443',
      'https://app.example:84430',
      'https://app.example:8443.evil.example',
      'https://xapp.example:8443',
      'http://app.example:8443',
      'https://app.example:8443,https://evil.example',
    ]) {
      const reply = await ask(`${stack.url}/tags`, { headers: { origin } })
      expect({ origin, status: reply.status }).toEqual({ origin, status: 403 })
    }
  })
  it('both absent: a GET is left to authorize, with and without a cookie', async () => {
    await using stack = await startStack()
    const send = (headers: Ask['headers']) => ask(`${stack.url}/tags`, { headers })
    expect((await send({ cookie: 'sid=1' })).status).toBe(200)
    expect((await send({})).status).toBe(200)
    stack.grant = null
    expect((await send({ cookie: 'sid=1' })).status).toBe(401)
    expect((await send({})).status).toBe(401)
  })
  it('both absent: a POST is blocked if it has a cookie, else left to authorize', async () => {
    await using stack = await startStack()
    const send = (headers: Ask['headers']) => ask(`${stack.url}/session-token`, with_(token, headers))
    expect(await send({ cookie: 'sid=1' })).toBeProblem(BLOCKED)
    expect(callsOf(stack)).toBe(0)
    expect((await send({})).status).toBe(200)
    stack.grant = null
    expect((await send({})).status).toBe(401)
  })
  it('X-Forwarded-Host of a stranger does not make an origin its own', async () => {
    await using stack = await startStack()
    const reply = await ask(`${stack.url}/tags`, {
      headers: {
        origin: 'https://evil.example',
        'x-forwarded-host': 'evil.example',
        'x-forwarded-proto': 'https',
      },
    })
    expect(reply).toBeProblem(BLOCKED)
  })
  it('with trust proxy, the public origin is its own', async () => {
    await using stack = await startStack({ app: (app) => app.set('trust proxy', true) })
    const headers = { 'x-forwarded-host': 'app.example', 'x-forwarded-proto': 'https' }
    const own = await ask(`${stack.url}/tags`, { headers: { ...headers, origin: 'https://app.example' } })
    expect(own.status).toBe(200)
    const other = await ask(`${stack.url}/tags`, { headers: { ...headers, origin: stack.origin } })
    expect(other.status).toBe(403)
  })
})

describe('CORS', () => {
  const corsHeaders = (headers: object) =>
    Object.keys(headers).filter((name) => name.startsWith('access-control-'))

  it('has no headers by default, on answers, errors and preflights', async () => {
    await using stack = await startStack()
    for (const headers of [
      { origin: stack.origin },
      { origin: 'https://evil.example' },
      { origin: 'https://evil.example', 'sec-fetch-site': 'cross-site' },
    ]) {
      expect(corsHeaders((await ask(`${stack.url}/tags`, { headers })).headers)).toEqual([])
      const preflight = await ask(`${stack.url}/tags`, {
        method: 'OPTIONS',
        headers: { ...headers, 'x-stagepass': null, 'access-control-request-method': 'GET' },
      })
      expect(corsHeaders(preflight.headers)).toEqual([])
      expect(preflight.status).toBeGreaterThanOrEqual(400)
    }
  })

  const listed = { bff: { allowedOrigins: ['https://app.example', 'https://b.example'] } }
  it('echoes the one listed origin and varies by it', async () => {
    await using stack = await startStack(listed)
    for (const origin of ['https://app.example', 'https://b.example']) {
      const reply = await ask(`${stack.url}/tags`, { headers: { origin, 'sec-fetch-site': 'cross-site' } })
      expect(reply.headers['access-control-allow-origin']).toBe(origin)
      expect(reply.headers.vary?.toLowerCase().split(/,\s*/)).toContain('origin')
      expect(reply.headers['access-control-expose-headers']?.toLowerCase()).toContain('retry-after')
    }
  })
  it('gives an origin that is not listed nothing, but varies', async () => {
    await using stack = await startStack(listed)
    const reply = await ask(`${stack.url}/tags`, { headers: { origin: 'https://evil.example' } })
    expect(reply.status).toBe(403)
    expect(corsHeaders(reply.headers)).toEqual([])
    expect(reply.headers.vary?.toLowerCase()).toContain('origin')
  })
  it('varies by Origin where a request has none', async () => {
    await using stack = await startStack(listed)
    const reply = await ask(`${stack.url}/tags`)
    expect(reply.headers.vary?.toLowerCase()).toContain('origin')
  })
  it('answers a preflight without authorize or upstream', async () => {
    let asked = 0
    await using stack = await startStack({
      bff: {
        ...listed.bff,
        authorize: () => {
          asked++
          return null
        },
      },
    })
    const reply = await ask(`${stack.url}/session-token`, {
      method: 'OPTIONS',
      headers: {
        'x-stagepass': null,
        origin: 'https://app.example',
        'access-control-request-method': 'POST',
        'access-control-request-headers': 'content-type,x-stagepass',
      },
    })
    expect([200, 204]).toContain(reply.status)
    expect(reply.headers['access-control-allow-origin']).toBe('https://app.example')
    expect(reply.headers['access-control-allow-methods']).toMatch(/POST/)
    expect(reply.headers['access-control-allow-headers']?.toLowerCase()).toMatch(/x-stagepass/)
    expect(reply.headers['access-control-allow-headers']?.toLowerCase()).toMatch(/content-type/)
    expect(asked).toBe(0)
    expect(callsOf(stack)).toBe(0)
  })
  it('refuses a preflight of an origin that is not listed', async () => {
    await using stack = await startStack(listed)
    const reply = await ask(`${stack.url}/session-token`, {
      method: 'OPTIONS',
      headers: {
        'x-stagepass': null,
        origin: 'https://evil.example',
        'access-control-request-method': 'POST',
      },
    })
    expect(corsHeaders(reply.headers)).toEqual([])
  })
  it('carries the CORS headers on every error of a listed origin', async () => {
    await using stack = await startStack({ bff: { ...listed.bff, limits: { tokensPerMinute: 1 } } })
    const headers = { origin: 'https://app.example', 'sec-fetch-site': 'cross-site' }
    await ask(`${stack.url}/session-token`, with_(token, headers))
    const replies = [
      await ask(`${stack.url}/session-token`, with_(token, headers)),
      await ask(`${stack.url}/meetings?limit=0`, { headers }),
      await ask(`${stack.url}/nothing`, { headers }),
      await ask(`${stack.url}/tags`, { method: 'DELETE', headers }),
    ]
    stack.grant = null
    replies.push(await ask(`${stack.url}/tags`, { headers }))
    await stack.bff.close()
    replies.push(await ask(`${stack.url}/tags`, { headers }))
    expect(replies.map(({ status }) => status)).toEqual([429, 400, 404, 405, 401, 503])
    for (const reply of replies) {
      expect(reply.headers['access-control-allow-origin']).toBe('https://app.example')
      expect(reply.headers['access-control-expose-headers']?.toLowerCase()).toContain('retry-after')
    }
  })
})

describe('bodies', () => {
  for (const [name, parser] of [
    ['express.json()', () => express.json()],
    ['express.json({ type: "*/*" })', () => express.json({ type: '*/*' })],
    ['express.text({ type: "*/*" })', () => express.text({ type: '*/*' })],
    ['express.raw({ type: "*/*" })', () => express.raw({ type: '*/*' })],
    ['express.urlencoded()', () => express.urlencoded({ extended: true })],
  ] as const) {
    it(`a token request works behind ${name}`, async () => {
      await using stack = await startStack({ app: (app) => app.use(parser()) })
      const reply = await ask(`${stack.url}/session-token`, token)
      expect(reply.status).toBe(200)
    })
    it(`a body over 4 KiB is 413 behind ${name}`, async () => {
      await using stack = await startStack({ app: (app) => app.use(parser()) })
      const reply = await ask(`${stack.url}/session-token`, {
        json: { usage_type: 'stt', session_id: 'x'.repeat(5_000) },
      })
      expect(reply).toBeProblem({ status: 413, code: 'PAYLOAD_TOO_LARGE', retryable: false })
    })
    it(`an unknown key is 400 behind ${name}`, async () => {
      await using stack = await startStack({ app: (app) => app.use(parser()) })
      const reply = await ask(`${stack.url}/session-token`, { json: { usage_type: 'stt', team: 'x' } })
      expect(reply).toBeProblem({ status: 400, code: 'VALIDATION_ERROR', retryable: false, field: 'team' })
    })
  }
  it('a chunked body over 4 KiB is 413 behind express.json()', async () => {
    await using stack = await startStack({ app: (app) => app.use(express.json()) })
    const reply = await ask(`${stack.url}/session-token`, {
      raw: `{"usage_type":"stt",${' '.repeat(5_000)}"session_id":"x"}`,
      headers: { 'content-type': 'application/json', 'transfer-encoding': 'chunked' },
    })
    // The bytes are gone by then; the value itself is small. Either the value is judged, or the length.
    expect([200, 413]).toContain(reply.status)
  })
  it('a body of exactly 4 KiB is read', async () => {
    await using stack = await startStack()
    const raw = `{"usage_type":"stt"${' '.repeat(4_096 - 20)}}`
    expect(raw.length).toBe(4_096)
    const reply = await ask(`${stack.url}/session-token`, {
      raw,
      headers: { 'content-type': 'application/json' },
    })
    expect(reply.status).toBe(200)
  })
  it('a body of 4 KiB and one byte is not', async () => {
    await using stack = await startStack()
    const raw = `{"usage_type":"stt"${' '.repeat(4_096 - 19)}}`
    const reply = await ask(`${stack.url}/session-token`, {
      raw,
      headers: { 'content-type': 'application/json' },
    })
    expect(reply.status).toBe(413)
  })
  it('deep JSON is refused without harm', async () => {
    await using stack = await startStack()
    const reply = await ask(`${stack.url}/session-token`, {
      raw: `{"usage_type":${'['.repeat(1_900)}${']'.repeat(1_900)}}`,
      headers: { 'content-type': 'application/json' },
    })
    expect(reply.status).toBe(400)
  })
  it('a parsed __proto__ of the host changes nothing', async () => {
    await using stack = await startStack({ app: (app) => app.use(express.json()) })
    const reply = await ask(`${stack.url}/session-token`, {
      raw: '{"usage_type":"stt","__proto__":{"polluted":true}}',
      headers: { 'content-type': 'application/json' },
    })
    expect(reply.status).toBe(400)
    expect(({} as Record<string, unknown>).polluted).toBeUndefined()
  })
})

describe('prototype keys in a grant', () => {
  it('change nothing', async () => {
    const grant = JSON.parse(
      '{"user":"ada","products":["stt"],"__proto__":{"products":["stt","vt"],"polluted":1}}',
    )
    await using stack = await startStack({ bff: { authorize: () => grant } })
    await ask(`${stack.url}/session-token`, { json: { usage_type: 'vt' } })
    expect(({} as Record<string, unknown>).polluted).toBeUndefined()
    expect(stack.upstream.counts.token).toBe(0)
  })
  for (const user of ['__proto__', 'constructor', 'hasOwnProperty', 'toString']) {
    it(`a user named ${user} is a user`, async () => {
      await using stack = await startStack({ bff: { limits: { tokensPerMinute: 2 } } })
      stack.grant = { user, meetings: { credential: stack.upstream.meetingsCredential } }
      expect((await ask(`${stack.url}/session-token`, token)).status).toBe(200)
      expect((await ask(`${stack.url}/meetings?limit=1`)).status).toBe(200)
      await ask(`${stack.url}/session-token`, token)
      expect((await ask(`${stack.url}/session-token`, token)).status).toBe(429)
    })
  }
})

describe('the key of every limit', () => {
  it("is the grant's user, not an address or a header", async () => {
    await using stack = await startStack({
      app: (app) => app.set('trust proxy', true),
      bff: { limits: { tokensPerMinute: 2 } },
    })
    const statuses: number[] = []
    for (let i = 0; i < 5; i++) {
      const reply = await ask(
        `${stack.url}/session-token`,
        with_(token, { 'x-forwarded-for': `10.0.0.${i}`, 'x-real-ip': `10.0.0.${i}`, 'user-agent': `u${i}` }),
      )
      statuses.push(reply.status)
    }
    expect(statuses).toEqual([200, 200, 429, 429, 429])
  })
})
