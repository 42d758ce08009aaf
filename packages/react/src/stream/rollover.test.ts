import { describe, expect, it } from 'vitest'
import type { VirtualVoice } from '../virtual/createVirtualVoice.test.kit.js'
import { createVirtualVoice } from '../virtual/createVirtualVoice.test.kit.js'
import { arrivals, eventsOf, type JoinedStream, joinStream, OPEN, openStream } from './joinStream.test.kit.js'

const TTL_MS = 5 * 60_000

/** A frame of audio every 20 ms. */
async function speak(voice: VirtualVoice, stream: JoinedStream, ms: number, from = 0): Promise<number> {
  let frame = from
  for (let spoken = 0; spoken < ms; spoken += 20) {
    stream.send(String((frame += 1)))
    await voice.advance(20)
  }
  return frame
}

const upTo = (count: number): string[] => Array.from({ length: count }, (_, index) => String(index + 1))

describe("rollover: 'seamless'", () => {
  it('loses no frame and keeps the order, with audio that never pauses', async () => {
    const voice = createVirtualVoice({ ttlMs: TTL_MS })
    voice.service.cutAtExpiry = true
    const stream = joinStream(voice, { rollover: 'seamless' })
    const frames = await speak(voice, stream, 2 * TTL_MS)
    expect(arrivals(voice)).toEqual(upTo(frames))
    expect(eventsOf(voice, 'stream.rolled_over').length).toBeGreaterThanOrEqual(2)
    expect(eventsOf(voice, 'stream.reconnecting')).toEqual([])
    expect(eventsOf(voice, 'stream.dropped')).toEqual([])
  })

  it('waits for a silence, and no longer than the deadline', async () => {
    const { voice, stream } = openStream(
      { rollover: { silenceMs: 500, deadlineMs: 4_000 } },
      { ttlMs: TTL_MS },
    )
    await voice.advance(100)
    await speak(voice, stream, TTL_MS)
    expect(eventsOf(voice, 'stream.rolled_over')).toMatchObject([{ waitedMs: 4_000 }])
    // No data is sent, so the rollover happens as soon as the standby is ready.
    await voice.advance(TTL_MS)
    expect(eventsOf(voice, 'stream.rolled_over')[1]).toMatchObject({ waitedMs: 0 })
  })

  it('reads the old connection to its end, and distinguishes the two', async () => {
    const { voice, stream } = openStream({ rollover: 'seamless' }, { ttlMs: TTL_MS })
    const heard: unknown[] = []
    stream.subscribe((data, { generation }) => heard.push([data, generation]))
    while (voice.service.connections.length < 2) await voice.advance(100)
    const [first, second] = voice.service.connections
    await voice.advance(100)
    first?.send('the end of the answer')
    second?.send('the next answer')
    expect(heard).toEqual([
      ['the end of the answer', 1],
      ['the next answer', 2],
    ])
    await voice.advance(2_000)
    expect(first?.status).toBe('closed')
    expect(second?.status).toBe('open')
    expect(stream.snapshot().status).toBe('open')
  })

  it('keeps the stream open if a second session is refused, and uses the queue near the end', async () => {
    const voice = createVirtualVoice({ ttlMs: TTL_MS })
    voice.service.cutAtExpiry = true
    voice.service.maxSessions = 1
    const stream = joinStream(voice, { rollover: 'seamless' })
    const before = await speak(voice, stream, TTL_MS - 20_000)
    expect(eventsOf(voice, 'stream.rollover_refused')).toHaveLength(1)
    expect(voice.service.connections).toHaveLength(1)
    expect(stream.snapshot()).toEqual(OPEN)
    const frames = await speak(voice, stream, 40_000, before)
    expect(voice.service.connections).toHaveLength(2)
    expect(stream.snapshot().status).toBe('open')
    expect(arrivals(voice)).toEqual(upTo(frames))
    expect(eventsOf(voice, 'stream.dropped')).toEqual([])
  })

  it('continues with the standby if the old connection is lost meanwhile', async () => {
    const { voice, stream } = openStream({ rollover: 'seamless' }, { ttlMs: TTL_MS })
    while (voice.service.connections.length < 2) await speak(voice, stream, 100)
    voice.service.connections[0]?.drop()
    expect(stream.snapshot()).toEqual(OPEN)
    expect(stream.send('still here')).toBe('sent')
    expect(voice.service.connections[1]?.received).toEqual(['still here'])
  })

  it('keeps its connection when the standby is lost', async () => {
    const { voice, stream } = openStream({ rollover: 'seamless' }, { ttlMs: TTL_MS })
    while (voice.service.connections.length < 2) await speak(voice, stream, 100)
    voice.service.connections[1]?.drop()
    expect(stream.send('still here')).toBe('sent')
    expect(voice.service.connections[0]?.received.at(-1)).toBe('still here')
  })
})

describe('a standby that is refused with a code', () => {
  it('remembers the token of a refused standby when the old connection ends, with an older token', async () => {
    const voice = createVirtualVoice({ ttlMs: 40_000 })
    voice.service.cutAtExpiry = true
    voice.service.maxSessions = 1
    const stream = joinStream(voice, { rollover: 'seamless' })
    // The next token comes when the current one has expired, because no renewal succeeds before.
    const expire = async (): Promise<void> => {
      voice.service.unreachable = true
      await voice.advance(37_500)
      voice.service.unreachable = false
      voice.wake('online')
    }
    await voice.advance(1_000)
    await expire()
    await voice.advance(2_000)
    expect(stream.snapshot().status).toBe('open')
    await expire()
    voice.service.refuse('unauthorized', { by: 'status' })
    await voice.advance(20_000)
    expect(stream.snapshot().status).toBe('open')
    const refused = voice.service.attempts.find(({ refusedWith }) => refusedWith === 'unauthorized')
    const tokens = voice.service.attempts.map(({ token }) => token)
    expect(tokens.filter((token) => token === refused?.token)).toHaveLength(1)
  })

  it('is not tried again with the same token', async () => {
    for (const by of ['status', 'frame', 'close'] as const) {
      const { voice, stream } = openStream({ rollover: 'seamless' }, { ttlMs: TTL_MS })
      await voice.advance(100)
      voice.service.refuse('unauthorized', { by })
      await speak(voice, stream, TTL_MS)
      expect(eventsOf(voice, 'stream.rollover_refused')).toHaveLength(1)
      expect(voice.service.handshakes.map(({ token }) => token)).toEqual([1, 2, 3])
    }
  })
})

describe("rollover: 'on-close'", () => {
  it('keeps the socket until it is closed', async () => {
    const { voice } = openStream({}, { ttlMs: TTL_MS })
    await voice.advance(3 * TTL_MS)
    expect(voice.service.handshakes).toHaveLength(1)
    expect(voice.service.tokensGranted).toBeGreaterThanOrEqual(3)
  })
})
