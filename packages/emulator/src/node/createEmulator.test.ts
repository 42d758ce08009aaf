import { once } from 'node:events'
import { connect } from 'node:net'
import { describe, expect, it, onTestFinished, vi } from 'vitest'
import {
  getMeetings,
  handshake,
  issueToken,
  openStream,
  openWith,
  postToken,
  send,
  TOKEN_PATH,
  until,
  withKey,
} from './client.test.kit.js'
import { createEmulator } from './createEmulator.js'
import { fail, hang } from '../core/faults/faults.js'
import type { RecordedRequest } from '../core/request/requestLog.js'

describe('createEmulator', () => {
  it('gives the same keys, ids and meetings for the same seed', async () => {
    const now = () => Date.parse('2026-03-02T12:00:00Z')
    await using one = await createEmulator({ now })
    await using same = await createEmulator({ now, seed: 1 })
    await using other = await createEmulator({ now, seed: 2 })
    expect(one.keys).toEqual(same.keys)
    expect(one.credentials).toEqual(same.credentials)
    expect(one.meetings.all()).toEqual(same.meetings.all())
    expect(await issueToken(one, { usage_type: 'stt' })).toEqual(
      await issueToken(same, { usage_type: 'stt' }),
    )
    expect(one.apiKey).not.toBe(other.apiKey)
    expect(one.meetings.all()).not.toEqual(other.meetings.all())
  })

  it('takes ids from the ids option', async () => {
    await using upstream = await createEmulator({ ids: { reqId: () => 'r', sessionKey: () => 's' } })
    expect(await postToken(upstream, { usage_type: 'stt' })).toMatchObject({
      body: { req_id: 'r', data: { session_key: 's' } },
    })
  })

  it('has its addresses on the loopback, the meetings under /v1', async () => {
    await using upstream = await createEmulator()
    const [, port] = /^http:\/\/127\.0\.0\.1:(\d+)$/.exec(upstream.baseUrl) ?? []
    expect(Number(port)).toBeGreaterThan(0)
    expect(upstream.streamingUrl).toBe(`ws://127.0.0.1:${port}`)
    expect(upstream.meetingsUrl).toBe(`http://127.0.0.1:${port}/v1`)
    expect(upstream.apiKey).toBe(upstream.keys.valid)
    expect(upstream.meetingsCredential).toBe(upstream.credentials.main)
  })

  it('refuses a body of more than a mebibyte, and continues', async () => {
    await using upstream = await createEmulator()
    const init = { method: 'POST', body: 'x'.repeat(1_024 * 1_024 + 1) }
    expect(await send(upstream.baseUrl + TOKEN_PATH, init)).toMatchObject({ status: 413 })
    expect(await issueToken(upstream, { usage_type: 'stt' })).toBeDefined()
  })

  it('changes a key while it runs', async () => {
    await using upstream = await createEmulator()
    upstream.apiKeys.update(upstream.apiKey, { state: 'paused' })
    expect(await postToken(upstream, { usage_type: 'stt' })).toMatchObject({ status: 401 })
    upstream.apiKeys.add({ key: 'rotated', keyId: 9, account: 'main', state: 'valid' })
    expect(await issueToken(upstream, { usage_type: 'stt' }, withKey('rotated'))).toMatchObject({ key_id: 9 })
    expect(() => upstream.apiKeys.update('nobody', {})).toThrow('there is no "nobody"')
  })

  it('says which port is in use', async () => {
    await using upstream = await createEmulator()
    const port = Number(new URL(upstream.baseUrl).port)
    await expect(createEmulator({ port })).rejects.toThrow(
      `127.0.0.1:${port} (EADDRINUSE). Choose another port`,
    )
  })

  it.each([
    [{ limiter: 'gliding' }, 'limiter is "gliding". Choose one of sliding'],
    [{ refuseBy: 'smoke' }, 'refuseBy is "smoke". Choose one of status'],
    [{ maxSessions: -1 }, 'maxSessions is -1. Give a number from 0'],
    [{ recordFrames: NaN }, 'recordFrames is NaN'],
    [{ latency: { ms: -5 } }, 'latency.ms is -5'],
  ])('throws on a wrong option: %j', async (options, message) => {
    await expect(createEmulator(options as object)).rejects.toThrow(message)
  })
})

describe('requests', () => {
  it('holds method, path, query, headers, body, status and time', async () => {
    await using upstream = await createEmulator({ now: () => 5_000 })
    await postToken(upstream, { usage_type: 'stt' })
    await getMeetings(upstream, '/meetings?limit=1&limit=2')
    await handshake(upstream, { query: '?authorization=api-key%20x' })
    await send(`${upstream.baseUrl}/nowhere?x=1`)
    expect(upstream.counts).toEqual({ token: 1, handshake: 1, list: 1, meeting: 0, tags: 0, unknown: 1 })
    expect(upstream.requests).toEqual([
      {
        method: 'POST',
        path: TOKEN_PATH,
        query: {},
        headers: expect.objectContaining({ authorization: `api-key ${upstream.apiKey}` }),
        body: { usage_type: 'stt' },
        status: 200,
        aborted: false,
        at: 5_000,
      },
      expect.objectContaining({
        path: '/v1/meetings',
        query: { limit: ['1', '2'] },
        body: undefined,
        status: 400,
      }),
      expect.objectContaining({ path: '/stt', query: { authorization: 'api-key x' }, status: 403 }),
      expect.objectContaining({ path: '/nowhere', query: { x: '1' }, status: 404 }),
    ])
  })

  it('are passed to onRequest when their responses begin', async () => {
    const onRequest = vi.fn<(request: RecordedRequest) => void>()
    await using upstream = await createEmulator({ onRequest })
    await postToken(upstream, {})
    await openStream(upstream, 'stt')
    expect(onRequest.mock.calls.map(([{ path, status }]) => [path, status])).toEqual([
      [TOKEN_PATH, 400],
      [TOKEN_PATH, 200],
      ['/stt', 101],
    ])
  })
})

describe('reset', () => {
  it('restores everything: rows, faults, sockets, counts, logs, limits, ids, clock', async () => {
    await using upstream = await createEmulator({ now: () => 0, echo: true, limiter: 'strict' })
    const before = {
      meetings: upstream.meetings.all(),
      keys: structuredClone(upstream.apiKeys.all()),
      token: await issueToken(upstream, { usage_type: 'stt' }),
    }
    await using client = await openWith(upstream, 'stt', before.token.session_key)
    client.socket.send('x')
    await client.next()
    const [meeting] = upstream.meetings.all()
    upstream.meetings.remove(meeting?.id ?? '')
    upstream.apiKeys.update(upstream.apiKey, { state: 'paused' })
    upstream.accounts.update('main', { usageChecks: false })
    upstream.credentialRows.remove(upstream.meetingsCredential)
    upstream.clock.advance(60_000)
    upstream.use(fail('CACHE_UNAVAILABLE'))
    upstream.use(hang({ on: 'tags' }))
    for (let time = 0; time < 6; time += 1)
      await getMeetings(upstream, '/meetings', upstream.credentials.second)
    const hanging = getMeetings(upstream, '/tags').catch((error: Error) => error.message)
    await until(() => upstream.counts.tags === 1)
    upstream.apiKeys.update(upstream.apiKey, { state: 'valid' })

    upstream.reset()

    expect(await hanging).toBe('fetch failed')
    expect(await client.closed).toMatchObject({ code: 1006 })
    expect([upstream.sockets, upstream.frames]).toEqual([[], []])
    expect(upstream.clock.now()).toBe(0)
    expect(upstream.requests).toEqual([])
    expect(upstream.counts).toEqual({ token: 0, handshake: 0, list: 0, meeting: 0, tags: 0, unknown: 0 })
    expect(upstream.tokens.size).toBe(0)
    expect(upstream.meetings.all()).toEqual(before.meetings)
    expect(upstream.apiKeys.all()).toEqual(before.keys)
    expect(upstream.accounts.get('main')).toEqual({ id: 'main', usageChecks: true })
    expect(await issueToken(upstream, { usage_type: 'stt' })).toEqual(before.token)
    expect(await getMeetings(upstream, '/meetings')).toMatchObject({ status: 200 })
    await using next = await openStream(upstream, 'stt')
    expect([upstream.sockets[0]?.id, next.socket.readyState]).toEqual(['socket-1', next.socket.OPEN])
  })

  it('does not change the given rows', async () => {
    const given = { id: 'm', title: 'given', tags: ['a'] }
    await using upstream = await createEmulator({ meetings: [given] })
    const before = structuredClone(upstream.meetings.all())
    upstream.meetings.update('m', { title: 'changed' })
    upstream.meetings.get('m')?.tags.push('b')
    expect(given).toEqual({ id: 'm', title: 'given', tags: ['a'] })
    upstream.reset()
    expect(upstream.meetings.all()).toEqual(before)
  })
})

describe('close', () => {
  it('ends sockets, hanging requests and idle connections, and may be called twice', async () => {
    const upstream = await createEmulator()
    const client = await openStream(upstream, 'stt')
    upstream.use(hang({ on: 'list' }))
    const hanging = getMeetings(upstream, '/meetings').catch((error: Error) => error.message)
    await until(() => upstream.counts.list === 1)
    await Promise.all([upstream.close(), upstream.close()])
    expect(await hanging).toBe('fetch failed')
    expect(await client.closed).toMatchObject({ code: 1006 })
    await expect(postToken(upstream, {})).rejects.toThrow('fetch failed')
  })

  it('does not wait for the closing handshake of a client that does not answer', async () => {
    const upstream = await createEmulator({ refuseBy: 'close' })
    const connection = connect(Number(new URL(upstream.baseUrl).port), '127.0.0.1')
    const closed = new Promise((resolve) => connection.once('close', resolve))
    connection.on('error', () => undefined)
    connection.write(
      'GET /stt HTTP/1.1\r\nHost: x\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n' +
        'Sec-WebSocket-Version: 13\r\nSec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\n\r\n',
    )
    await once(connection, 'data')
    await upstream.close()
    await closed
    expect(upstream.requests[0]).toMatchObject({ path: '/stt', status: 101 })
  })
})

describe('latency', () => {
  it('waits half of the round trip before a request is read, and half before its response is sent', async () => {
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] })
    onTestFinished(() => void vi.useRealTimers())
    await using upstream = await createEmulator({ latency: { ms: 100 } })
    const reply = postToken(upstream, { usage_type: 'stt' })
    await until(() => upstream.requests[0]?.body !== undefined)
    vi.advanceTimersByTime(49)
    expect(upstream.tokens.size).toBe(0)
    vi.advanceTimersByTime(1)
    expect(upstream.tokens.size).toBe(1)
    vi.advanceTimersByTime(49)
    expect(upstream.requests[0]).toMatchObject({ status: null })
    vi.advanceTimersByTime(1)
    expect(await reply).toMatchObject({ status: 200 })

    const opening = handshake(upstream, {})
    await until(() => upstream.counts.handshake === 1)
    vi.advanceTimersByTime(99)
    expect(upstream.requests[1]).toMatchObject({ status: null })
    vi.advanceTimersByTime(1)
    expect(await opening).toMatchObject({ status: 401 })
  })
})

describe('production', () => {
  const environment = (permission?: string) => ({
    NODE_ENV: 'production',
    STAGEPASS_EMULATOR_IN_PRODUCTION: permission,
  })

  it.each([
    ['not at all', {}, undefined],
    ['by the option alone', { allowProduction: true }, undefined],
    ['by the variable alone', {}, '1'],
    ['by the option and another value', { allowProduction: true }, 'true'],
  ])(
    'S33 the emulator refuses to run under NODE_ENV=production when told %s',
    async (_how, options, value) => {
      const starting = createEmulator({ ...options, environment: environment(value) })
      await expect(starting).rejects.toThrow('Failed to start the emulator: NODE_ENV is "production"')
    },
  )

  it('S33 the emulator runs with NODE_ENV=production if both permissions are given', async () => {
    await using upstream = await createEmulator({ allowProduction: true, environment: environment('1') })
    expect(await issueToken(upstream, { usage_type: 'stt' })).toBeDefined()
  })

  it.each(['PRODUCTION', ' production', 'Production\r', 'prod', 'PROD '])(
    'S33 NODE_ENV may be written %j',
    async (mode) => {
      await expect(createEmulator({ environment: { NODE_ENV: mode } })).rejects.toThrow(
        `NODE_ENV is "${mode}"`,
      )
    },
  )

  it('S33 the environment is process.env by default', async () => {
    vi.stubEnv('NODE_ENV', 'production')
    onTestFinished(() => void vi.unstubAllEnvs())
    await expect(createEmulator()).rejects.toThrow('NODE_ENV is "production"')
  })
})
