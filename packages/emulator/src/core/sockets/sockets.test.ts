import { describe, expect, it } from 'vitest'
import { fail } from '../faults/faults.js'
import { openStream } from '../../node/client.test.kit.js'
import { createEmulator } from '../../node/createEmulator.js'
import { createClock } from '../platform/clock.js'
import { createSockets } from './sockets.js'
import { TOKEN_ROW } from './tokenRow.test.kit.js'

const start = () => createEmulator({ echo: true, now: () => 1_000 })

describe('echo', () => {
  it.each(['stt', 'tts', 'viva', 'vt'] as const)('sends every frame back as it came: %s', async (product) => {
    await using upstream = await start()
    await using client = await openStream(upstream, product)
    client.socket.send('{"a": 1}')
    client.socket.send(Buffer.from([0, 255, 7]))
    client.socket.send('')
    expect(await client.next()).toBe('{"a": 1}')
    expect(await client.next()).toEqual(Buffer.from([0, 255, 7]))
    expect(await client.next()).toBe('')
  })
})

describe('upstream.sockets', () => {
  it('shows the open ones with their product, token and counts', async () => {
    await using upstream = await start()
    await using client = await openStream(upstream, 'stt')
    client.socket.send('four')
    client.socket.send(Buffer.alloc(10))
    await client.next()
    await client.next()
    expect(upstream.sockets).toEqual([
      expect.objectContaining({
        id: 'socket-1',
        product: 'stt',
        sessionKey: upstream.tokens.all()[0]?.sessionKey,
        openedAtMs: 1_000,
        received: { text: 1, binary: 1, bytes: 14 },
        sent: { text: 1, binary: 1, bytes: 14 },
      }),
    ])
  })

  it('send, close: a frame from the server, text or binary; nothing once it is closing', async () => {
    await using upstream = await start()
    await using client = await openStream(upstream, 'stt')
    const [socket] = upstream.sockets
    socket?.send('hello')
    socket?.send(Uint8Array.of(1, 2))
    expect(await client.next()).toBe('hello')
    expect(await client.next()).toEqual(Buffer.from([1, 2]))
    socket?.close()
    expect(upstream.sockets).toEqual([])
    expect(() => socket?.send('too late')).not.toThrow()
    expect(await client.closed).toEqual({ code: 1000, reason: '' })
    await using next = await openStream(upstream, 'stt')
    upstream.sockets[0]?.close(4000, 'enough')
    expect(await next.closed).toEqual({ code: 4000, reason: 'enough' })
  })

  it('drop: the connection is reset, which a client sees as 1006', async () => {
    await using upstream = await start()
    await using client = await openStream(upstream, 'stt')
    upstream.sockets[0]?.drop()
    expect(upstream.sockets).toEqual([])
    expect(await client.closed).toEqual({ code: 1006, reason: '' })
  })

  it('freeze: nothing more is read, not even a close', async () => {
    await using upstream = await start()
    await using client = await openStream(upstream, 'stt')
    upstream.sockets[0]?.freeze()
    await using other = await openStream(upstream, 'stt')
    client.socket.send('into the void')
    client.socket.close()
    other.socket.send('alive')
    expect(await other.next()).toBe('alive')
    expect(client.socket.readyState).toBe(client.socket.CLOSING)
    expect(upstream.sockets[0]?.received).toEqual({ text: 0, binary: 0, bytes: 0 })
  })
})

describe('upstream.billedMs', () => {
  it('counts how long each connection was open, by the clock', async () => {
    await using upstream = await start()
    await using first = await openStream(upstream, 'stt')
    upstream.clock.advance(2_000)
    await using second = await openStream(upstream, 'vt')
    upstream.clock.advance(3_000)
    expect(upstream.billedMs()).toEqual({ 'socket-1': 5_000, 'socket-2': 3_000 })
    upstream.sockets[0]?.close()
    await first.closed
    upstream.sockets[0]?.drop()
    await second.closed
    upstream.clock.advance(60_000)
    expect(upstream.billedMs()).toEqual({ 'socket-1': 5_000, 'socket-2': 3_000 })
  })

  it('counts a connection that the client closes, and none that was refused', async () => {
    await using upstream = await start()
    await using client = await openStream(upstream, 'stt')
    upstream.clock.advance(1_000)
    client.socket.close()
    await client.closed
    upstream.use(fail('unauthorized'))
    await expect(openStream(upstream, 'stt')).rejects.toThrow('"type":"refused"')
    upstream.clock.advance(1_000)
    expect(upstream.billedMs()).toEqual({ 'socket-1': 1_000 })
    upstream.reset()
    expect(upstream.billedMs()).toEqual({})
  })
})

it('after a reset, the late close of a socket does not touch the one that has its id now', () => {
  const clock = createClock(() => 1_000)
  const sockets = createSockets({
    clock,
    after: () => () => {},
    recordFrames: 10,
    cutAtExpiry: false,
    streamOf: () => () => ({ onText: () => {}, onBinary: () => {} }),
    onError: () => expect.unreachable(),
  })
  const open = () =>
    sockets.open(
      { isOpen: () => true, send() {}, close() {}, reset() {}, terminate() {}, freeze() {} },
      TOKEN_ROW,
    )
  const before = open()
  sockets.reset()
  open()
  before.closed()
  clock.advance(500)
  expect(sockets.live.map(({ id }) => id)).toEqual(['socket-1'])
  expect(sockets.billedMs()).toEqual({ 'socket-1': 500 })
})

describe('upstream.frames', () => {
  it('contains the messages of all sockets, in the order of arrival', async () => {
    await using upstream = await start()
    await using first = await openStream(upstream, 'stt')
    await using second = await openStream(upstream, 'vt')
    for (const [client, text] of [
      [first, 'a'],
      [second, 'b'],
      [first, 'c'],
    ] as const) {
      client.socket.send(text)
      await client.next()
    }
    expect(upstream.frames).toEqual([
      { socketId: 'socket-1', product: 'stt', data: 'a', at: 1_000 },
      { socketId: 'socket-2', product: 'vt', data: 'b', at: 1_000 },
      { socketId: 'socket-1', product: 'stt', data: 'c', at: 1_000 },
    ])
  })

  it.each([
    [0, []],
    [3, ['7', '8', '9']],
    [Infinity, ['0', '1', '2', '3', '4', '5', '6', '7', '8', '9']],
  ])('is bounded by recordFrames: %d', async (recordFrames, expected) => {
    await using upstream = await createEmulator({ echo: true, recordFrames })
    await using client = await openStream(upstream, 'stt')
    for (let frame = 0; frame < 10; frame += 1) client.socket.send(String(frame))
    for (let frame = 0; frame < 10; frame += 1) await client.next()
    expect(upstream.frames.map(({ data }) => data)).toEqual(expected)
    expect(upstream.sockets[0]?.received.text).toBe(10)
  })
})

it('survives a frame that breaks the protocol, and closes the socket', async () => {
  await using upstream = await start()
  await using client = await openStream(upstream, 'stt')
  // A frame with reserved bits set, straight to the connection.
  Reflect.get(client.socket, '_socket').write(Buffer.from([0xf1, 0x80, 0, 0, 0, 0]))
  expect(await client.closed).toMatchObject({ code: 1002 })
  expect(upstream.sockets).toEqual([])
})

it('closes at the expiry by the given clock only, soon after it has passed', async () => {
  let nowMs = 0
  await using upstream = await createEmulator({ cutAtExpiry: true, now: () => nowMs })
  await using client = await openStream(upstream, 'stt')
  nowMs = 180 * 60_000
  expect(await client.closed).toEqual({ code: 1008, reason: 'unauthorized' })
})
