import type { TokenErrorCode } from '@stagepass/contract'
import { answer, delay, drop, fail, hang, malformed } from '@stagepass/emulator'
import { startStack } from '@stagepass/testing'
import { describe, expect, it } from 'vitest'
import { ask, envelope, handMade, json, stackOn } from './kit.js'

const token = { json: { usage_type: 'stt' } }

describe('errors of the token endpoint', () => {
  const rows: [TokenErrorCode, number, boolean][] = [
    ['VALIDATION_ERROR', 400, false],
    ['AUTH_HEADER_MISSING', 502, false],
    ['AUTH_API_KEY_INVALID', 502, false],
    ['AUTH_API_KEY_EXPIRED', 502, false],
    ['AUTH_NO_LICENSE', 502, false],
    ['PRODUCT_NOT_ALLOWED', 403, false],
    ['PAYMENT_PAST_DUE', 403, false],
    ['BALANCE_EXHAUSTED', 403, false],
    ['SPEND_CAP_REACHED', 403, false],
    ['USAGE_LIMIT_EXCEEDED', 403, false],
    ['VT_USAGE_LIMIT_EXCEEDED', 403, false],
    ['CACHE_UNAVAILABLE', 503, true],
  ]
  for (const [code, status, retryable] of rows) {
    it(`answers ${code} with ${status}, retryable ${retryable}, and the upstream's req_id`, async () => {
      await using stack = await startStack({ bff: { deadlineMs: 600 } })
      stack.upstream.use(fail(code))
      const reply = await ask(`${stack.url}/session-token`, token)
      expect(reply).toBeProblem({ status, code, retryable, retryAfter: code === 'CACHE_UNAVAILABLE' })
      expect(reply.body.req_id).toEqual(expect.stringMatching(/^[\w.:-]{1,128}$/))
      expect(reply.body.req_id).not.toBe(reply.body.request_id)
    })
  }

  it('names a field in the 400 that the upstream itself refused', async () => {
    await using stack = await startStack()
    stack.upstream.use(fail('VALIDATION_ERROR'))
    const reply = await ask(`${stack.url}/session-token`, token)
    expect(reply.body.field).toEqual(expect.any(String))
  })

  const byKey = [
    ['invalid', 'AUTH_API_KEY_INVALID', 502],
    ['paused', 'AUTH_API_KEY_INVALID', 502],
    ['suspended', 'AUTH_API_KEY_INVALID', 502],
    ['teamless', 'AUTH_API_KEY_INVALID', 502],
    ['expired', 'AUTH_API_KEY_EXPIRED', 502],
    ['unlicensed', 'AUTH_NO_LICENSE', 502],
    ['productNotAllowed', 'PRODUCT_NOT_ALLOWED', 403],
    ['pastDue', 'PAYMENT_PAST_DUE', 403],
    ['balanceExhausted', 'BALANCE_EXHAUSTED', 403],
    ['spendCapReached', 'SPEND_CAP_REACHED', 403],
    ['usageExceeded', 'USAGE_LIMIT_EXCEEDED', 403],
  ] as const
  it('answers every state of an API key with its code', async () => {
    await using stack = await startStack()
    for (const [state, code, status] of byKey) {
      await stack.remount({ apiKey: stack.upstream.keys[state] })
      const reply = await ask(`${stack.url}/session-token`, token)
      expect(reply).toBeProblem({ status, code, retryable: false })
    }
    await stack.remount({ apiKey: stack.upstream.keys.vtUsageExceeded })
    const vt = await ask(`${stack.url}/session-token`, { json: { usage_type: 'vt' } })
    expect(vt).toBeProblem({ status: 403, code: 'VT_USAGE_LIMIT_EXCEEDED', retryable: false })
  })

  it('retries CACHE_UNAVAILABLE inside the deadline and answers the token', async () => {
    await using stack = await startStack()
    stack.upstream.use(fail('CACHE_UNAVAILABLE', { times: 2 }))
    const reply = await ask(`${stack.url}/session-token`, token)
    expect(reply.status).toBe(200)
    expect(stack.upstream.counts.token).toBe(3)
  })

  it('does not retry a final code', async () => {
    await using stack = await startStack()
    stack.upstream.use(fail('PAYMENT_PAST_DUE'))
    await ask(`${stack.url}/session-token`, token)
    expect(stack.upstream.counts.token).toBe(1)
  })

  it('gives up on CACHE_UNAVAILABLE after a few retries', async () => {
    await using stack = await startStack()
    stack.upstream.use(fail('CACHE_UNAVAILABLE'))
    const reply = await ask(`${stack.url}/session-token`, token)
    expect(reply).toBeProblem({ status: 503, code: 'CACHE_UNAVAILABLE', retryable: true, retryAfter: true })
    expect(stack.upstream.counts.token).toBeGreaterThan(1)
    expect(stack.upstream.counts.token).toBeLessThan(10)
  })
})

/** Rows of "an unknown code, or any unreadable 5xx", "unreadable 2xx or 4xx, oversized, 3xx", "timeout / network": token and meetings alike. */
const surfaces = [
  { name: 'token', path: '/session-token', init: token, on: 'token' as const },
  { name: 'list', path: '/meetings', init: {}, on: 'list' as const },
  { name: 'meeting', path: '/meetings/m-1', init: {}, on: 'meeting' as const },
  { name: 'tags', path: '/tags', init: {}, on: 'tags' as const },
]
for (const { name, path, init, on } of surfaces) {
  describe(`unexpected answers of the upstream: ${name}`, () => {
    const MALFORMED = { status: 502, code: 'UPSTREAM_MALFORMED', retryable: false }

    it('takes an unknown code of a 4xx as UPSTREAM_ERROR, final', async () => {
      await using stack = await startStack()
      stack.upstream.use(
        answer(
          { status: 418, body: { code: 1, error_code: 'BRAND_NEW', message: 'x', req_id: 'req-9' } },
          { on },
        ),
      )
      const reply = await ask(stack.url + path, init)
      expect(reply).toBeProblem({ status: 502, code: 'UPSTREAM_ERROR', retryable: false })
    })

    it('takes an unknown code of a 5xx as UPSTREAM_ERROR, retryable', async () => {
      await using stack = await startStack({ bff: { deadlineMs: 500 } })
      stack.upstream.use(
        answer(
          { status: 500, body: { code: 1, error_code: 'BRAND_NEW', message: 'x', req_id: 'req-9' } },
          { on },
        ),
      )
      const reply = await ask(stack.url + path, init)
      expect(reply).toBeProblem({ status: 502, code: 'UPSTREAM_ERROR', retryable: true })
    })

    for (const status of [500, 502, 503, 504]) {
      it(`takes an unreadable ${status} as UPSTREAM_ERROR, retryable`, async () => {
        await using stack = await startStack({ bff: { deadlineMs: 500 } })
        stack.upstream.use(malformed('html', { on, status }))
        const reply = await ask(stack.url + path, init)
        expect(reply).toBeProblem({ status: 502, code: 'UPSTREAM_ERROR', retryable: true })
      })
    }

    it('takes a page of HTML with 200 as UPSTREAM_MALFORMED', async () => {
      await using upstream = await handMade(({ res }) =>
        res.writeHead(200, { 'content-type': 'text/html' }).end('<html><h1>Welcome to the hotel</h1></html>'),
      )
      await using stack = await stackOn(upstream)
      expect(await ask(stack.url + path, init)).toBeProblem(MALFORMED)
    })

    for (const kind of ['bad-json', 'wrong-shape', 'empty'] as const) {
      it(`takes a 2xx of ${kind} as UPSTREAM_MALFORMED`, async () => {
        await using stack = await startStack()
        stack.upstream.use(malformed(kind, { on, status: 200 }))
        expect(await ask(stack.url + path, init)).toBeProblem(MALFORMED)
      })
    }

    it('takes an unreadable 4xx as UPSTREAM_MALFORMED', async () => {
      await using stack = await startStack()
      stack.upstream.use(malformed('html', { on, status: 418 }))
      expect(await ask(stack.url + path, init)).toBeProblem(MALFORMED)
    })

    it('takes an oversized body as UPSTREAM_MALFORMED', async () => {
      await using stack = await startStack()
      stack.upstream.use(malformed('oversized', { on }))
      expect(await ask(stack.url + path, init)).toBeProblem(MALFORMED)
    })

    for (const status of [301, 302, 303, 304, 307, 308]) {
      it(`takes a ${status} as UPSTREAM_MALFORMED and follows nothing`, async () => {
        await using elsewhere = await handMade(({ res }) => json(res, 200, envelope('stt')))
        await using stack = await startStack()
        stack.upstream.use(malformed('redirect', { on, status, location: `${elsewhere.url}/stolen` }))
        expect(await ask(stack.url + path, init)).toBeProblem(MALFORMED)
        expect(elsewhere.seen).toHaveLength(0)
      })
    }

    it('takes an answer that does not come in time as UPSTREAM_TIMEOUT', async () => {
      await using stack = await startStack({ bff: { deadlineMs: 150 } })
      stack.upstream.use(hang({ on }))
      const reply = await ask(stack.url + path, init)
      expect(reply).toBeProblem({ status: 504, code: 'UPSTREAM_TIMEOUT', retryable: true })
    })

    it('takes a body without end as a timeout or malformed, never as a hang', async () => {
      await using stack = await startStack({ bff: { deadlineMs: 300 } })
      stack.upstream.use(malformed('endless', { on }))
      const reply = await ask(stack.url + path, init)
      expect([502, 504]).toContain(reply.status)
      expect(['UPSTREAM_TIMEOUT', 'UPSTREAM_MALFORMED']).toContain(reply.body.error_code)
    })

    it('takes a refused connection as UPSTREAM_UNREACHABLE', async () => {
      await using stack = await startStack({
        bff: {
          baseUrl: 'http://127.0.0.1:1',
          meetings: { baseUrl: 'http://127.0.0.1:1' },
          deadlineMs: 1_000,
        },
      })
      const reply = await ask(stack.url + path, init)
      expect(reply).toBeProblem({ status: 502, code: 'UPSTREAM_UNREACHABLE', retryable: true })
    })

    for (const when of ['before-reading', 'after-reading', 'mid-answer'] as const) {
      it(`takes a connection dropped ${when} as UPSTREAM_UNREACHABLE`, async () => {
        await using stack = await startStack({ bff: { deadlineMs: 1_000 } })
        stack.upstream.use(drop({ on, when }))
        const reply = await ask(stack.url + path, init)
        expect(reply).toBeProblem({ status: 502, code: 'UPSTREAM_UNREACHABLE', retryable: true })
      })
    }
  })
}

describe('errors of the meetings interface', () => {
  for (const { name, path, on } of surfaces.slice(1)) {
    it(`answers a 401 of ${name} with 502 MEETINGS_CREDENTIAL_REJECTED`, async () => {
      await using stack = await startStack()
      stack.upstream.use(fail('CREDENTIAL_INVALID', { on }))
      expect(await ask(stack.url + path)).toBeProblem({
        status: 502,
        code: 'MEETINGS_CREDENTIAL_REJECTED',
        retryable: false,
      })
    })

    it(`answers a 403 of ${name} with 502 MEETINGS_CREDENTIAL_REJECTED`, async () => {
      await using stack = await startStack()
      stack.upstream.use(fail('SCOPE_MISSING', { on }))
      expect(await ask(stack.url + path)).toBeProblem({
        status: 502,
        code: 'MEETINGS_CREDENTIAL_REJECTED',
        retryable: false,
      })
    })

    it(`answers a 429 of ${name} with 503 UPSTREAM_RATE_LIMITED and Retry-After`, async () => {
      await using stack = await startStack({ bff: { deadlineMs: 400 } })
      stack.upstream.use(fail('RATE_LIMIT_EXCEEDED', { on }))
      expect(await ask(stack.url + path)).toBeProblem({
        status: 503,
        code: 'UPSTREAM_RATE_LIMITED',
        retryable: true,
        retryAfter: true,
      })
    })
  }

  it('answers credentials that the upstream refuses', async () => {
    await using stack = await startStack()
    for (const credential of ['no-such-credential', stack.upstream.credentials.withoutScope]) {
      stack.grant = { user: 'ada', meetings: { credential } }
      expect(await ask(`${stack.url}/meetings`)).toBeProblem({
        status: 502,
        code: 'MEETINGS_CREDENTIAL_REJECTED',
        retryable: false,
      })
    }
  })

  it('answers a 400 on fields with VALIDATION_ERROR and the field', async () => {
    await using stack = await startStack({ bff: { meetings: { wire: { extraFields: ['shoe_size'] } } } })
    const reply = await ask(`${stack.url}/meetings?fields=title,shoe_size`)
    expect(reply).toBeProblem({ status: 400, code: 'VALIDATION_ERROR', retryable: false, field: 'fields' })
    expect(stack.upstream.counts.list).toBe(1)
  })

  it('answers an unknown meeting with 404 NOT_FOUND', async () => {
    await using stack = await startStack()
    const reply = await ask(`${stack.url}/meetings/no-such-meeting`)
    expect(reply).toBeProblem({ status: 404, code: 'NOT_FOUND', retryable: false })
    expect(stack.upstream.counts.meeting).toBe(1)
  })

  it('answers a processing meeting with 409 MEETING_PROCESSING and Retry-After', async () => {
    await using stack = await startStack()
    const id = stack.upstream.meetings.all().find((row) => row.processing)?.id
    const reply = await ask(`${stack.url}/meetings/${id}`)
    expect(reply).toBeProblem({ status: 409, code: 'MEETING_PROCESSING', retryable: true, retryAfter: true })
  })

  it('pauses all meetings requests after a 429', async () => {
    await using stack = await startStack({ bff: { deadlineMs: 400 } })
    const undo = stack.upstream.use(fail('RATE_LIMIT_EXCEEDED', { on: 'meetings' }))
    await ask(`${stack.url}/meetings`)
    undo()
    const before = stack.upstream.counts.list + stack.upstream.counts.tags
    const next = await ask(`${stack.url}/tags`)
    expect(next.status).toBe(503)
    expect(next.headers['retry-after']).toMatch(/^[1-9]\d*$/)
    expect(stack.upstream.counts.list + stack.upstream.counts.tags).toBe(before)
  })

  it('honours Retry-After of a 429', async () => {
    await using stack = await startStack({ bff: { deadlineMs: 2_000 } })
    stack.upstream.use(
      answer({ status: 429, body: { error: 'slow down' }, headers: { 'retry-after': '7' } }, { on: 'list' }),
    )
    const reply = await ask(`${stack.url}/meetings`)
    expect(reply).toBeProblem({
      status: 503,
      code: 'UPSTREAM_RATE_LIMITED',
      retryable: true,
      retryAfter: true,
    })
    expect(Number(reply.headers['retry-after'])).toBeGreaterThanOrEqual(6)
    expect(stack.upstream.counts.list).toBe(1)
  })
})

describe('errors of its own', () => {
  it('answers 401 UNAUTHENTICATED without a grant', async () => {
    await using stack = await startStack()
    stack.grant = null
    for (const path of ['/meetings', '/meetings/x', '/tags'])
      expect(await ask(stack.url + path)).toBeProblem({
        status: 401,
        code: 'UNAUTHENTICATED',
        retryable: false,
      })
    for (const path of ['/session-token', '/handshake-check'])
      expect(await ask(stack.url + path, token)).toBeProblem({
        status: 401,
        code: 'UNAUTHENTICATED',
        retryable: false,
      })
  })

  it('answers 403 FORBIDDEN for a product that is not granted', async () => {
    await using stack = await startStack()
    stack.grant = { user: 'ada', products: ['tts'] }
    expect(await ask(`${stack.url}/session-token`, token)).toBeProblem({
      status: 403,
      code: 'FORBIDDEN',
      retryable: false,
    })
    expect(stack.upstream.counts.token).toBe(0)
    expect((await ask(`${stack.url}/session-token`, { json: { usage_type: 'tts' } })).status).toBe(200)
  })

  it('answers 403 FORBIDDEN on the meetings routes where the grant has no meetings', async () => {
    await using stack = await startStack()
    stack.grant = { user: 'ada' }
    for (const path of ['/meetings', '/meetings/x', '/tags'])
      expect(await ask(stack.url + path)).toBeProblem({ status: 403, code: 'FORBIDDEN', retryable: false })
    expect(stack.upstream.requests).toHaveLength(0)
  })

  it('answers 403 CROSS_SITE_BLOCKED at the gate', async () => {
    await using stack = await startStack()
    const reply = await ask(`${stack.url}/tags`, { headers: { 'x-stagepass': null } })
    expect(reply).toBeProblem({ status: 403, code: 'CROSS_SITE_BLOCKED', retryable: false })
  })

  it('answers 503 AUTHORIZE_FAILED where authorize throws, rejects or never answers', async () => {
    for (const authorize of [
      () => {
        throw new Error('database down')
      },
      () => Promise.reject(new Error('database down')),
      () => new Promise<never>(() => undefined),
    ]) {
      await using stack = await startStack({ bff: { authorize, deadlineMs: 150 } })
      const reply = await ask(`${stack.url}/session-token`, token)
      expect(reply).toBeProblem({ status: 503, code: 'AUTHORIZE_FAILED', retryable: true })
      expect(reply.text).not.toContain('database')
      expect(stack.upstream.requests).toHaveLength(0)
    }
  })

  it('answers 503 SECRET_UNAVAILABLE where the key provider throws, rejects, never answers or gives nonsense', async () => {
    for (const apiKey of [
      () => {
        throw new Error('vault down')
      },
      () => Promise.reject(new Error('vault down')),
      () => new Promise<never>(() => undefined),
      () => 'bad\r\nkey',
      () => '',
    ]) {
      await using stack = await startStack({ bff: { apiKey, deadlineMs: 150 } })
      const reply = await ask(`${stack.url}/session-token`, token)
      expect(reply).toBeProblem({ status: 503, code: 'SECRET_UNAVAILABLE', retryable: true })
      expect(reply.text).not.toContain('vault')
      expect(stack.upstream.requests).toHaveLength(0)
    }
  })

  it('answers 503 SECRET_UNAVAILABLE where the provider of the meetings credential fails', async () => {
    await using stack = await startStack({ bff: { deadlineMs: 150 } })
    for (const credential of [
      () => Promise.reject(new Error('vault down')),
      () => new Promise<never>(() => undefined),
      () => ' edge ',
    ]) {
      stack.grant = { user: 'ada', meetings: { credential } }
      const reply = await ask(`${stack.url}/meetings`)
      expect(reply).toBeProblem({ status: 503, code: 'SECRET_UNAVAILABLE', retryable: true })
    }
    expect(stack.upstream.requests).toHaveLength(0)
  })

  it('answers 429 RATE_LIMITED to a user over the token limit, and lets others pass', async () => {
    await using stack = await startStack({ bff: { limits: { tokensPerMinute: 3 } } })
    for (let i = 0; i < 3; i++) expect((await ask(`${stack.url}/session-token`, token)).status).toBe(200)
    expect(await ask(`${stack.url}/session-token`, token)).toBeProblem({
      status: 429,
      code: 'RATE_LIMITED',
      retryable: true,
      retryAfter: true,
    })
    expect(stack.upstream.counts.token).toBe(3)
    stack.grant = { user: 'bob' }
    expect((await ask(`${stack.url}/session-token`, token)).status).toBe(200)
  })

  it('answers 429 RATE_LIMITED to a user over the meetings limit, tags and single meetings counted', async () => {
    await using stack = await startStack({ bff: { limits: { meetingsPerMinute: 3 } } })
    expect((await ask(`${stack.url}/meetings`)).status).toBe(200)
    expect((await ask(`${stack.url}/tags`)).status).toBe(200)
    await ask(`${stack.url}/meetings/nothing`)
    expect(await ask(`${stack.url}/meetings?limit=3`)).toBeProblem({
      status: 429,
      code: 'RATE_LIMITED',
      retryable: true,
      retryAfter: true,
    })
    expect((await ask(`${stack.url}/session-token`, token)).status).toBe(200)
  })

  it('has limits of 30 tokens and 120 meetings requests a minute by default', async () => {
    await using stack = await startStack({ bff: { limits: {} } })
    const tokens: number[] = []
    for (let i = 0; i < 31; i++) tokens.push((await ask(`${stack.url}/session-token`, token)).status)
    expect(tokens.filter((status) => status === 200)).toHaveLength(30)
    expect(tokens.at(-1)).toBe(429)
    const lists = await Promise.all(Array.from({ length: 121 }, () => ask(`${stack.url}/meetings?limit=1`)))
    expect(lists.filter(({ status }) => status === 200)).toHaveLength(120)
    expect(lists.filter(({ status }) => status === 429)).toHaveLength(1)
  })

  it('answers 503 BUDGET_EXHAUSTED with Retry-After where the wait would be longer than the deadline', async () => {
    await using stack = await startStack({ bff: { deadlineMs: 500, meetings: { cacheMs: 0 } } })
    const replies = await Promise.all(
      Array.from({ length: 45 }, (_, i) => ask(`${stack.url}/meetings?limit=${i + 1}`)),
    )
    const refused = replies.filter(({ status }) => status !== 200)
    expect(refused.length).toBeGreaterThanOrEqual(20)
    for (const reply of refused)
      expect(reply).toBeProblem({ status: 503, code: 'BUDGET_EXHAUSTED', retryable: true, retryAfter: true })
    expect(stack.upstream.counts.list).toBeLessThanOrEqual(25)
    expect(stack.upstream.requests.filter(({ status }) => status === 429)).toHaveLength(0)
  })

  it('answers 503 SHUTTING_DOWN with Retry-After after close', async () => {
    await using stack = await startStack()
    await stack.bff.close()
    for (const [path, init] of [
      ['/session-token', token],
      ['/meetings', {}],
      ['/tags', {}],
    ] as const)
      expect(await ask(stack.url + path, init)).toBeProblem({
        status: 503,
        code: 'SHUTTING_DOWN',
        retryable: true,
        retryAfter: true,
      })
    expect(stack.upstream.requests).toHaveLength(0)
  })

  const methods: [string, string, string[]][] = [
    ['/session-token', 'POST', ['GET', 'PUT', 'PATCH', 'DELETE', 'HEAD', 'TRACE']],
    ['/handshake-check', 'POST', ['GET', 'PUT', 'DELETE', 'HEAD']],
    ['/meetings', 'GET', ['POST', 'PUT', 'PATCH', 'DELETE', 'HEAD']],
    ['/meetings/m-1', 'GET', ['POST', 'PUT', 'DELETE', 'HEAD']],
    ['/tags', 'GET', ['POST', 'PUT', 'DELETE', 'HEAD']],
  ]
  for (const [path, allowed, refused] of methods) {
    for (const method of refused) {
      it(`answers 405 with Allow: ${allowed} to ${method} ${path}`, async () => {
        await using stack = await startStack()
        const reply = await ask(stack.url + path, { method })
        expect(reply.status).toBe(405)
        expect(reply.headers.allow?.split(/,\s*/)).toContain(allowed)
        expect(reply.headers.allow?.split(/,\s*/)).not.toContain('HEAD')
        // The answer to a HEAD has no body.
        expect(reply.body.error_code).toBe(method === 'HEAD' ? undefined : 'METHOD_NOT_ALLOWED')
        expect(stack.upstream.requests).toHaveLength(0)
      })
    }
  }

  for (const type of [
    null,
    'text/plain',
    'application/x-www-form-urlencoded',
    'multipart/form-data; boundary=x',
    'application/jsonx',
  ]) {
    it(`answers 415 to a token request of type ${type}`, async () => {
      await using stack = await startStack()
      const reply = await ask(`${stack.url}/session-token`, {
        raw: '{"usage_type":"stt"}',
        headers: { 'content-type': type },
      })
      expect(reply).toBeProblem({ status: 415, code: 'UNSUPPORTED_MEDIA_TYPE', retryable: false })
      expect(stack.upstream.requests).toHaveLength(0)
    })
  }

  it('answers 413 to a body over 4 KiB, declared or chunked', async () => {
    await using stack = await startStack()
    const raw = JSON.stringify({ usage_type: 'stt', session_id: 'x'.repeat(4_200) })
    for (const headers of [{ 'content-length': String(raw.length) }, { 'transfer-encoding': 'chunked' }]) {
      const reply = await ask(`${stack.url}/session-token`, {
        raw,
        headers: { 'content-type': 'application/json', ...headers },
      })
      expect(reply).toBeProblem({ status: 413, code: 'PAYLOAD_TOO_LARGE', retryable: false })
    }
    expect(stack.upstream.requests).toHaveLength(0)
  })

  it('answers 404 to an unknown path behind the gate', async () => {
    await using stack = await startStack()
    for (const path of ['/', '/nothing', '/meetings/a/b', '/session-token/x', '/tags/x'])
      expect(await ask(stack.url + path)).toBeProblem({ status: 404, code: 'NOT_FOUND', retryable: false })
    expect(stack.upstream.requests).toHaveLength(0)
  })

  it('answers 408 to a body that never ends', async () => {
    await using stack = await startStack({ bff: { deadlineMs: 200 } })
    const reply = await ask(`${stack.url}/session-token`, {
      raw: '{"usage_type":',
      headers: { 'content-type': 'application/json', 'transfer-encoding': 'chunked' },
      unfinished: true,
    })
    expect(reply).toBeProblem({ status: 408, code: 'REQUEST_TIMEOUT', retryable: false })
    expect(stack.upstream.requests).toHaveLength(0)
  })

  it('answers 400 to broken JSON', async () => {
    await using stack = await startStack()
    for (const raw of ['{', '', 'null', '[]', '"stt"', '{"usage_type":"stt"}}']) {
      const reply = await ask(`${stack.url}/session-token`, {
        raw,
        headers: { 'content-type': 'application/json' },
      })
      expect(reply).toBeProblem({ status: 400, code: 'VALIDATION_ERROR', retryable: false })
    }
    expect(stack.upstream.requests).toHaveLength(0)
  })
})

describe('maskAccountErrors', () => {
  const masked: TokenErrorCode[] = [
    'AUTH_HEADER_MISSING',
    'AUTH_API_KEY_INVALID',
    'AUTH_API_KEY_EXPIRED',
    'AUTH_NO_LICENSE',
    'PAYMENT_PAST_DUE',
    'BALANCE_EXHAUSTED',
    'SPEND_CAP_REACHED',
    'USAGE_LIMIT_EXCEEDED',
    'VT_USAGE_LIMIT_EXCEEDED',
  ]
  for (const code of masked) {
    it(`answers ${code} as 503 SERVICE_UNAVAILABLE, final, and tells events the exact code`, async () => {
      await using stack = await startStack({ bff: { maskAccountErrors: true } })
      stack.upstream.use(fail(code))
      const reply = await ask(`${stack.url}/session-token`, token)
      expect(reply).toBeProblem({ status: 503, code: 'SERVICE_UNAVAILABLE', retryable: false })
      expect(reply.text).not.toContain(code)
      expect(JSON.stringify(stack.events)).toContain(code)
    })
  }
  for (const code of ['PRODUCT_NOT_ALLOWED', 'VALIDATION_ERROR'] as const) {
    it(`leaves ${code} as it is`, async () => {
      await using stack = await startStack({ bff: { maskAccountErrors: true } })
      stack.upstream.use(fail(code))
      const reply = await ask(`${stack.url}/session-token`, token)
      expect(reply.body.error_code).toBe(code)
    })
  }
})

it('answers with one slow call what a user may wait for', async () => {
  await using stack = await startStack()
  stack.upstream.use(delay(100, { on: 'token' }))
  expect((await ask(`${stack.url}/session-token`, token)).status).toBe(200)
})

it('takes a token answer of another product or of another type as malformed', async () => {
  for (const body of [
    envelope('tts'),
    envelope('stt', { type: 'permanent' }),
    { ...envelope('stt'), code: 1 },
  ]) {
    await using upstream = await handMade(({ res }) => json(res, 200, body))
    await using stack = await stackOn(upstream)
    const reply = await ask(`${stack.url}/session-token`, token)
    expect(reply).toBeProblem({ status: 502, code: 'UPSTREAM_MALFORMED', retryable: false })
  }
})
