import { clientOf } from '../../client/createVoiceClient.js'
import { describe, expect, it } from 'vitest'
import { createVirtualVoice } from '../../virtual/createVirtualVoice.test.kit.js'
import { arrivals, eventsOf, joinStream, openStream } from '../joinStream.test.kit.js'
import { streamsOf } from '../streamsOf.js'

/** A message of 40,000 bytes: two of them are above the high mark of a socket's buffer. */
const half = (index: number): string => String(index).padEnd(40_000, '.')

describe('the queue', () => {
  it('keeps the last 6 s, and counts the dropped messages', async () => {
    const { voice, stream } = openStream()
    await voice.advance(20_000)
    voice.suspend('freeze')
    for (let second = 0; second < 10; second += 1) {
      stream.send(String(second))
      await voice.advance(1_000)
    }
    voice.wake('resume')
    await voice.advance(50)
    expect(arrivals(voice)).toEqual(['5', '6', '7', '8', '9'])
    expect(stream.stats().dropped).toBe(5)
    expect(eventsOf(voice, 'stream.dropped').at(-1)).toMatchObject({ reason: 'old', total: 5 })
  })

  it('has a limit of bytes, and drops the oldest messages', async () => {
    const { voice, stream } = openStream({ queue: { maxBytes: 10 } })
    const results = ['aa', 'bb', 'cc'].map((text) => stream.send(new TextEncoder().encode(text.repeat(2))))
    expect(results).toEqual(['queued', 'queued', 'queued'])
    await voice.advance(50)
    expect(arrivals(voice).map((data) => new TextDecoder().decode(data as Uint8Array))).toEqual([
      'bbbb',
      'cccc',
    ])
    expect(eventsOf(voice, 'stream.dropped')).toMatchObject([{ reason: 'full', count: 1, bytes: 4 }])
  })

  it('or refuses the newest, and reports it', async () => {
    const { voice, stream } = openStream({ queue: { maxBytes: 10, drop: 'newest' } })
    expect(['aaaa', 'bbbb'].map((text) => stream.send(text))).toEqual(['queued', 'dropped'])
    expect(stream.send(new Uint8Array(11))).toBe('dropped')
    await voice.advance(50)
    expect(arrivals(voice)).toEqual(['aaaa'])
  })

  it('keeps the order over several reconnects', async () => {
    const { voice, stream } = openStream({ queue: { maxAgeMs: 60_000 } })
    await voice.advance(20_000)
    voice.service.hang({ times: 2 })
    voice.service.connections[0]?.drop()
    for (let second = 0; second < 24; second += 1) {
      stream.send(String(second))
      await voice.advance(1_000)
    }
    expect(voice.service.attempts).toHaveLength(4)
    expect(arrivals(voice)).toEqual(Array.from({ length: 24 }, (_, second) => String(second)))
  })

  it('keeps messages back on a slow network, between the high and the low mark', async () => {
    const { voice, stream } = openStream()
    await voice.advance(50)
    const [connection] = voice.service.connections
    connection?.stall()
    const frames = Array.from({ length: 5 }, (_, index) => half(index))
    const results = frames.map((frame) => stream.send(frame))
    expect(results).toEqual(['sent', 'sent', 'queued', 'queued', 'queued'])
    await voice.advance(1_000)
    expect(stream.stats()).toMatchObject({ queued: 3, bufferedBytes: 80_000, latencyMs: 1_000 })
    connection?.drain()
    await voice.advance(20)
    expect(arrivals(voice).slice(0, 4)).toEqual(frames.slice(0, 4))
    connection?.drain()
    await voice.advance(20)
    expect(arrivals(voice)).toEqual(frames)
    expect(stream.stats()).toMatchObject({ queued: 0, bufferedBytes: 0, latencyMs: 0, dropped: 0 })
  })

  it('is sent before a close, and counts the messages that could not be sent', async () => {
    const voice = createVirtualVoice()
    const shared = streamsOf(clientOf(voice.client)).of('stt', 'default')
    const stream = joinStream(voice, {})
    await voice.advance(50)
    voice.service.connections[0]?.stall()
    for (const text of [0, 1, 2, 3, 4].map(half)) stream.send(text)
    voice.service.connections[0]?.drain()
    shared.close()
    expect(arrivals(voice)).toEqual([0, 1, 2, 3, 4].map(half))

    shared.open()
    stream.send('too early')
    shared.close()
    expect(stream.send('too late')).toBe('dropped')
    expect(stream.stats().dropped).toBe(2)
    expect(eventsOf(voice, 'stream.dropped').map(({ reason }) => reason)).toEqual(['ended'])
  })

  it('counts the undelivered messages of a lost connection', async () => {
    const { voice, stream } = openStream()
    await voice.advance(50)
    voice.service.connections[0]?.stall()
    const results = [0, 1, 2, 3, 4, 5, 6, 7].map((index) => stream.send(half(index)))
    expect(new Set(results)).toEqual(new Set(['sent', 'queued']))
    voice.service.connections[0]?.close(1008, 'invalid_api_key')
    expect(stream.snapshot().status).toBe('failed')
    expect(arrivals(voice)).toEqual([])
    expect(stream.stats().dropped).toBe(8)
  })

  it('reports the rest of a burst of drops a second later, without another drop', async () => {
    const { voice, stream } = openStream({ queue: { maxBytes: 2 } })
    await voice.advance(5_000)
    voice.suspend('freeze')
    for (let message = 0; message < 12; message += 1) stream.send('x')
    await voice.advance(900)
    expect(eventsOf(voice, 'stream.dropped')).toMatchObject([{ count: 1, total: 1 }])
    await voice.advance(200)
    expect(eventsOf(voice, 'stream.dropped')).toMatchObject([{ total: 1 }, { count: 10, total: 11 }])
  })

  it('reports drops at most once a second', async () => {
    const { voice, stream } = openStream({ queue: { maxBytes: 2 } })
    voice.setOnline(false)
    for (let frame = 0; frame < 150; frame += 1) {
      stream.send('x')
      await voice.advance(20)
    }
    expect(eventsOf(voice, 'stream.dropped').length).toBeLessThanOrEqual(4)
    stream.leave()
    await voice.advance(1_000)
    const told = eventsOf(voice, 'stream.dropped').reduce((sum, { count }) => sum + count, 0)
    expect(told + arrivals(voice).length).toBe(150)
  })
})
