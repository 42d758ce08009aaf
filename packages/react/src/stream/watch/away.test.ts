import { clientOf } from '../../client/createVoiceClient.js'
import { describe, expect, it } from 'vitest'
import { createVirtualVoice } from '../../virtual/createVirtualVoice.test.kit.js'
import { arrivals, eventsOf, joinStream, openStream } from '../joinStream.test.kit.js'

const HOUR_MS = 3_600_000

describe('a page that was away', () => {
  it('reconnects with a live token at once after a sleep of two hours', async () => {
    const { voice, stream } = openStream({}, { ttlMs: 5 * 60_000 })
    await voice.advance(20_000)
    await voice.sleep(2 * HOUR_MS)
    await voice.advance(50)
    expect(stream.snapshot().status).toBe('open')
    const [, second] = voice.service.handshakes
    expect(second?.expiresAt).toBeGreaterThan(second?.at ?? Infinity)
    expect(voice.service.connections[0]?.status).toBe('closed')
  })

  it.each([-HOUR_MS, HOUR_MS])('uses no expired token after the clock was set by %i ms', async (ms) => {
    const voice = createVirtualVoice({ ttlMs: 5 * 60_000 })
    voice.service.cutAtExpiry = true
    const stream = joinStream(voice)
    await voice.advance(1_000)
    voice.jumpClock(ms)
    await voice.advance(HOUR_MS)
    expect(stream.snapshot().status).toBe('open')
    for (const { at, expiresAt } of voice.service.handshakes) expect(expiresAt).toBeGreaterThan(at)
  })

  it('tries no handshake just before a token expires, because a short sleep may be undetected', async () => {
    const { voice } = openStream({}, { ttlMs: 40_000, random: () => 0.05 })
    await voice.advance(1_000)
    voice.service.acceptThenClose({ times: 1_000 })
    voice.service.failToken('CACHE_UNAVAILABLE', { times: 1_000 })
    voice.service.connections[0]?.drop()
    await voice.sleep(2_000)
    await voice.advance(60_000)
    expect(voice.service.handshakes.length).toBeGreaterThan(20)
    for (const { at, expiresAt } of voice.service.handshakes) expect(expiresAt).toBeGreaterThan(at)
  })

  it('counts a short sleep that a clock set back would hide', async () => {
    const voice = createVirtualVoice()
    const { platform } = clientOf(voice.client)
    const ahead = () => platform.now() - voice.now()
    const before = ahead()
    await voice.sleep(2_000)
    platform.now()
    voice.jumpClock(-HOUR_MS)
    platform.now()
    await voice.sleep(2_000)
    // At most two seconds of a sleep stay undetected.
    expect(before - ahead()).toBeLessThanOrEqual(2_000)
  })

  it('tries on while offline without counting failures, and is back at once with all words', async () => {
    const { voice, stream } = openStream({ queue: { maxAgeMs: 60_000 } })
    await voice.advance(20_000)
    voice.setOnline(false)
    voice.service.unreachable = true
    voice.service.connections[0]?.drop()
    expect(stream.snapshot().status).toBe('reconnecting')
    for (let word = 0; word < 29; word += 1) {
      expect(stream.send(String(word))).toBe('queued')
      await voice.advance(1_000)
    }
    const failures = eventsOf(voice, 'stream.reconnecting').length
    expect(failures).toBeGreaterThan(3)
    expect(failures).toBeLessThan(15)
    voice.service.unreachable = false
    voice.setOnline(true)
    await voice.advance(50)
    expect(stream.snapshot().status).toBe('open')
    expect(arrivals(voice)).toEqual(Array.from({ length: 29 }, (_, word) => String(word)))
  })

  it('counts no failure while the browser says that it is offline', async () => {
    const { voice, stream } = openStream({ reconnect: { maxAttempts: 1, maxDelayMs: 1_000 } })
    await voice.advance(20_000)
    voice.setOnline(false)
    voice.service.unreachable = true
    voice.service.connections[0]?.drop()
    await voice.advance(20_000)
    expect(stream.snapshot().status).toBe('reconnecting')
    voice.service.unreachable = false
    voice.setOnline(true)
    await voice.advance(50)
    expect(stream.snapshot().status).toBe('open')
  })

  it('closes the socket when the page freezes or enters the back-forward cache, and opens another when it is back', async () => {
    for (const [suspend, wake] of [
      ['freeze', 'resume'],
      ['pagehide', 'pageshow'],
    ] as const) {
      const { voice, stream } = openStream()
      await voice.advance(20_000)
      voice.suspend(suspend)
      expect(voice.service.connections[0]?.status).toBe('closed')
      await voice.advance(5_000)
      voice.wake(wake)
      await voice.advance(50)
      expect(stream.snapshot().status).toBe('open')
    }
  })

  it('tries earlier after a focus, but not after each of many', async () => {
    const { voice } = openStream({ reconnect: { minDelayMs: 20_000 } }, { random: () => 0.999 })
    voice.service.acceptThenClose({ times: 1_000 })
    for (let tenth = 0; tenth < 20; tenth += 1) {
      await voice.advance(100)
      voice.wake('focus')
    }
    expect(voice.service.connections.length).toBeGreaterThan(1)
    expect(voice.service.connections.length).toBeLessThanOrEqual(3)
  })

  it('tries again automatically when the network is back, after it had failed', async () => {
    const { voice, stream } = openStream({ reconnect: { maxAttempts: 2 } })
    voice.service.hang({ times: 3 })
    await voice.advance(60_000)
    expect(stream.snapshot()).toMatchObject({ status: 'failed', error: { code: 'CONNECT_TIMEOUT' } })
    voice.setOnline(true)
    await voice.advance(50)
    expect(stream.snapshot().status).toBe('open')
  })

  it('stays open after the expiry if the service allows it, and otherwise reconnects at once', async () => {
    for (const cutAtExpiry of [false, true]) {
      const voice = createVirtualVoice({ ttlMs: 5 * 60_000 })
      voice.service.cutAtExpiry = cutAtExpiry
      const stream = joinStream(voice)
      for (let second = 0; second < 900; second += 1) {
        await voice.advance(1_000)
        expect(stream.send(`${second}`)).not.toBe('dropped')
      }
      expect(stream.snapshot().status).toBe('open')
      expect(arrivals(voice)).toHaveLength(900)
      // Each token is minted before the previous one ends, so it also ends earlier by that lead.
      expect(voice.service.connections.length).toBe(cutAtExpiry ? 4 : 1)
    }
  })
})

describe('a browser that says offline', () => {
  it('may be wrong: the connection stays, carries data and is the same after online', async () => {
    const { voice, stream } = openStream()
    await voice.advance(20_000)
    voice.setOnline(false)
    for (let second = 0; second < 60; second += 1) {
      expect(stream.send(String(second))).toBe('sent')
      await voice.advance(1_000)
    }
    voice.service.connections[0]?.send('heard')
    voice.setOnline(true)
    await voice.advance(50)
    expect(stream.snapshot()).toMatchObject({ status: 'open', failureReason: null })
    expect(voice.service.handshakes).toHaveLength(1)
    expect(arrivals(voice)).toHaveLength(60)
  })

  it('may be right: a connection that was not heard since is replaced at once when it is online', async () => {
    const { voice, stream } = openStream()
    await voice.advance(20_000)
    voice.service.connections[0]?.send('heard before')
    voice.setOnline(false)
    await voice.advance(3_000)
    expect(stream.snapshot().status).toBe('open')
    voice.setOnline(true)
    await voice.advance(50)
    expect(stream.snapshot().status).toBe('open')
    expect(voice.service.connections.map(({ status }) => status)).toEqual(['closed', 'open'])
    expect(eventsOf(voice, 'stream.reconnecting')).toMatchObject([{ lostBy: 'away', delayMs: 0 }])
    // A second `online` without an `offline` changes nothing.
    voice.setOnline(true)
    await voice.advance(50)
    expect(voice.service.handshakes).toHaveLength(2)
  })

  it('may be right: a connection that does not drain is replaced within the time of any other', async () => {
    const { voice, stream } = openStream()
    await voice.advance(20_000)
    voice.service.connections[0]?.stall()
    voice.setOnline(false)
    stream.send('into the void')
    await voice.advance(7_000)
    expect(voice.service.connections).toHaveLength(2)
    expect(eventsOf(voice, 'stream.reconnecting')).toMatchObject([{ lostBy: 'stall' }])
  })

  it('leaves a connection alone that was opened meanwhile, and restarts a handshake that hangs', async () => {
    for (const hangs of [false, true]) {
      const { voice, stream } = openStream()
      await voice.advance(20_000)
      voice.setOnline(false)
      if (hangs) voice.service.hang()
      voice.service.connections[0]?.drop()
      await voice.advance(2_000)
      expect(stream.snapshot().status).toBe(hangs ? 'reconnecting' : 'open')
      expect(voice.service.attempts).toHaveLength(2)
      voice.setOnline(true)
      await voice.advance(50)
      expect(stream.snapshot().status).toBe('open')
      expect(voice.service.attempts).toHaveLength(hangs ? 3 : 2)
    }
  })
})

describe('a dead peer', () => {
  it('is replaced when its buffer has not drained for five seconds', async () => {
    const { voice, stream } = openStream()
    await voice.advance(20_000)
    voice.service.connections[0]?.stall()
    stream.send('into the void')
    await voice.advance(7_000)
    expect(voice.service.connections).toHaveLength(2)
    expect(stream.snapshot().status).toBe('open')
    expect(stream.stats().dropped).toBe(1)
  })

  it('does not count as dead while it drains slowly', async () => {
    const { voice, stream } = openStream()
    await voice.advance(20_000)
    for (let second = 0; second < 10; second += 1) {
      voice.service.connections[0]?.stall()
      stream.send('slow')
      await voice.advance(4_500)
      voice.service.connections[0]?.drain()
      await voice.advance(500)
    }
    expect(voice.service.connections).toHaveLength(1)
  })

  it('is replaced when it is silent for silenceMs, if the application sets it', async () => {
    const { voice } = openStream({ reconnect: { silenceMs: 3_000 } })
    await voice.advance(100)
    for (let second = 0; second < 10; second += 1) {
      voice.service.connections[0]?.send('still here')
      await voice.advance(1_000)
    }
    expect(voice.service.connections).toHaveLength(1)
    await voice.advance(7_000)
    expect(voice.service.connections.length).toBeGreaterThan(1)
  })

  it('S39 connects with a new token if it comes from the back-forward cache, whose first event is resume', async () => {
    const voice = createVirtualVoice()
    const stream = joinStream(voice)
    await voice.advance(100)
    voice.suspend('pagehide')
    voice.suspend('freeze')
    voice.wake('resume')
    voice.wake('visible')
    voice.wake('pageshow')
    await voice.advance(100)
    expect(stream.snapshot().status).toBe('open')
    expect(voice.service.handshakes.map(({ token }) => token)).toEqual([1, 2])
    expect(voice.service.tokensGranted).toBe(2)
  })
})
