import { afterEach, describe, expect, it, vi } from 'vitest'
import { blackhole, mute } from '../faults/faults.js'
import { createEmulator } from '../../node/createEmulator.js'
import { openStream, postToken, until } from '../../node/client.test.kit.js'

afterEach(() => {
  vi.useRealTimers()
})

const VOICE = Int16Array.from({ length: 1_600 }, (_, index) => (index % 2 === 0 ? 8_000 : -8_000))

describe('heard', () => {
  it('is the sound of each connection, in its order', async () => {
    await using upstream = await createEmulator()
    const first = await openStream(upstream, 'stt')
    const second = await openStream(upstream, 'stt')
    first.socket.send(VOICE)
    first.socket.send('{"type":"finish"}')
    second.socket.send(new Uint8Array([1, 0, 2]))
    await until(() => upstream.frames.length === 3)
    first.socket.send(VOICE.subarray(0, 2))
    await until(() => upstream.frames.length === 4)
    expect(Object.keys(upstream.heard())).toEqual(['socket-1', 'socket-2'])
    expect(upstream.heard()['socket-1']).toEqual(Int16Array.from([...VOICE, 8_000, -8_000]))
    expect(upstream.heard()['socket-2']).toEqual(Int16Array.from([1]))
    upstream.reset()
    expect(upstream.heard()).toEqual({})
  })
})

describe('mute', () => {
  it('takes what is sent, answers nothing and hears nothing, for a time', async () => {
    await using upstream = await createEmulator({ echo: true })
    const client = await openStream(upstream, 'stt')
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] })
    upstream.sockets[0]?.mute(9_000)
    client.socket.send('lost')
    upstream.sockets[0]?.send('unsaid')
    client.socket.send(VOICE)
    await until(() => upstream.frames.length === 2)
    expect(upstream.heard()).toEqual({})
    vi.advanceTimersByTime(9_000)
    client.socket.send('again')
    expect(await client.next()).toBe('again')
  })

  it('as a fault, applies to a connection from the given time on', async () => {
    await using upstream = await createEmulator({ echo: true })
    upstream.use(mute({ afterMs: 2_000, times: 1 }))
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] })
    const dead = await openStream(upstream, 'stt')
    const live = await openStream(upstream, 'stt')
    dead.socket.send('in time')
    expect(await dead.next()).toBe('in time')
    vi.advanceTimersByTime(2_000)
    dead.socket.send('lost')
    live.socket.send('hello')
    expect(await live.next()).toBe('hello')
    await until(() => upstream.frames.length === 3)
    expect(upstream.sockets.map(({ sent }) => sent.text)).toEqual([1, 1])
  })

  it('refuses a time below zero', () => {
    expect(() => mute({ afterMs: -1 })).toThrow('afterMs is -1. Give a number from 0.')
  })
})

describe('blackhole', () => {
  it('answers nothing until it is removed; then what waited arrives in its order', async () => {
    await using upstream = await createEmulator({ echo: true })
    const client = await openStream(upstream, 'stt')
    const end = upstream.use(blackhole())
    const endOther = upstream.use(blackhole())
    client.socket.send('one')
    client.socket.send('two')
    await until(() => upstream.frames.length === 2)
    upstream.sockets[0]?.send('from the service')
    const leaving = new AbortController()
    const request = fetch(`${upstream.meetingsUrl}/meetings`, { signal: leaving.signal })
    await until(() => upstream.counts.list === 1)
    end()
    expect(upstream.sockets[0]?.sent.text).toBe(0)
    endOther()
    expect([await client.next(), await client.next(), await client.next()]).toEqual([
      'one',
      'two',
      'from the service',
    ])
    // A request from before gets no answer any more, a new one does.
    leaving.abort()
    await expect(request).rejects.toThrow('aborted')
    expect((await postToken(upstream, { usage_type: 'stt' })).status).toBe(200)
  })

  it('is gone after a reset', async () => {
    await using upstream = await createEmulator({ echo: true })
    upstream.use(blackhole())
    upstream.reset()
    const client = await openStream(upstream, 'stt')
    client.socket.send('hello')
    expect(await client.next()).toBe('hello')
  })
})
