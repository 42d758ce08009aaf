import { codesOf, TOKEN_ERRORS } from '@stagepass/contract'
import { describe, expect, it } from 'vitest'
import { issueToken, postToken, refuseToken, send, TOKEN_PATH, withKey } from '../../node/client.test.kit.js'
import { createEmulator } from '../../node/createEmulator.js'
import { fail } from '../faults/faults.js'

const json = 'application/json'

describe('Contract: "Token request headers"', () => {
  it('Authorization: api-key <API_KEY>', async () => {
    await using upstream = await createEmulator()
    expect(await issueToken(upstream, { usage_type: 'stt' }, withKey(upstream.apiKey))).toBeDefined()
  })

  it('Content-Type: application/json is required; a charset may follow', async () => {
    await using upstream = await createEmulator()
    const authorization = `api-key ${upstream.apiKey}`
    const plain = { headers: { authorization, 'content-type': 'text/plain' } }
    expect(await refuseToken(upstream, { usage_type: 'stt' }, plain)).toMatchObject({
      status: 400,
      error_code: 'VALIDATION_ERROR',
    })
    const charset = { headers: { authorization, 'content-type': 'Application/JSON; charset=utf-8' } }
    expect(await issueToken(upstream, { usage_type: 'stt' }, charset)).toBeDefined()
  })
})

describe('Contract: "Token request body"', () => {
  it.each([undefined, null, '', 'STT', 'voice-isolation', 'toString', '__proto__', 1, ['stt']])(
    'usage_type: required, and %j is not one of the four',
    async (usage_type) => {
      await using upstream = await createEmulator()
      expect(await refuseToken(upstream, { usage_type })).toMatchObject({
        status: 400,
        error_code: 'VALIDATION_ERROR',
      })
    },
  )

  it.each([
    ['stt', undefined, 180],
    ['tts', undefined, 180],
    ['viva', undefined, 180],
    ['vt', undefined, 180],
    ['stt', 5, 5],
    ['tts', 300, 300],
    ['viva', 299, 299],
    ['vt', 5, 5],
    ['vt', 301, 301],
    ['vt', 1440, 1440],
  ])('expiration_ttl: %s with %s lives %i minutes', async (usage_type, expiration_ttl, minutes) => {
    const nowMs = Date.parse('2026-03-02T12:00:00.000Z')
    await using upstream = await createEmulator({ now: () => nowMs })
    const { expires_at, ...token } = await issueToken(upstream, { usage_type, expiration_ttl })
    expect(token).toMatchObject({ usage_type, type: 'session' })
    expect((Date.parse(expires_at) - nowMs) / 60_000).toBe(minutes)
  })

  it.each([
    ['stt', 4],
    ['stt', 301],
    ['tts', 1440],
    ['viva', 301],
    ['vt', 4],
    ['vt', 1441],
    ['stt', 0],
    ['stt', -5],
    ['stt', 5.5],
    ['stt', '30'],
    ['stt', null],
    ['stt', 1e300],
  ])('expiration_ttl: %s with %j is out of range or no integer', async (usage_type, expiration_ttl) => {
    await using upstream = await createEmulator()
    expect(await refuseToken(upstream, { usage_type, expiration_ttl })).toMatchObject({
      status: 400,
      error_code: 'VALIDATION_ERROR',
      message: expect.stringContaining('expiration_ttl'),
    })
  })

  it.each(['', 'a'.repeat(255), '\u{1F600}'.repeat(127)])(
    "metadata.session_id: the caller's own identifier, at most 255 characters (%#)",
    async (session_id) => {
      await using upstream = await createEmulator()
      const { session_key } = await issueToken(upstream, { usage_type: 'stt', metadata: { session_id } })
      expect(upstream.tokens.get(session_key)).toMatchObject({ sessionId: session_id })
    },
  )

  it.each(['a'.repeat(256), '\u{1F600}'.repeat(128), 7])(
    'metadata.session_id: longer, or not a string, is refused (%#)',
    async (session_id) => {
      await using upstream = await createEmulator()
      expect(await refuseToken(upstream, { usage_type: 'stt', metadata: { session_id } })).toMatchObject({
        status: 400,
        error_code: 'VALIDATION_ERROR',
      })
    },
  )

  it.each(['', '{', '[]', 'null', '"stt"'])('a body that is no JSON object: %s', async (body) => {
    await using upstream = await createEmulator()
    expect(await refuseToken(upstream, body)).toMatchObject({ status: 400, error_code: 'VALIDATION_ERROR' })
  })
})

describe('Contract: "Token rules"', () => {
  it('1. the team and the user are always taken from the API key, never from the request', async () => {
    await using upstream = await createEmulator({ keys: [{ key: 'mine', account: 'acme' }] })
    const { session_key } = await issueToken(
      upstream,
      { usage_type: 'stt', team_id: 'evil', user_id: 'evil', account: 'evil', key_id: 1 },
      withKey('mine'),
    )
    expect(upstream.tokens.get(session_key)).toMatchObject({ account: 'acme' })
    expect(upstream.tokens.get(session_key)?.keyId).toBe(upstream.apiKeys.get('mine')?.keyId)
  })

  it('2. on success the token response envelope; 3. on failure the error envelope with its status', async () => {
    await using upstream = await createEmulator()
    expect(await postToken(upstream, { usage_type: 'stt' })).toMatchObject({ status: 200, body: { code: 0 } })
    expect(await postToken(upstream, {})).toMatchObject({ status: 400, body: { code: 1 } })
  })

  it('the address is {base_url}/v2/sdk/tokens/session, by POST alone', async () => {
    await using upstream = await createEmulator()
    for (const method of ['GET', 'PUT', 'DELETE', 'HEAD']) {
      const answer = await send(upstream.baseUrl + TOKEN_PATH, { method })
      expect([method, answer.status, answer.headers.get('allow')]).toEqual([method, 405, 'POST'])
    }
    expect((await send(`${upstream.baseUrl}/v1/sdk/tokens/session`, { method: 'POST' })).status).toBe(404)
  })

  it('the Date header is the time of the emulator', async () => {
    await using upstream = await createEmulator({ now: () => Date.parse('2030-01-02T03:04:05.678Z') })
    const { headers } = await postToken(upstream, { usage_type: 'stt' })
    expect(headers.get('date')).toBe('Wed, 02 Jan 2030 03:04:05 GMT')
  })
})

describe('Contract: "Token request headers", Authorization', () => {
  it.each(['api-key', 'API-KEY', 'Api-Key'])('the scheme %s is accepted', async (scheme) => {
    await using upstream = await createEmulator()
    const headers = { authorization: `${scheme} ${upstream.apiKey}`, 'content-type': json }
    expect(await issueToken(upstream, { usage_type: 'stt' }, { headers })).toBeDefined()
  })

  it('a missing header gives 401 AUTH_HEADER_MISSING', async () => {
    await using upstream = await createEmulator()
    const init = { headers: { 'content-type': json } }
    expect(await refuseToken(upstream, { usage_type: 'stt' }, init)).toMatchObject({
      status: 401,
      error_code: 'AUTH_HEADER_MISSING',
    })
  })

  it.each([
    'Bearer KEY',
    'KEY',
    'api-key',
    'api-key ',
    'api-keyKEY',
    'api-key=KEY',
    'api-key KEY more',
    'Basic api-key KEY',
    'api-key: KEY',
    'api_key KEY',
  ])('the wrong format "%s" gives 401 AUTH_HEADER_MISSING', async (format) => {
    await using upstream = await createEmulator()
    const headers = { authorization: format.replace('KEY', upstream.apiKey), 'content-type': json }
    expect(await refuseToken(upstream, { usage_type: 'stt' }, { headers })).toMatchObject({
      status: 401,
      error_code: 'AUTH_HEADER_MISSING',
    })
  })
})

describe('Contract: "Token errors", by a key of that state', () => {
  it.each([
    ['invalid', 401, 'AUTH_API_KEY_INVALID'],
    ['paused', 401, 'AUTH_API_KEY_INVALID'],
    ['suspended', 401, 'AUTH_API_KEY_INVALID'],
    ['teamless', 401, 'AUTH_API_KEY_INVALID'],
    ['expired', 401, 'AUTH_API_KEY_EXPIRED'],
    ['unlicensed', 401, 'AUTH_NO_LICENSE'],
    ['productNotAllowed', 403, 'PRODUCT_NOT_ALLOWED'],
    ['pastDue', 403, 'PAYMENT_PAST_DUE'],
    ['balanceExhausted', 403, 'BALANCE_EXHAUSTED'],
    ['spendCapReached', 403, 'SPEND_CAP_REACHED'],
    ['usageExceeded', 403, 'USAGE_LIMIT_EXCEEDED'],
  ] as const)('a key that is %s: %i %s', async (state, status, error_code) => {
    await using upstream = await createEmulator()
    const refused = await refuseToken(upstream, { usage_type: 'stt' }, withKey(upstream.keys[state]))
    expect(refused).toMatchObject({ status, error_code })
  })

  it('401 AUTH_API_KEY_INVALID: an unknown key, a session token, the meetings credential', async () => {
    await using upstream = await createEmulator()
    const { session_key } = await issueToken(upstream, { usage_type: 'stt' })
    for (const key of ['nobody', '__proto__', session_key, upstream.meetingsCredential])
      expect(await refuseToken(upstream, { usage_type: 'stt' }, withKey(key))).toMatchObject({
        status: 401,
        error_code: 'AUTH_API_KEY_INVALID',
      })
  })

  it('400 VALIDATION_ERROR: the key is judged before the body', async () => {
    await using upstream = await createEmulator()
    expect(await refuseToken(upstream, '{', withKey(upstream.keys.paused))).toMatchObject({ status: 401 })
    expect(await refuseToken(upstream, '{', withKey(upstream.keys.pastDue))).toMatchObject({ status: 400 })
  })

  it('403 PRODUCT_NOT_ALLOWED: for the requested product alone', async () => {
    await using upstream = await createEmulator({
      keys: [{ key: 'no-vt', state: 'productNotAllowed', products: ['vt'] }],
    })
    expect(await refuseToken(upstream, { usage_type: 'vt' }, withKey('no-vt'))).toMatchObject({
      status: 403,
      error_code: 'PRODUCT_NOT_ALLOWED',
    })
    expect(await issueToken(upstream, { usage_type: 'stt' }, withKey('no-vt'))).toBeDefined()
  })

  it.each(['stt', 'tts', 'viva'])(
    '403 USAGE_LIMIT_EXCEEDED: for %s, whose minutes are used',
    async (usage_type) => {
      await using upstream = await createEmulator()
      const { usageExceeded, vtUsageExceeded } = upstream.keys
      expect(await refuseToken(upstream, { usage_type }, withKey(usageExceeded))).toMatchObject({
        status: 403,
        error_code: 'USAGE_LIMIT_EXCEEDED',
      })
      expect(await issueToken(upstream, { usage_type }, withKey(vtUsageExceeded))).toBeDefined()
    },
  )

  it('403 VT_USAGE_LIMIT_EXCEEDED: for vt only', async () => {
    await using upstream = await createEmulator()
    const { usageExceeded, vtUsageExceeded } = upstream.keys
    expect(await refuseToken(upstream, { usage_type: 'vt' }, withKey(vtUsageExceeded))).toMatchObject({
      status: 403,
      error_code: 'VT_USAGE_LIMIT_EXCEEDED',
    })
    expect(await issueToken(upstream, { usage_type: 'vt' }, withKey(usageExceeded))).toBeDefined()
  })

  it.each(['pastDue', 'balanceExhausted', 'spendCapReached'] as const)(
    '%s is answered only when usage checks are enabled for the account',
    async (state) => {
      await using upstream = await createEmulator()
      upstream.accounts.update('main', { usageChecks: false })
      expect(await issueToken(upstream, { usage_type: 'stt' }, withKey(upstream.keys[state]))).toBeDefined()
      upstream.accounts.update('main', { usageChecks: true })
      expect((await postToken(upstream, { usage_type: 'stt' }, withKey(upstream.keys[state]))).status).toBe(
        403,
      )
    },
  )

  it('502 CACHE_UNAVAILABLE: the token could not be stored; retrying is safe', async () => {
    await using upstream = await createEmulator()
    upstream.use(fail('CACHE_UNAVAILABLE', { times: 1 }))
    expect(await refuseToken(upstream, { usage_type: 'stt' })).toMatchObject({
      status: 502,
      error_code: 'CACHE_UNAVAILABLE',
    })
    expect(upstream.tokens.size).toBe(0)
    expect(await issueToken(upstream, { usage_type: 'stt' })).toBeDefined()
  })
})

it.each(codesOf(TOKEN_ERRORS))('Contract: "Token errors", by a fault: %s', async (error_code) => {
  await using upstream = await createEmulator()
  upstream.use(fail(error_code))
  const { status } = TOKEN_ERRORS[error_code]
  expect(await refuseToken(upstream, { usage_type: 'stt' })).toMatchObject({ status, error_code })
})
