import type { HandshakeErrorCode } from '@stagepass/contract'
import { describe, expect, it } from 'vitest'
import { createTestVoice } from '../testing/createTestVoice.js'
import { eventsOf, joinStream } from './joinStream.test.kit.js'
import { readClose, readErrorFrame } from './readRefusal.js'

const WAYS = ['status', 'frame', 'close'] as const

describe('a refusal', () => {
  it.each(WAYS)('by %s as unauthorized is worth one fresh token', async (by) => {
    const voice = createTestVoice()
    const stream = joinStream(voice)
    voice.service.refuse('unauthorized', { by })
    await voice.advance(100)
    expect(stream.snapshot().status).toBe('open')
    expect(voice.service.handshakes.map(({ token }) => token)).toEqual([1, 2])
    expect(voice.service.checks).toBe(0)
  })

  it.each(WAYS)('by %s for good ends in its code', async (by) => {
    const codes: HandshakeErrorCode[] = ['unauthorized', 'invalid_api_key', 'missing_authorization_header']
    for (const code of codes) {
      const voice = createTestVoice()
      const stream = joinStream(voice)
      voice.service.refuse(code, { by, times: 1_000 })
      await voice.advance(600_000)
      expect(stream.snapshot()).toMatchObject({ status: 'failed', error: { code, retryable: false } })
      expect(voice.service.handshakes.length + voice.service.checks).toBeLessThanOrEqual(3)
    }
  })

  it.each(WAYS)('by %s over too many sessions backs off, and opens when one is free', async (by) => {
    const voice = createTestVoice()
    const stream = joinStream(voice)
    voice.service.refuse('concurrency_limit_exceeded', { by, times: 6 })
    await voice.advance(3_000)
    expect(stream.snapshot()).toMatchObject({
      status: 'reconnecting',
      error: { code: 'concurrency_limit_exceeded' },
    })
    await voice.advance(60_000)
    expect(stream.snapshot().status).toBe('open')
    expect(voice.service.checks).toBe(by === 'status' ? 1 : 0)
  })

  it('is asked of the BFF once, however often it is repeated', async () => {
    const voice = createTestVoice()
    const stream = joinStream(voice, { reconnect: { maxAttempts: 10 } })
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

  it('that the BFF cannot repeat is an outage, and is ridden out', async () => {
    const voice = createTestVoice()
    const stream = joinStream(voice)
    await voice.advance(20_000)
    voice.service.unreachable = true
    voice.service.connections[0]?.drop()
    await voice.advance(60_000)
    expect(stream.snapshot().status).toBe('reconnecting')
    voice.service.unreachable = false
    await voice.advance(30_000)
    expect(stream.snapshot()).toEqual({ status: 'open', error: null })
  })

  it('is not forgotten by a stream that gave up: it comes back on a fresh token', async () => {
    const voice = createTestVoice()
    const stream = joinStream(voice, { reconnect: { maxAttempts: 1 } })
    voice.service.refuse('unauthorized', { by: 'status', times: 2 })
    await voice.advance(100)
    expect(stream.snapshot()).toMatchObject({ status: 'failed', error: { retryable: true } })
    voice.wake('resume')
    await voice.advance(100)
    expect(stream.snapshot().status).toBe('open')
    expect(voice.service.attempts.map(({ token }) => token)).toEqual([1, 2, 3])
  })

  it('of a token request ends the stream with its code, where it is final', async () => {
    const voice = createTestVoice()
    const stream = joinStream(voice)
    voice.service.failToken('PAYMENT_PAST_DUE')
    await voice.advance(100)
    expect(stream.snapshot()).toMatchObject({ status: 'failed', error: { code: 'PAYMENT_PAST_DUE' } })
    expect(voice.service.handshakes).toHaveLength(0)
  })

  it('of a token request is tried again, where it is not', async () => {
    const voice = createTestVoice()
    const stream = joinStream(voice)
    voice.service.failToken('CACHE_UNAVAILABLE', { times: 2 })
    await voice.advance(10_000)
    expect(stream.snapshot().status).toBe('open')
  })

  it('leaves an application frame that mentions an error alone', async () => {
    const voice = createTestVoice()
    const stream = joinStream(voice)
    await voice.advance(50)
    voice.service.connections[0]?.send('{"type":"error","code":400,"reason":"unsupported sample rate"}')
    voice.service.connections[0]?.send('{"type":"transcript","code":"unknown"}')
    expect(stream.snapshot().status).toBe('open')
  })

  it('that follows such a frame with a close is final', async () => {
    const voice = createTestVoice()
    const stream = joinStream(voice)
    await voice.advance(50)
    voice.service.connections[0]?.send('{"type":"error","code":400,"reason":"bad config"}')
    voice.service.connections[0]?.close(1000)
    expect(stream.snapshot()).toMatchObject({ status: 'failed', error: { code: 'STREAM_ERROR' } })
  })
})

describe('what a server may mean', () => {
  it.each([
    ['{"type":"error","code":"unauthorized"}', 'unauthorized'],
    ['{"error_code":"concurrency_limit_exceeded"}', 'concurrency_limit_exceeded'],
    ['{"error":"invalid_api_key"}', 'invalid_api_key'],
    ['{"error":{"code":"missing_authorization_header"}}', 'missing_authorization_header'],
    ['{"type":"error","code":429,"reason":"too many sessions"}', 'concurrency_limit_exceeded'],
    ['{"type":"error","code":403,"reason":"concurrency_limit_exceeded"}', 'concurrency_limit_exceeded'],
    ['{"type":"error","code":401}', 'unauthorized'],
    ['{"error":{"code":403}}', 'unauthorized'],
    ['{"type":"error","code":500}', undefined],
    ['{"code":403}', undefined],
    ['{"type":"transcript","text":"unauthorized"}', undefined],
    ['{"type":"error","code":"constructor"}', undefined],
    ['null', undefined],
    ['{', undefined],
  ])('frame %s', (text, code) => {
    expect(readErrorFrame(text)).toBe(code)
  })

  it.each([
    [1008, 'unauthorized', 'unauthorized'],
    [4000, 'code: concurrency_limit_exceeded', 'concurrency_limit_exceeded'],
    [1008, '{"code":"invalid_api_key"}', 'invalid_api_key'],
    [4401, 'token expired', 'unauthorized'],
    [4403, '', 'unauthorized'],
    [4429, '', 'concurrency_limit_exceeded'],
    [1011, 'internal', undefined],
    [1006, '', undefined],
    [1000, '', undefined],
  ])('close %i "%s"', (code, reason, meant) => {
    expect(readClose(code, reason)).toBe(meant)
  })
})
