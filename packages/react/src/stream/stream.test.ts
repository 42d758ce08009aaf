import { describe, expect, it } from 'vitest'
import { createVirtualVoice } from '../virtual/createVirtualVoice.test.kit.js'
import { joinStream, OPEN, openStream } from './joinStream.test.kit.js'

describe('a stream', () => {
  it('keeps data that is sent before it is open, in order', async () => {
    const { voice, stream } = openStream()
    expect(stream.send('a')).toBe('queued')
    await voice.advance(12)
    expect(stream.send('b')).toBe('queued')
    await voice.advance(50)
    expect(stream.send('c')).toBe('sent')
    expect(voice.service.connections[0]?.received).toEqual(['a', 'b', 'c'])
  })

  it('reconnects with the next token when the server closes', async () => {
    const { voice, stream } = openStream()
    await voice.advance(20_000)
    voice.service.connections[0]?.close(1001, 'restarting')
    expect(stream.snapshot().status).toBe('reconnecting')
    expect(stream.snapshot().failureReason?.code).toBe('CONNECTION_LOST')
    stream.send('spoken meanwhile')
    await voice.advance(1_000)
    expect(stream.snapshot()).toEqual(OPEN)
    expect(voice.service.connections[1]?.received).toEqual(['spoken meanwhile'])
  })

  it("fails after three refused handshakes, including the BFF's", async () => {
    const { voice, stream } = openStream()
    voice.service.refuse('unauthorized', { times: 1_000 })
    await voice.advance(60_000)
    expect(stream.snapshot().status).toBe('failed')
    expect(stream.snapshot().error).toMatchObject({ code: 'unauthorized', retryable: false })
    expect(voice.service.handshakes).toHaveLength(2)
    expect(voice.service.checks).toBe(1)
  })

  it('backs off from a server that accepts and closes: 8 connections in 2 s, for any randomness', async () => {
    for (const random of [0, 0.25, 0.999]) {
      const { voice } = openStream({}, { random: () => random, handshakeMs: 0, responseMs: 0 })
      voice.service.acceptThenClose({ times: 1_000 })
      await voice.advance(2_000)
      expect(voice.service.connections.length).toBeLessThanOrEqual(8)
      expect(voice.service.connections.length).toBeGreaterThan(1)
    }
  })

  it('cancels a handshake that hangs', async () => {
    const { voice, stream } = openStream({ connectTimeoutMs: 1_000 })
    voice.service.hang()
    await voice.advance(1_011)
    expect(stream.snapshot().failureReason?.code).toBe('CONNECT_TIMEOUT')
    await voice.advance(1_000)
    expect(stream.snapshot().status).toBe('open')
  })

  it('leaves no timer and no socket behind', async () => {
    const { voice, stream } = openStream()
    await voice.advance(50)
    stream.leave()
    await voice.advance(249)
    expect(voice.service.connections[0]?.status).toBe('open')
    await voice.advance(1)
    expect(voice.service.connections[0]?.status).toBe('closed')
    expect(voice.timers).toBe(0)
  })

  it('is closed if its user leaves inside an event of its connection', async () => {
    const voice = createVirtualVoice()
    voice.client.setUser('ada')
    const stream = joinStream(voice)
    let left: unknown[] = []
    voice.client.subscribe(({ type }) => {
      if (type !== 'stream.opened') return
      voice.client.setUser(null)
      left = [stream.send('of ada'), ...voice.service.connections.map(({ status }) => status)]
    })
    stream.send('queued')
    await voice.advance(10_000)
    expect(left).toEqual(['dropped', 'closed'])
    expect(stream.snapshot().status).toBe('idle')
    expect(voice.service.connections).toHaveLength(1)
  })
})
