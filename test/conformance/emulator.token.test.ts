import { KEY_STATES, createEmulator, fail } from '@stagepass/emulator'
import { TOKEN_ERRORS } from '@stagepass/contract'
import { describe, expect, it } from 'vitest'
import { ask, type Ask, type Reply } from './kit.js'

type Emulator = Awaited<ReturnType<typeof createEmulator>>
const PATH = '/v2/sdk/tokens/session'

const mint = (upstream: Emulator, body: unknown, init: Ask = {}): Promise<Reply> =>
  ask(upstream.baseUrl + PATH, {
    json: body,
    ...init,
    headers: { authorization: `api-key ${upstream.apiKey}`, 'x-stagepass': null, ...init.headers },
  })

describe('token response envelope', () => {
  for (const usage_type of ['stt', 'tts', 'viva', 'vt']) {
    it(`of ${usage_type}`, async () => {
      await using upstream = await createEmulator()
      const reply = await mint(upstream, { usage_type })
      expect(reply.status).toBe(200)
      expect(Object.keys(reply.body).toSorted()).toEqual(['code', 'data', 'message', 'req_id'])
      expect(reply.body).toMatchObject({ code: 0, message: 'Success', req_id: expect.any(String) })
      const data = reply.body.data as Record<string, unknown>
      expect(Object.keys(data).toSorted()).toEqual([
        'expires_at',
        'key_id',
        'session_key',
        'status',
        'type',
        'usage_type',
      ])
      expect(data).toMatchObject({ type: 'session', usage_type, status: 'LICENSE_VALID' })
      expect(data.session_key).toEqual(expect.any(String))
      expect(Number.isInteger(data.key_id)).toBe(true)
      expect(data.expires_at).toMatch(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d+)?(Z|\+00:00)$/)
    })
  }
  it('gives each token its own key and request id', async () => {
    await using upstream = await createEmulator()
    const replies = await Promise.all([1, 2, 3].map(() => mint(upstream, { usage_type: 'stt' })))
    expect(new Set(replies.map(({ body }) => (body.data as { session_key: string }).session_key)).size).toBe(
      3,
    )
    expect(new Set(replies.map(({ body }) => body.req_id)).size).toBe(3)
  })
})

describe('request body', () => {
  const life = async (body: object) => {
    const nowMs = Date.parse('2026-03-01T00:00:00Z')
    await using upstream = await createEmulator({ now: () => nowMs })
    const reply = await mint(upstream, body)
    if (reply.status !== 200) return reply
    return (Date.parse((reply.body.data as { expires_at: string }).expires_at) - nowMs) / 60_000
  }
  for (const [body, minutes] of [
    [{ usage_type: 'stt' }, 180],
    [{ usage_type: 'vt' }, 180],
    [{ usage_type: 'stt', expiration_ttl: 5 }, 5],
    [{ usage_type: 'tts', expiration_ttl: 300 }, 300],
    [{ usage_type: 'viva', expiration_ttl: 299 }, 299],
    [{ usage_type: 'vt', expiration_ttl: 301 }, 301],
    [{ usage_type: 'vt', expiration_ttl: 1440 }, 1440],
  ] as const) {
    it(`${JSON.stringify(body)} lives ${minutes} minutes`, async () => {
      expect(await life(body)).toBe(minutes)
    })
  }
  for (const body of [
    {},
    { usage_type: 'asr' },
    { usage_type: '' },
    { usage_type: 'STT' },
    { usage_type: 7 },
    { usage_type: 'voice-isolation' },
    { usage_type: '__proto__' },
    { usage_type: 'stt', expiration_ttl: 4 },
    { usage_type: 'stt', expiration_ttl: 301 },
    { usage_type: 'tts', expiration_ttl: 1440 },
    { usage_type: 'viva', expiration_ttl: 0 },
    { usage_type: 'vt', expiration_ttl: 1441 },
    { usage_type: 'vt', expiration_ttl: 4 },
    { usage_type: 'stt', expiration_ttl: -10 },
    { usage_type: 'stt', expiration_ttl: 30.5 },
    { usage_type: 'stt', expiration_ttl: '30' },
    { usage_type: 'stt', metadata: { session_id: 'x'.repeat(256) } },
  ]) {
    it(`${JSON.stringify(body).slice(0, 70)} is 400 VALIDATION_ERROR`, async () => {
      await using upstream = await createEmulator()
      expect(await mint(upstream, body)).toBeTokenError(400, 'VALIDATION_ERROR')
      expect(upstream.tokens.size).toBe(0)
    })
  }
  it('metadata.session_id of 255 characters passes and is stored', async () => {
    await using upstream = await createEmulator()
    const session_id = 'x'.repeat(255)
    expect((await mint(upstream, { usage_type: 'stt', metadata: { session_id } })).status).toBe(200)
    expect(upstream.tokens.all()[0]?.sessionId).toBe(session_id)
  })
  it('team and user are never read from the request', async () => {
    await using upstream = await createEmulator()
    const plain = await mint(upstream, { usage_type: 'stt' })
    const reply = await mint(upstream, {
      usage_type: 'stt',
      team: 'other',
      team_id: 9,
      user: 'eve',
      user_id: 9,
    })
    expect(reply.status).toBe(200)
    expect((reply.body.data as { key_id: number }).key_id).toBe(
      (plain.body.data as { key_id: number }).key_id,
    )
    expect(upstream.tokens.all()[1]?.account).toBe(upstream.tokens.all()[0]?.account)
  })
  for (const raw of ['', '{', 'null', '[]', '"stt"', 'usage_type=stt']) {
    it(`${JSON.stringify(raw)} is 400 VALIDATION_ERROR`, async () => {
      await using upstream = await createEmulator()
      const reply = await ask(upstream.baseUrl + PATH, {
        raw,
        method: 'POST',
        headers: { authorization: `api-key ${upstream.apiKey}`, 'content-type': 'application/json' },
      })
      expect(reply).toBeTokenError(400, 'VALIDATION_ERROR')
    })
  }
})

describe('request headers', () => {
  const forms: [string, (key: string) => string | null][] = [
    ['missing', () => null],
    ['empty', () => ''],
    ['the key alone', (key) => key],
    ['Bearer', (key) => `Bearer ${key}`],
    ['the scheme alone', () => 'api-key'],
    ['the scheme and a blank', () => 'api-key '],
    ['a colon', (key) => `api-key: ${key}`],
    ['an underscore', (key) => `api_key ${key}`],
    ['no blank', (key) => `api-key${key}`],
  ]
  for (const [name, form] of forms) {
    it(`Authorization ${name} is 401 AUTH_HEADER_MISSING`, async () => {
      await using upstream = await createEmulator()
      const reply = await mint(
        upstream,
        { usage_type: 'stt' },
        { headers: { authorization: form(upstream.apiKey) } },
      )
      expect(reply).toBeTokenError(401, 'AUTH_HEADER_MISSING')
    })
  }
  it('the scheme word is matched without regard to case', async () => {
    await using upstream = await createEmulator()
    const reply = await mint(
      upstream,
      { usage_type: 'stt' },
      { headers: { authorization: `API-Key ${upstream.apiKey}` } },
    )
    expect(reply.status).toBe(200)
  })
  it('an unknown key is 401 AUTH_API_KEY_INVALID', async () => {
    await using upstream = await createEmulator()
    for (const key of ['nonsense', '__proto__', upstream.meetingsCredential])
      expect(
        await mint(upstream, { usage_type: 'stt' }, { headers: { authorization: `api-key ${key}` } }),
      ).toBeTokenError(401, 'AUTH_API_KEY_INVALID')
  })
  it('a session token is no API key', async () => {
    await using upstream = await createEmulator()
    const first = await mint(upstream, { usage_type: 'stt' })
    const { session_key } = first.body.data as { session_key: string }
    const reply = await mint(
      upstream,
      { usage_type: 'stt' },
      { headers: { authorization: `api-key ${session_key}` } },
    )
    expect(reply).toBeTokenError(401, 'AUTH_API_KEY_INVALID')
  })
  it('a missing content type is not taken', async () => {
    await using upstream = await createEmulator()
    const reply = await ask(upstream.baseUrl + PATH, {
      raw: '{"usage_type":"stt"}',
      headers: { authorization: `api-key ${upstream.apiKey}` },
    })
    expect(reply.status).toBeGreaterThanOrEqual(400)
    expect(reply.status).toBeLessThan(500)
  })
})

describe('errors of the token endpoint', () => {
  const statusOf = {
    AUTH_API_KEY_INVALID: 401,
    AUTH_API_KEY_EXPIRED: 401,
    AUTH_NO_LICENSE: 401,
    PRODUCT_NOT_ALLOWED: 403,
    PAYMENT_PAST_DUE: 403,
    BALANCE_EXHAUSTED: 403,
    SPEND_CAP_REACHED: 403,
    USAGE_LIMIT_EXCEEDED: 403,
    VT_USAGE_LIMIT_EXCEEDED: 403,
  } as const
  for (const [state, code] of Object.entries(KEY_STATES)) {
    if (code === null) continue
    it(`a key that is ${state} gives ${statusOf[code]} ${code}`, async () => {
      await using upstream = await createEmulator()
      const usage_type = state === 'vtUsageExceeded' ? 'vt' : 'stt'
      const key = upstream.keys[state as keyof typeof KEY_STATES]
      const reply = await mint(upstream, { usage_type }, { headers: { authorization: `api-key ${key}` } })
      expect(reply).toBeTokenError(statusOf[code], code)
    })
  }
  it('USAGE_LIMIT_EXCEEDED is for stt, tts and viva, VT_USAGE_LIMIT_EXCEEDED for vt only', async () => {
    await using upstream = await createEmulator()
    const status = async (state: 'usageExceeded' | 'vtUsageExceeded', usage_type: string) =>
      (
        await mint(
          upstream,
          { usage_type },
          { headers: { authorization: `api-key ${upstream.keys[state]}` } },
        )
      ).status
    for (const product of ['stt', 'tts', 'viva']) {
      expect(await status('usageExceeded', product)).toBe(403)
      expect(await status('vtUsageExceeded', product)).toBe(200)
    }
    expect(await status('usageExceeded', 'vt')).toBe(200)
    expect(await status('vtUsageExceeded', 'vt')).toBe(403)
  })
  for (const state of ['pastDue', 'balanceExhausted', 'spendCapReached'] as const) {
    it(`${state} is answered only while usage checks are on`, async () => {
      await using upstream = await createEmulator()
      for (const account of upstream.accounts.all())
        upstream.accounts.update(account.id, { usageChecks: false })
      const reply = await mint(
        upstream,
        { usage_type: 'stt' },
        { headers: { authorization: `api-key ${upstream.keys[state]}` } },
      )
      expect(reply.status).toBe(200)
    })
  }
  for (const [code, { status }] of Object.entries(TOKEN_ERRORS)) {
    it(`${code} is reached by a fault, with ${status}`, async () => {
      await using upstream = await createEmulator()
      upstream.use(fail(code as keyof typeof TOKEN_ERRORS, { times: 1 }))
      expect(await mint(upstream, { usage_type: 'vt' })).toBeTokenError(status, code)
      expect((await mint(upstream, { usage_type: 'vt' })).status).toBe(200)
    })
  }
})

it('answers only POST at the token path', async () => {
  await using upstream = await createEmulator()
  for (const method of ['GET', 'PUT', 'DELETE', 'HEAD']) {
    const reply = await ask(upstream.baseUrl + PATH, {
      method,
      headers: { authorization: `api-key ${upstream.apiKey}` },
    })
    expect([404, 405]).toContain(reply.status)
  }
  expect(upstream.tokens.size).toBe(0)
})

it('records every request with method, path, query, headers, body, status and time', async () => {
  await using upstream = await createEmulator({ now: () => 1_700_000_000_000 })
  await mint(upstream, { usage_type: 'stt' })
  expect(upstream.requests).toHaveLength(1)
  expect(upstream.requests[0]).toMatchObject({
    method: 'POST',
    path: PATH,
    query: {},
    body: { usage_type: 'stt' },
    status: 200,
    at: 1_700_000_000_000,
  })
  expect(upstream.requests[0]?.headers.authorization).toBe(`api-key ${upstream.apiKey}`)
})
