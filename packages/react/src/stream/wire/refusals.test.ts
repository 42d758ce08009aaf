import type { HandshakeErrorCode } from '@stagepass/contract'
import { describe, expect, it } from 'vitest'
import { createVirtualVoice } from '../../virtual/createVirtualVoice.test.kit.js'
import { eventsOf, joinStream, OPEN, openStream } from '../joinStream.test.kit.js'

const WAYS = ['status', 'frame', 'close'] as const

describe('a refusal', () => {
  it.each(WAYS)('by %s as unauthorized causes one attempt with a fresh token', async (by) => {
    const { voice, stream } = openStream()
    voice.service.refuse('unauthorized', { by })
    await voice.advance(100)
    expect(stream.snapshot().status).toBe('open')
    expect(voice.service.handshakes.map(({ token }) => token)).toEqual([1, 2])
    expect(voice.service.checks).toBe(0)
  })

  it.each(WAYS)('by %s that does not end fails with its code', async (by) => {
    const codes: HandshakeErrorCode[] = ['unauthorized', 'invalid_api_key', 'missing_authorization_header']
    for (const code of codes) {
      const { voice, stream } = openStream()
      voice.service.refuse(code, { by, times: 1_000 })
      await voice.advance(600_000)
      expect(stream.snapshot()).toMatchObject({ status: 'failed', error: { code, retryable: false } })
      expect(voice.service.handshakes.length + voice.service.checks).toBeLessThanOrEqual(3)
    }
  })

  it.each([
    // The fresh token is accepted, so the cause stays unknown.
    { times: 1, checks: 0 },
    // The BFF finds the cause.
    { times: 3, checks: 1 },
  ])(
    'without a reason, $times times, leaves the one fresh token to unauthorized',
    async ({ times, checks }) => {
      const { voice, stream } = openStream()
      voice.service.cutAtExpiry = true
      voice.service.refuse('concurrency_limit_exceeded', { times })
      await voice.advance(3_000)
      expect(stream.snapshot().status).toBe('open')
      expect(voice.service.checks).toBe(checks)
      voice.service.revokeTokens()
      await voice.advance(100)
      expect(stream.snapshot().status).toBe('open')
      // This code was the reason.
      voice.service.refuse('unauthorized', { by: 'close', times: 2 })
      voice.service.revokeTokens()
      await voice.advance(100)
      expect(stream.snapshot()).toMatchObject({ status: 'failed', error: { code: 'unauthorized' } })
    },
  )

  it('that is final is not tried again when the page comes back', async () => {
    const { voice, stream } = openStream()
    voice.service.refuse('invalid_api_key', { by: 'close', times: 1 })
    await voice.advance(1_000)
    expect(stream.snapshot().status).toBe('failed')
    voice.setOnline(false)
    voice.setOnline(true)
    await voice.advance(10_000)
    expect(stream.snapshot().status).toBe('failed')
  })

  it.each(WAYS)('by %s because of too many sessions backs off, and opens when one is free', async (by) => {
    const { voice, stream } = openStream()
    voice.service.refuse('concurrency_limit_exceeded', { by, times: 6 })
    await voice.advance(3_000)
    expect(stream.snapshot()).toMatchObject({
      status: 'reconnecting',
      failureReason: { code: 'concurrency_limit_exceeded' },
    })
    await voice.advance(60_000)
    expect(stream.snapshot().status).toBe('open')
    expect(voice.service.checks).toBe(by === 'status' ? 1 : 0)
  })

  it('is checked by the BFF once, even if it is repeated', async () => {
    const { voice, stream } = openStream({ reconnect: { maxAttempts: 10 } })
    voice.service.refuse('concurrency_limit_exceeded', { times: 1_000 })
    await voice.advance(600_000)
    expect(stream.snapshot()).toMatchObject({
      status: 'failed',
      error: { code: 'concurrency_limit_exceeded', retryable: true },
    })
    expect(voice.service.checks).toBe(1)
    expect(voice.service.handshakes).toHaveLength(11)
    expect(eventsOf(voice, 'stream.checked')).toMatchObject([{ code: 'concurrency_limit_exceeded' }])
  })

  it('shows one reason until there is a better one, while the BFF cannot check', async () => {
    const { voice, stream } = openStream()
    const reasons: unknown[] = []
    stream.watch(() => {
      const { failureReason } = stream.snapshot()
      if (failureReason?.code !== reasons.at(-1)) reasons.push(failureReason?.code)
    })
    voice.service.refuse('concurrency_limit_exceeded', { times: 1_000 })
    voice.service.checkProblem = 'CACHE_UNAVAILABLE'
    await voice.advance(60_000)
    expect(voice.service.checks).toBeGreaterThan(2)
    expect(reasons).toEqual(['CONNECTION_REFUSED', 'CACHE_UNAVAILABLE'])
    voice.service.checkProblem = undefined
    await voice.advance(120_000)
    expect(reasons).toEqual(['CONNECTION_REFUSED', 'CACHE_UNAVAILABLE', 'concurrency_limit_exceeded'])
  })

  it('after a connection was open is checked again, because the reason may be another', async () => {
    const { voice, stream } = openStream()
    voice.service.refuse('concurrency_limit_exceeded', { times: 4 })
    await voice.advance(5_000)
    expect(stream.snapshot().status).toBe('open')
    voice.service.refuse(402, { times: 2 })
    voice.service.connections[0]?.drop()
    await voice.advance(20_000)
    expect(eventsOf(voice, 'stream.checked')).toMatchObject([
      { code: 'concurrency_limit_exceeded' },
      { status: 402 },
    ])
  })

  it('that the BFF does not see counts as an outage, and attempts continue', async () => {
    const { voice, stream } = openStream()
    await voice.advance(20_000)
    voice.service.unreachable = true
    voice.service.connections[0]?.drop()
    await voice.advance(60_000)
    expect(stream.snapshot().status).toBe('reconnecting')
    voice.service.unreachable = false
    await voice.advance(30_000)
    expect(stream.snapshot()).toEqual(OPEN)
  })

  it('is not forgotten by a failed stream: it is opened again with a fresh token', async () => {
    const { voice, stream } = openStream({ reconnect: { maxAttempts: 1 } })
    voice.service.refuse('unauthorized', { by: 'status', times: 2 })
    await voice.advance(100)
    expect(stream.snapshot()).toMatchObject({ status: 'failed', error: { retryable: true } })
    voice.wake('resume')
    await voice.advance(100)
    expect(stream.snapshot().status).toBe('open')
    expect(voice.service.attempts.map(({ token }) => token)).toEqual([1, 2, 3])
  })

  it('of a token request ends the stream with its code, if it is final', async () => {
    const { voice, stream } = openStream()
    voice.service.failToken('PAYMENT_PAST_DUE')
    await voice.advance(100)
    expect(stream.snapshot()).toMatchObject({ status: 'failed', error: { code: 'PAYMENT_PAST_DUE' } })
    expect(voice.service.handshakes).toHaveLength(0)
  })

  it('of a token request is tried again, if it is not final', async () => {
    const { voice, stream } = openStream()
    voice.service.failToken('CACHE_UNAVAILABLE', { times: 2 })
    await voice.advance(10_000)
    expect(stream.snapshot().status).toBe('open')
  })

  it('does not react to an application frame that mentions an error', async () => {
    const { voice, stream } = openStream()
    await voice.advance(50)
    voice.service.connections[0]?.send('{"type":"error","code":400,"reason":"unsupported sample rate"}')
    voice.service.connections[0]?.send('{"type":"transcript","code":"unknown"}')
    expect(stream.snapshot().status).toBe('open')
  })

  it.each([
    ['without a setup', {}],
    ['after its setup', { setup: { isReady: (data: unknown) => data === 'ready' } }],
  ])(
    'is no message of a stream %s: only a close ends a connection that is ready',
    async (_when, settings) => {
      const { voice, stream } = openStream(settings)
      await voice.advance(50)
      const [connection] = voice.service.connections
      connection?.send('ready')
      for (const code of [429, 401, 'concurrency_limit_exceeded', 'unauthorized', 402])
        connection?.send(JSON.stringify({ error: { code, reason: 'too fast' } }))
      await voice.advance(60_000)
      expect(stream.snapshot()).toEqual(OPEN)
      expect(voice.service.handshakes).toHaveLength(1)
      connection?.send('{"error":{"code":429,"reason":"too many"}}')
      connection?.close(1008)
      const code = 'concurrency_limit_exceeded'
      expect(stream.snapshot()).toMatchObject({ status: 'reconnecting', failureReason: { code } })
    },
  )

  it('can be a message during the setup: the server will not be ready', async () => {
    const { voice, stream } = openStream({ setup: { isReady: (data) => data === 'ready' } })
    await voice.advance(50)
    voice.service.connections[0]?.send('{"error":{"code":429,"reason":"too many"}}')
    const code = 'concurrency_limit_exceeded'
    expect(stream.snapshot()).toMatchObject({ status: 'reconnecting', failureReason: { code } })
    expect(voice.service.connections[0]?.status).toBe('closed')
  })

  it.each(WAYS)('by %s with 400 or 402 is final, and its status stays visible', async (by) => {
    for (const number of [400, 402]) {
      const { voice, stream } = openStream()
      voice.service.refuse(number, { by, times: 1_000 })
      await voice.advance(600_000)
      const error = { code: 'STREAM_ERROR', status: number, retryable: false }
      expect(stream.snapshot()).toMatchObject({ status: 'failed', error })
      expect(eventsOf(voice, 'stream.failed')).toMatchObject([error])
      expect(voice.service.handshakes.length + voice.service.checks).toBeLessThanOrEqual(3)
    }
  })

  it.each(['frame', 'close'] as const)(
    'by %s with a 5xx is no verdict on the token: the same one is tried again',
    async (by) => {
      const { voice, stream } = openStream()
      voice.service.refuse(503, { by, times: 4 })
      await voice.advance(60_000)
      expect(stream.snapshot().status).toBe('open')
      expect(eventsOf(voice, 'stream.reconnecting')[0]).toMatchObject({ code: 'STREAM_ERROR', status: 503 })
      expect(voice.service.handshakes.map(({ token }) => token)).toEqual([1, 1, 1, 1, 1])
      expect(voice.service.checks).toBe(0)
    },
  )

  it('by status with a 5xx, which a browser does not see, is found by the BFF', async () => {
    const { voice, stream } = openStream()
    voice.service.refuse(503, { by: 'status', times: 4 })
    await voice.advance(100)
    expect(stream.snapshot()).toMatchObject({
      status: 'reconnecting',
      failureReason: { code: 'STREAM_ERROR', status: 503, retryable: true },
    })
    expect(eventsOf(voice, 'stream.checked')).toMatchObject([{ code: 'STREAM_ERROR', status: 503 }])
    await voice.advance(60_000)
    expect(stream.snapshot().status).toBe('open')
  })

  it.each([4_404, 4_406, 4_409, 4_426])('by the close code %i is final', async (code) => {
    const { voice, stream } = openStream()
    await voice.advance(50)
    voice.service.connections[0]?.close(code, 'no such session')
    expect(stream.snapshot()).toMatchObject({
      status: 'failed',
      error: {
        code: 'STREAM_ERROR',
        status: code - 4_000,
        closeCode: code,
        closeReason: 'no such session',
        cause: new Error('no such session'),
      },
    })
    await voice.advance(60_000)
    expect(voice.service.handshakes).toHaveLength(1)
  })

  it('S20 has the words that the browser received itself as its cause, but never the token', async () => {
    const { voice, stream } = openStream()
    await voice.advance(50)
    voice.service.connections[0]?.send('{"error":{"code":402,"description":"Balance exhausted."}}')
    voice.service.connections[0]?.close(1008)
    const { error } = stream.snapshot()
    expect(error?.cause).toEqual(new Error('Balance exhausted.'))
    expect(error?.message).not.toContain('Balance')

    const other = createVirtualVoice()
    const leaky = joinStream(other)
    await other.advance(50)
    other.service.connections[0]?.send('{"error":{"code":402,"description":"scripted-stt-1 has no balance"}}')
    other.service.connections[0]?.close(1008)
    expect(leaky.snapshot()).toMatchObject({ status: 'failed', error: { code: 'STREAM_ERROR', status: 402 } })
    expect(leaky.snapshot().error?.cause).toBeUndefined()
  })
})
