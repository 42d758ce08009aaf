import type { HandshakeErrorCode } from '@stagepass/contract'
import { describe, expect, it } from 'vitest'
import { handshake, issueToken, openStream, openWith } from '../../node/client.test.kit.js'
import type { Emulator } from '../../node/Emulator.js'
import { createEmulator } from '../../node/createEmulator.js'
import { fail, refuse } from '../faults/faults.js'
import type { EmulatorOptions } from '../../node/options.js'

const PATHS = [
  ['/stt', 'stt'],
  ['/tts', 'tts'],
  ['/voice-isolation', 'viva'],
  ['/vt', 'vt'],
] as const

describe('Contract: "WebSocket endpoints"', () => {
  it.each(PATHS)('%s takes a token of usage_type %s', async (path, product) => {
    await using upstream = await createEmulator()
    const { session_key } = await issueToken(upstream, { usage_type: product })
    const result = await handshake(upstream, { path, headers: { authorization: `api-key ${session_key}` } })
    expect(result.type).toBe('open')
    expect(upstream.sockets).toEqual([expect.objectContaining({ product, sessionKey: session_key })])
  })

  it.each(
    PATHS.flatMap(([path, product]) => PATHS.map(([, other]) => [path, product, other] as const)).filter(
      ([, product, other]) => product !== other,
    ),
  )(
    'a separate token is needed per product: %s (%s) refuses a token of %s',
    async (path, _product, other) => {
      await using upstream = await createEmulator()
      const { session_key } = await issueToken(upstream, { usage_type: other })
      const headers = { authorization: `api-key ${session_key}` }
      expect(await handshake(upstream, { path, headers })).toMatchObject({
        type: 'refused',
        status: 403,
        body: { error: { reason: 'unauthorized' } },
      })
    },
  )

  it.each(['/', '/STT', '/stt/', '/viva', '/v2/sdk/tokens/session'])(
    'there is no stream at %s',
    async (path) => {
      await using upstream = await createEmulator()
      const { session_key } = await issueToken(upstream, { usage_type: 'stt' })
      const headers = { authorization: `api-key ${session_key}` }
      expect(await handshake(upstream, { path, headers })).toMatchObject({ type: 'refused', status: 404 })
    },
  )
})

describe('Contract: "Credentials"', () => {
  it('API key: never sent on a WebSocket: it opens none', async () => {
    await using upstream = await createEmulator()
    const headers = { authorization: `api-key ${upstream.apiKey}` }
    expect(await handshake(upstream, { headers })).toMatchObject({
      status: 403,
      body: { error: { reason: 'unauthorized' } },
    })
  })

  it('Session token: 5 to 300 minutes (vt: up to 1440), opens the WebSocket endpoints until then', async () => {
    let nowMs = Date.parse('2026-03-02T12:00:00Z')
    await using upstream = await createEmulator({ now: () => nowMs })
    const { session_key } = await issueToken(upstream, { usage_type: 'vt', expiration_ttl: 1440 })
    nowMs += 1440 * 60_000 - 1
    await openWith(upstream, 'vt', session_key)
    nowMs += 1
    const headers = { authorization: `api-key ${session_key}` }
    expect(await handshake(upstream, { path: '/vt', headers })).toMatchObject({ status: 403 })
  })
})

describe('Contract: "WebSocket handshake"', () => {
  it('1. Authorization: api-key <SESSION_TOKEN> in the handshake headers', async () => {
    await using upstream = await createEmulator()
    const { session_key } = await issueToken(upstream, { usage_type: 'stt' })
    for (const scheme of ['api-key', 'API-Key']) {
      const headers = { authorization: `${scheme} ${session_key}` }
      expect((await handshake(upstream, { headers })).type).toBe('open')
    }
  })

  it('2. the same value in the query parameter authorization, URL-encoded, the space as %20', async () => {
    await using upstream = await createEmulator()
    const { session_key } = await issueToken(upstream, { usage_type: 'stt' })
    const query = `?authorization=api-key%20${session_key}`
    expect((await handshake(upstream, { query })).type).toBe('open')
    const everything = Array.from(`api-key ${session_key}`)
      .map((character) => `%${character.charCodeAt(0).toString(16).padStart(2, '0')}`)
      .join('')
    expect((await handshake(upstream, { query: `?lang=en&authorization=${everything}` })).type).toBe('open')
  })

  it('2. a plus is a plus, and no space', async () => {
    await using upstream = await createEmulator()
    const { session_key } = await issueToken(upstream, { usage_type: 'stt' })
    expect(await handshake(upstream, { query: `?authorization=api-key+${session_key}` })).toMatchObject({
      status: 401,
      body: { error: { reason: 'invalid_api_key' } },
    })
    upstream.tokens.add({ ...tokenRow(upstream, session_key), sessionKey: 'with+plus/and=' })
    const query = `?authorization=${encodeURIComponent('api-key with+plus/and=')}`
    expect((await handshake(upstream, { query })).type).toBe('open')
  })

  it('3. a new token must be created before the current one expires: a live socket is left alone by default', async () => {
    await using upstream = await createEmulator({ echo: true })
    await using client = await openStream(upstream, 'stt')
    upstream.clock.advance(24 * 3_600_000)
    client.socket.send('still here')
    expect(await client.next()).toBe('still here')
  })

  it('3. or is cut at its expiry, under cutAtExpiry', async () => {
    await using upstream = await createEmulator({ cutAtExpiry: true })
    const { session_key } = await issueToken(upstream, { usage_type: 'stt', expiration_ttl: 5 })
    await using client = await openWith(upstream, 'stt', session_key)
    await using other = await openStream(upstream, 'stt')
    upstream.clock.advance(5 * 60_000)
    expect(await client.closed).toEqual({ code: 1008, reason: 'unauthorized' })
    expect(other.socket.readyState).toBe(other.socket.OPEN)
    upstream.tokens.update(upstream.sockets[0]?.sessionKey ?? '', { expiresAtMs: 0 })
    expect(await other.closed).toEqual({ code: 1008, reason: 'unauthorized' })
  })

  it('4. missing, malformed or expired: the connection is closed with one of the codes', async () => {
    await using upstream = await createEmulator()
    for (const refusal of REFUSALS) {
      expect(await refusal.attempt(upstream)).toMatchObject({
        type: 'refused',
        body: { error: { reason: refusal.code } },
      })
    }
    expect(upstream.sockets).toEqual([])
  })

  it('5. the simultaneous-sessions limit is checked when the WebSocket opens, not at token creation', async () => {
    await using upstream = await createEmulator({ maxSessions: 1 })
    const first = await openStream(upstream, 'stt')
    const { session_key } = await issueToken(upstream, { usage_type: 'tts' })
    const attempt = { path: '/tts', headers: { authorization: `api-key ${session_key}` } }
    expect(await handshake(upstream, attempt)).toMatchObject({
      body: { error: { reason: 'concurrency_limit_exceeded' } },
    })

    first.socket.close()
    await first.closed
    expect((await handshake(upstream, attempt)).type).toBe('open')
  })

  it('5. sessions are counted per account', async () => {
    const keys = [{ key: 'mine', account: 'acme' }]
    await using upstream = await createEmulator({ maxSessions: 1, keys })
    await openStream(upstream, 'stt')
    const headers = { authorization: 'api-key mine', 'content-type': 'application/json' }
    const { session_key } = await issueToken(upstream, { usage_type: 'stt' }, { headers })
    await openWith(upstream, 'stt', session_key)
    expect(upstream.sockets).toHaveLength(2)
  })
})

interface Refusal {
  readonly name: string
  readonly code: HandshakeErrorCode
  readonly status: number
  readonly options?: EmulatorOptions
  readonly attempt: (upstream: Emulator) => ReturnType<typeof handshake>
}

const withHeader = (authorization: string) => (upstream: Emulator) =>
  handshake(upstream, { headers: { authorization } })

const REFUSALS: readonly Refusal[] = [
  {
    name: 'neither the header nor the query parameter was sent',
    code: 'missing_authorization_header',
    status: 401,
    attempt: (upstream) => handshake(upstream, { query: '?Authorization=api-key%20x&auth=1' }),
  },
  { name: 'Bearer', code: 'invalid_api_key', status: 401, attempt: withHeader('Bearer abc') },
  { name: 'a bare token', code: 'invalid_api_key', status: 401, attempt: withHeader('abc') },
  { name: 'a scheme without a token', code: 'invalid_api_key', status: 401, attempt: withHeader('api-key') },
  {
    name: 'an empty query parameter',
    code: 'invalid_api_key',
    status: 401,
    attempt: (upstream) => handshake(upstream, { query: '?authorization=' }),
  },
  {
    name: 'a broken percent-escape',
    code: 'invalid_api_key',
    status: 401,
    attempt: (upstream) => handshake(upstream, { query: '?authorization=api-key%2' }),
  },
  { name: 'an unknown token', code: 'unauthorized', status: 403, attempt: withHeader('api-key abc') },
  {
    name: 'an expired token',
    code: 'unauthorized',
    status: 403,
    async attempt(upstream) {
      const { session_key } = await issueToken(upstream, { usage_type: 'stt' })
      upstream.tokens.update(session_key, { expiresAtMs: upstream.clock.now() })
      return handshake(upstream, { headers: { authorization: `api-key ${session_key}` } })
    },
  },
]

const FULL: Refusal = {
  name: 'no session is left',
  code: 'concurrency_limit_exceeded',
  status: 429,
  options: { maxSessions: 0 },
  async attempt(upstream) {
    const { session_key } = await issueToken(upstream, { usage_type: 'stt' })
    return handshake(upstream, { headers: { authorization: `api-key ${session_key}` } })
  },
}

describe('Contract: "Handshake errors"', () => {
  const rows = [...REFUSALS, FULL]

  it.each(rows)('$code ($status) as an HTTP status: $name', async ({ code, status, options, attempt }) => {
    await using upstream = await createEmulator({ ...options, refuseBy: 'status' })
    expect(await attempt(upstream)).toEqual({
      type: 'refused',
      status,
      body: { error: { code: status, reason: code, description: expect.any(String) } },
    })
  })

  it.each(rows)('$code as an error frame after the open: $name', async ({ code, options, attempt }) => {
    await using upstream = await createEmulator({ ...options, refuseBy: 'frame' })
    const result = await attempt(upstream)
    if (result.type !== 'open') throw new Error(`it was ${result.type}`)
    expect(await result.client.nextJson()).toEqual({
      error: { code: expect.any(Number), reason: code, description: expect.any(String) },
    })
    expect(await result.client.closed).toEqual({ code: 1008, reason: '' })
    expect(upstream.sockets).toEqual([])
  })

  it.each(rows)('$code as a close whose reason holds it: $name', async ({ code, options, attempt }) => {
    await using upstream = await createEmulator({ ...options, refuseBy: 'close' })
    const result = await attempt(upstream)
    if (result.type !== 'open') throw new Error(`it was ${result.type}`)
    expect(await result.client.closed).toEqual({ code: 1008, reason: code })
  })

  const error = { code: 401, description: expect.any(String) }
  const reason = (json: object) => ({ code: 1008, reason: JSON.stringify({ error: json }) })
  it.each([
    [
      'nested',
      { error: { ...error, reason: 'unauthorized' } },
      reason({ code: 401, reason: 'unauthorized', description: '' }),
    ],
    [
      'nested-number',
      { error: { ...error, reason: 'invalid_token' } },
      reason({ code: 401, reason: 'invalid_token', description: '' }),
    ],
    [
      'nested-name',
      { error: { ...error, code: 'unauthorized' } },
      reason({ code: 'unauthorized', description: '' }),
    ],
    ['flat-number', { type: 'error', code: 401, message: expect.any(String) }, { code: 4_401, reason: '' }],
    [
      'flat-name',
      { type: 'error', code: 'unauthorized', message: expect.any(String) },
      { code: 1008, reason: 'unauthorized' },
    ],
  ] as const)('is spelled %s on request', async (refusalForm, spelled, closed) => {
    await using upstream = await createEmulator({ refusalForm, refuseBy: 'frame' })
    const headers = { authorization: 'api-key unknown' }
    const byFrame = await handshake(upstream, { headers })
    expect(byFrame.type === 'open' && (await byFrame.client.nextJson())).toEqual(spelled)

    upstream.use(fail('unauthorized', { refuseBy: 'status', times: 1 }))
    const byStatus = await handshake(upstream, { headers })
    // The status is 403. (Contract: "Handshake errors".) Frames and closes say 401, as public clients know it.
    const number = (json: object) =>
      JSON.parse(JSON.stringify(json).replace('403', '401').replace('forbidden', 'invalid_token')) as object
    expect(byStatus.type === 'refused' && number(byStatus.body as object)).toEqual(spelled)

    upstream.use(fail('unauthorized', { refuseBy: 'close', times: 1 }))
    const byClose = await handshake(upstream, { headers })
    expect(byClose.type === 'open' && (await byClose.client.closed)).toEqual(closed)
  })

  it.each([400, 402, 500])('the bare number %i, in each of the three ways', async (number) => {
    await using upstream = await createEmulator()
    upstream.use(refuse(number, { times: 1 }))
    expect(await handshake(upstream, {})).toMatchObject({ type: 'refused', status: number })
    upstream.use(refuse(number, { times: 1, refuseBy: 'frame' }))
    const byFrame = await handshake(upstream, {})
    expect(byFrame.type === 'open' && (await byFrame.client.nextJson())).toMatchObject({
      error: { code: number },
    })
    upstream.use(refuse(number, { times: 1, refuseBy: 'close' }))
    const byClose = await handshake(upstream, {})
    expect(byClose.type === 'open' && (await byClose.client.closed)).toEqual({
      code: 4_000 + number,
      reason: '',
    })
    expect(() => refuse(200)).toThrow(
      'Failed to make the fault refuse(200): it is no error status. Give 400 to 599.',
    )
  })

  it.each([
    ['missing_authorization_header', 401],
    ['invalid_api_key', 401],
    ['unauthorized', 403],
    ['concurrency_limit_exceeded', 429],
  ] as const)('%s by a fault, in each of the three ways', async (code, status) => {
    await using upstream = await createEmulator()
    const { session_key } = await issueToken(upstream, { usage_type: 'stt' })
    const attempt = () => handshake(upstream, { headers: { authorization: `api-key ${session_key}` } })

    upstream.use(fail(code, { times: 1 }))
    expect(await attempt()).toMatchObject({ type: 'refused', status, body: { error: { reason: code } } })
    upstream.use(fail(code, { times: 1, refuseBy: 'frame' }))
    expect(await attempt()).toMatchObject({ type: 'open' })
    expect(upstream.sockets).toEqual([])
    upstream.use(fail(code, { times: 1, refuseBy: 'close' }))
    const closing = await attempt()
    expect(closing.type === 'open' && (await closing.client.closed)).toEqual({ code: 1008, reason: code })

    expect((await attempt()).type).toBe('open')
    expect(upstream.sockets).toHaveLength(1)
  })
})

function tokenRow(upstream: Emulator, sessionKey: string) {
  const row = upstream.tokens.get(sessionKey)
  if (!row) throw new Error('no such token')
  return row
}
