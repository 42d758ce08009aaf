import { codesOf, TOKEN_ERRORS } from '@stagepass/contract'
import { describe, expect, it } from 'vitest'
import { issueToken, postToken, refuseToken, send, TOKEN_PATH, withKey } from '../../node/client.test.kit.js'
import { createEmulator } from '../../node/createEmulator.js'
import { fail } from '../faults/faults.js'

const json = 'application/json'
const stt = { usage_type: 'stt' }
const NOON = Date.parse('2026-03-02T12:00:00.678Z')
const invalid = { status: 400, error_code: 'VALIDATION_ERROR' }

describe('Contract: "Token response", "Token error body"', () => {
  it('sends the envelopes, with a new req_id each time, at the time of the emulator', async () => {
    await using upstream = await createEmulator({ now: () => NOON })
    const { status, headers, body } = await postToken(upstream, stt)
    expect([status, headers.get('date')]).toEqual([200, 'Mon, 02 Mar 2026 12:00:00 GMT'])
    expect(body).toEqual({
      code: 0,
      message: 'Success',
      data: {
        session_key: expect.stringMatching(/^st_\w{40}$/),
        expires_at: '2026-03-02T15:00:00.678Z',
        key_id: 1001,
        status: 'LICENSE_VALID',
        type: 'session',
        usage_type: 'stt',
      },
      req_id: '00000000-0000-4000-8000-000000000001',
    })
    expect(await refuseToken(upstream, { usage_type: 'nope' })).toEqual({
      ...invalid,
      code: 1,
      message: expect.stringContaining('usage_type'),
      req_id: '00000000-0000-4000-8000-000000000002',
    })
  })

  it('sends another status of the open set if the option says so', async () => {
    await using upstream = await createEmulator({ tokenStatus: 'active' })
    expect(await issueToken(upstream, stt)).toMatchObject({ status: 'active' })
  })
})

describe('Contract: "Token request headers"', () => {
  it.each([
    ['api-key KEY', json],
    ['Api-Key KEY', 'Application/JSON; charset=utf-8'],
  ])('takes %s with %s', async (format, type) => {
    await using upstream = await createEmulator()
    const headers = { authorization: format.replace('KEY', upstream.apiKey), 'content-type': type }
    expect(await issueToken(upstream, stt, { headers })).toBeDefined()
  })

  it('requires the content type', async () => {
    await using upstream = await createEmulator()
    const headers = { authorization: `api-key ${upstream.apiKey}`, 'content-type': 'text/plain' }
    expect(await refuseToken(upstream, stt, { headers })).toMatchObject(invalid)
  })

  it.each([
    '',
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
  ])('a missing header or the wrong format "%s" gives 401 AUTH_HEADER_MISSING', async (format) => {
    await using upstream = await createEmulator()
    const authorization = format.replace('KEY', upstream.apiKey)
    const headers = { 'content-type': json, ...(format && { authorization }) }
    const refused = await refuseToken(upstream, stt, { headers })
    expect(refused).toMatchObject({ status: 401, error_code: 'AUTH_HEADER_MISSING' })
  })
})

// test/service has the bounds of each product.
describe('Contract: "Token request body"', () => {
  it.each([undefined, null, '', 'STT', 'voice-isolation', 'toString', '__proto__', 1, ['stt']])(
    'usage_type: required, and %j is not one of the four',
    async (usage_type) => {
      await using upstream = await createEmulator()
      expect(await refuseToken(upstream, { usage_type })).toMatchObject(invalid)
    },
  )

  it.each([
    ['stt', -5],
    ['stt', 5.5],
    ['stt', '30'],
    ['stt', null],
    ['stt', 1e300],
  ])('expiration_ttl: %s with %j is no integer, or far out of range', async (usage_type, expiration_ttl) => {
    await using upstream = await createEmulator()
    const message = expect.stringContaining('expiration_ttl') as string
    const refused = await refuseToken(upstream, { usage_type, expiration_ttl })
    expect(refused).toMatchObject({ ...invalid, message })
  })

  it('metadata.session_id: a string of at most 255 characters', async () => {
    await using upstream = await createEmulator()
    for (const session_id of ['', 'a'.repeat(255), '\u{1F600}'.repeat(127)]) {
      const { session_key } = await issueToken(upstream, { ...stt, metadata: { session_id } })
      expect(upstream.tokens.get(session_key)).toMatchObject({ sessionId: session_id })
    }
    for (const session_id of ['a'.repeat(256), '\u{1F600}'.repeat(128), 7]) {
      expect(await refuseToken(upstream, { ...stt, metadata: { session_id } })).toMatchObject(invalid)
    }
  })

  it.each(['', '{', '[]', 'null', '"stt"'])('a body that is no JSON object: %s', async (body) => {
    await using upstream = await createEmulator()
    expect(await refuseToken(upstream, body)).toMatchObject(invalid)
  })
})

describe('Contract: "Token rules"', () => {
  it('the address is {base_url}/v2/sdk/tokens/session, only by POST', async () => {
    await using upstream = await createEmulator()
    for (const method of ['GET', 'PUT', 'DELETE', 'HEAD']) {
      const answer = await send(upstream.baseUrl + TOKEN_PATH, { method })
      expect([method, answer.status, answer.headers.get('allow')]).toEqual([method, 405, 'POST'])
    }
    expect((await send(`${upstream.baseUrl}/v1/sdk/tokens/session`, { method: 'POST' })).status).toBe(404)
  })
})

describe('Contract: "Token errors"', () => {
  it.each([
    ['paused', 'stt', 'AUTH_API_KEY_INVALID'],
    ['suspended', 'stt', 'AUTH_API_KEY_INVALID'],
    ['teamless', 'stt', 'AUTH_API_KEY_INVALID'],
    ['usageExceeded', 'vt', undefined],
    ['vtUsageExceeded', 'stt', undefined],
    ['vtUsageExceeded', 'tts', undefined],
    ['vtUsageExceeded', 'viva', undefined],
  ] as const)('a key that is %s, for %s: %s', async (state, usage_type, error_code) => {
    await using upstream = await createEmulator()
    const reply = await postToken(upstream, { usage_type }, withKey(upstream.keys[state]))
    expect(reply.status).toBe(error_code ? TOKEN_ERRORS[error_code].status : 200)
    expect(reply.body).toMatchObject(error_code ? { error_code } : { code: 0 })
  })

  it('401 AUTH_API_KEY_INVALID: an unknown key, a session token, the meetings credential', async () => {
    await using upstream = await createEmulator()
    const { session_key } = await issueToken(upstream, stt)
    for (const key of ['nobody', '__proto__', session_key, upstream.meetingsCredential]) {
      const refused = await refuseToken(upstream, stt, withKey(key))
      expect(refused).toMatchObject({ status: 401, error_code: 'AUTH_API_KEY_INVALID' })
    }
  })

  it('checks the key before the body, and the account after it', async () => {
    await using upstream = await createEmulator()
    expect(await refuseToken(upstream, '{', withKey(upstream.keys.paused))).toMatchObject({ status: 401 })
    expect(await refuseToken(upstream, '{', withKey(upstream.keys.pastDue))).toMatchObject({ status: 400 })
  })

  it('403 PRODUCT_NOT_ALLOWED: only for the requested product', async () => {
    const keys = [{ key: 'no-vt', state: 'productNotAllowed', products: ['vt'] }] as const
    await using upstream = await createEmulator({ keys })
    const refused = await refuseToken(upstream, { usage_type: 'vt' }, withKey('no-vt'))
    expect(refused).toMatchObject({ status: 403, error_code: 'PRODUCT_NOT_ALLOWED' })
    expect(await issueToken(upstream, stt, withKey('no-vt'))).toBeDefined()
  })

  it.each(['pastDue', 'balanceExhausted', 'spendCapReached'] as const)(
    '%s is answered only when usage checks are enabled for the account',
    async (state) => {
      await using upstream = await createEmulator()
      upstream.accounts.update('main', { usageChecks: false })
      expect(await issueToken(upstream, stt, withKey(upstream.keys[state]))).toBeDefined()
    },
  )

  it.each(codesOf(TOKEN_ERRORS))(
    '%s by a fault: no token is made, and a retry succeeds',
    async (error_code) => {
      await using upstream = await createEmulator()
      upstream.use(fail(error_code, { times: 1 }))
      const { status } = TOKEN_ERRORS[error_code]
      expect(await refuseToken(upstream, stt)).toMatchObject({ status, error_code })
      expect(upstream.tokens.size).toBe(0)
      expect(await issueToken(upstream, stt)).toBeDefined()
    },
  )
})
