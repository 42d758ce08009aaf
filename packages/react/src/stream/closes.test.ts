import { afterEach, describe, expect, it, vi } from 'vitest'
import { eventsOf, openStream } from './joinStream.test.kit.js'

afterEach(() => void vi.restoreAllMocks())

const NO_WAIT = { minDelayMs: 0 }

describe('what ended a connection', () => {
  it.each([
    [1000, 'bye'],
    [1011, 'restart'],
    [4_503, 'busy'],
    [1006, ''],
  ])('is in the reason of the stream and in its event: %i "%s"', async (code, reason) => {
    const { voice, stream } = openStream()
    await voice.advance(50)
    voice.service.connections[0]?.close(code, reason)
    const close = { closeCode: code, closeReason: reason || undefined }
    expect(stream.snapshot()).toMatchObject({ status: 'reconnecting', failureReason: close })
    expect(eventsOf(voice, 'stream.reconnecting')).toMatchObject([close])
  })

  it('is in the event of a stream that fails', async () => {
    const { voice } = openStream()
    await voice.advance(50)
    voice.service.connections[0]?.close(4_402, 'no balance')
    expect(eventsOf(voice, 'stream.failed')).toMatchObject([{ closeCode: 4_402, closeReason: 'no balance' }])
  })

  it('is not said of a connection that no socket closed', async () => {
    const { voice, stream } = openStream()
    await voice.advance(50)
    voice.service.connections[0]?.close(1011, 'restart')
    await voice.advance(20_000)
    await voice.sleep(3_600_000)
    expect(eventsOf(voice, 'stream.reconnecting').at(-1)).toMatchObject({
      lostBy: 'sleep',
      closeCode: undefined,
    })
    expect(stream.snapshot().failureReason?.closeCode).toBeUndefined()
  })
})

describe('shouldReconnect', () => {
  it.each([
    [1000, 'bye', 'failed'],
    [1000, 'restart', 'open'],
    [1011, 'bye', 'open'],
  ])('decides by code and reason: %i "%s" is %s', async (code, reason, status) => {
    const asked: unknown[] = []
    const { voice, stream } = openStream({
      reconnect: {
        ...NO_WAIT,
        shouldReconnect(...close) {
          asked.push(close)
          return close[0] !== 1000 || close[1] !== 'bye'
        },
      },
    })
    await voice.advance(50)
    voice.service.connections[0]?.close(code, reason)
    await voice.advance(2_000)
    expect(asked).toEqual([[code, reason]])
    expect(stream.snapshot().status).toBe(status)
    const end = {
      code: 'CONNECTION_LOST',
      retryable: false,
      message: 'The connection was closed.',
      closeCode: code,
    }
    expect(stream.snapshot()).toMatchObject({ error: status === 'failed' ? end : null })
  })

  it('hears the reason of a close at the expiry of the token too', async () => {
    const asked: unknown[] = []
    const shouldReconnect = (...close: unknown[]): boolean => asked.push(close) > 1
    const { voice, stream } = openStream({ reconnect: { shouldReconnect } }, { ttlMs: 60_000 })
    await voice.advance(61_000)
    voice.service.connections[0]?.close(1000, 'time is over')
    expect(asked).toEqual([[1000, 'time is over']])
    expect(stream.snapshot().status).toBe('failed')
  })

  it('is not heard about a final code, and an error in it does not stop the stream', async () => {
    const thrown: unknown[] = []
    const onError = (error: unknown): void => void thrown.push(error)
    process.on('uncaughtException', onError)
    const failing = openStream({
      reconnect: {
        ...NO_WAIT,
        shouldReconnect() {
          throw new Error('mine')
        },
      },
    })
    await failing.voice.advance(50)
    failing.voice.service.connections[0]?.close(1011)
    await failing.voice.advance(2_000)
    expect(failing.stream.snapshot().status).toBe('open')
    await expect.poll(() => thrown).toEqual([new Error('mine')])
    process.off('uncaughtException', onError)

    const final = openStream({ reconnect: { shouldReconnect: () => true } })
    await final.voice.advance(50)
    final.voice.service.connections[0]?.close(4_402)
    expect(final.stream.snapshot().status).toBe('failed')
  })
})
