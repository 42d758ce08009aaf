import { codesOf, HANDSHAKE_ERRORS, type HandshakeErrorCode } from '@stagepass/contract'
import { describe, expect, it } from 'vitest'
import { handshake, issueToken, openStream, openWith } from '../../node/client.test.kit.js'
import { createEmulator, type Emulator } from '../../node/createEmulator.js'
import type { EmulatorOptions } from '../../node/options.js'
import { fail, refuse } from '../faults/faults.js'

type Result = ReturnType<typeof handshake>

const withToken = (upstream: Emulator, sessionKey: string, path = '/stt'): Result =>
  handshake(upstream, { path, headers: { authorization: `api-key ${sessionKey}` } })

const withHeader =
  (authorization: string) =>
  (upstream: Emulator): Result =>
    handshake(upstream, { headers: { authorization } })

async function makeKey(upstream: Emulator, usage_type = 'stt', expiration_ttl?: number): Promise<string> {
  return (await issueToken(upstream, { usage_type, expiration_ttl })).session_key
}

/** The end of a handshake that is refused after the open. */
async function closeOf(attempt: Result): Promise<{ code: number; reason: string }> {
  const result = await attempt
  if (result.type !== 'open') throw new Error(`it was ${result.type}`)
  return result.client.closed
}

async function frameOf(attempt: Result): Promise<object> {
  const result = await attempt
  if (result.type !== 'open') throw new Error(`it was ${result.type}`)
  const frame = await result.client.nextJson()
  expect(await result.client.closed).toEqual({ code: 1008, reason: '' })
  return frame
}

const refused = (status: number, reason: string) => ({ type: 'refused', status, body: { error: { reason } } })

describe('Contract: "WebSocket endpoints", "Credentials"', () => {
  it.each(['/', '/STT', '/stt/', '/viva', '/v2/sdk/tokens/session'])('no stream at %s', async (path) => {
    await using upstream = await createEmulator()
    const attempt = withToken(upstream, await makeKey(upstream), path)
    expect(await attempt).toMatchObject({ type: 'refused', status: 404 })
  })

  it('API key: never sent on a WebSocket: it does not open one', async () => {
    await using upstream = await createEmulator()
    expect(await withToken(upstream, upstream.apiKey)).toMatchObject(refused(403, 'unauthorized'))
  })
})

describe('Contract: "WebSocket handshake"', () => {
  it('1. Authorization: api-key <SESSION_TOKEN> in the handshake headers', async () => {
    await using upstream = await createEmulator()
    expect((await withHeader(`API-Key ${await makeKey(upstream)}`)(upstream)).type).toBe('open')
  })

  it('2. the same value in the query parameter authorization, URL-encoded, the space as %20', async () => {
    await using upstream = await createEmulator()
    const sessionKey = await makeKey(upstream)
    const everything = Array.from(`api-key ${sessionKey}`)
      .map((character) => `%${character.charCodeAt(0).toString(16).padStart(2, '0')}`)
      .join('')
    for (const value of [`api-key%20${sessionKey}`, everything]) {
      expect((await handshake(upstream, { query: `?lang=en&authorization=${value}` })).type).toBe('open')
    }
  })

  it('2. a plus is a plus, not a space', async () => {
    await using upstream = await createEmulator()
    const sessionKey = await makeKey(upstream)
    const attempt = handshake(upstream, { query: `?authorization=api-key+${sessionKey}` })
    expect(await attempt).toMatchObject(refused(401, 'invalid_api_key'))
    const [row] = upstream.tokens.all()
    if (row) upstream.tokens.add({ ...row, sessionKey: 'with+plus/and=' })
    const query = `?authorization=${encodeURIComponent('api-key with+plus/and=')}`
    expect((await handshake(upstream, { query })).type).toBe('open')
  })

  it('3. an open socket stays open when its token expires, by default', async () => {
    await using upstream = await createEmulator({ echo: true })
    await using client = await openStream(upstream, 'stt')
    upstream.clock.advance(24 * 3_600_000)
    client.socket.send('still here')
    expect(await client.next()).toBe('still here')
  })

  it('3. or is closed at the expiry, with cutAtExpiry', async () => {
    await using upstream = await createEmulator({ cutAtExpiry: true })
    await using client = await openWith(upstream, 'stt', await makeKey(upstream, 'stt', 5))
    await using other = await openStream(upstream, 'stt')
    upstream.clock.advance(5 * 60_000)
    expect(await client.closed).toEqual({ code: 1008, reason: 'unauthorized' })
    expect(other.socket.readyState).toBe(other.socket.OPEN)
    upstream.tokens.update(upstream.sockets[0]?.sessionKey ?? '', { expiresAtMs: 0 })
    expect(await other.closed).toEqual({ code: 1008, reason: 'unauthorized' })
  })

  it('5. the simultaneous-sessions limit is checked when the WebSocket opens, per account', async () => {
    await using upstream = await createEmulator({ maxSessions: 1, keys: [{ key: 'mine', account: 'acme' }] })
    const first = await openStream(upstream, 'stt')
    const sessionKey = await makeKey(upstream)
    expect(await withToken(upstream, sessionKey)).toMatchObject(refused(429, 'concurrency_limit_exceeded'))

    const headers = { authorization: 'api-key mine', 'content-type': 'application/json' }
    const { session_key } = await issueToken(upstream, { usage_type: 'stt' }, { headers })
    await openWith(upstream, 'stt', session_key)
    first.socket.close()
    await first.closed
    expect((await withToken(upstream, sessionKey)).type).toBe('open')
  })
})

interface Refusal {
  readonly name: string
  readonly code: HandshakeErrorCode
  readonly options?: EmulatorOptions
  readonly attempt: (upstream: Emulator) => Result
}

const REFUSALS: readonly Refusal[] = [
  {
    name: 'neither the header nor the query parameter was sent',
    code: 'missing_authorization_header',
    attempt: (upstream) => handshake(upstream, { query: '?Authorization=api-key%20x&auth=1' }),
  },
  { name: 'a scheme without a token', code: 'invalid_api_key', attempt: withHeader('api-key') },
  {
    name: 'an empty query parameter',
    code: 'invalid_api_key',
    attempt: (upstream) => handshake(upstream, { query: '?authorization=' }),
  },
  {
    name: 'a broken percent-escape',
    code: 'invalid_api_key',
    attempt: (upstream) => handshake(upstream, { query: '?authorization=api-key%2' }),
  },
  ...codesOf(HANDSHAKE_ERRORS).map((code) => ({
    name: 'a fault',
    code,
    attempt: async (upstream: Emulator) => {
      upstream.use(fail(code, { times: 1 }))
      return withToken(upstream, await makeKey(upstream))
    },
  })),
]

describe('Contract: "Handshake errors"', () => {
  it.each(REFUSALS)('$code in each of the three ways: $name', async ({ code, options, attempt }) => {
    const { status } = HANDSHAKE_ERRORS[code]
    const description = expect.any(String) as string
    await using byStatus = await createEmulator({ ...options, refuseBy: 'status' })
    const body = { error: { code: status, reason: code, description } }
    expect(await attempt(byStatus)).toEqual({ type: 'refused', status, body })

    await using byFrame = await createEmulator({ ...options, refuseBy: 'frame' })
    // Frames and closes have 401 if the status is 403, because public clients know only that.
    const number = status === 403 ? 401 : status
    expect(await frameOf(attempt(byFrame))).toEqual({ error: { code: number, reason: code, description } })
    expect(byFrame.sockets).toEqual([])

    await using byClose = await createEmulator({ ...options, refuseBy: 'close' })
    expect(await closeOf(attempt(byClose))).toEqual({ code: 1008, reason: code })
  })

  const error = { code: 401, description: expect.any(String) as string }
  const reason = (json: object) => ({ code: 1008, reason: JSON.stringify({ error: json }) })
  const named = { code: 401, reason: 'unauthorized', description: '' }

  it.each([
    ['nested', { error: { ...error, reason: 'unauthorized' } }, reason(named)],
    [
      'nested-number',
      { error: { ...error, reason: 'invalid_token' } },
      reason({ ...named, reason: 'invalid_token' }),
    ],
    [
      'nested-name',
      { error: { ...error, code: 'unauthorized' } },
      reason({ code: 'unauthorized', description: '' }),
    ],
    ['flat-number', { type: 'error', code: 401, message: error.description }, { code: 4_401, reason: '' }],
    [
      'flat-name',
      { type: 'error', code: 'unauthorized', message: error.description },
      { code: 1008, reason: 'unauthorized' },
    ],
  ] as const)('is spelled %s on request', async (refusalForm, spelled, closed) => {
    await using upstream = await createEmulator({ refusalForm, refuseBy: 'frame' })
    const attempt = () => withToken(upstream, 'unknown')
    expect(await frameOf(attempt())).toEqual(spelled)

    upstream.use(fail('unauthorized', { refuseBy: 'status', times: 1 }))
    const byStatus = await attempt()
    const number = (json: object) =>
      JSON.parse(JSON.stringify(json).replace('403', '401').replace('forbidden', 'invalid_token')) as object
    expect(byStatus.type === 'refused' && number(byStatus.body as object)).toEqual(spelled)

    upstream.use(fail('unauthorized', { refuseBy: 'close', times: 1 }))
    expect(await closeOf(attempt())).toEqual(closed)
  })

  it.each([400, 402, 500])('the bare number %i, in each of the three ways', async (number) => {
    await using upstream = await createEmulator()
    upstream.use(refuse(number, { times: 1, refuseBy: 'close' }))
    upstream.use(refuse(number, { times: 1, refuseBy: 'frame' }))
    upstream.use(refuse(number, { times: 1 }))
    expect(await handshake(upstream, {})).toMatchObject({ type: 'refused', status: number })
    expect(await frameOf(handshake(upstream, {}))).toMatchObject({ error: { code: number } })
    expect(await closeOf(handshake(upstream, {}))).toEqual({ code: 4_000 + number, reason: '' })
  })
})
