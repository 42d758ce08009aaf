import { once } from 'node:events'
import { describe, expect, it, vi } from 'vitest'
import { WebSocket, WebSocketServer } from 'ws'
import { errorOf, getMeetings, listIds, postToken } from '../../node/client.test.kit.js'
import { createClock } from '../platform/clock.js'
import { createEmulator } from '../../node/createEmulator.js'
import { nodePlatform } from '../../node/platform.js'
import { attach } from '../../node/upgradeServer.js'
import { answer } from '../faults/faults.js'
import type { MeetingRow, NoteBlock, SessionTokenRow } from '../store/rows.js'
import { createSockets } from '../sockets/sockets.js'

/** What a test can do to a row that `get` gave it. Each breaks another step on the way to an answer. */
const BREAKS: readonly [name: string, path: string, change: (row: MeetingRow) => void][] = [
  ['no participants', '/meetings?q=x', (row) => Reflect.deleteProperty(row, 'participants')],
  ['no tags', '/tags', (row) => Reflect.deleteProperty(row, 'tags')],
  ['tags that are numbers', '/tags', (row) => row.tags.push(5 as never)],
  ['a title that is an object', '/meetings?q=x', (row) => Object.assign(row, { title: Object.create(null) })],
  ['a value that is no JSON', '/meetings', (row) => Object.assign(row, { duration: 1n })],
  ['a cycle in the tags', '/meetings/m', (row) => row.tags.push(row.tags as never)],
  [
    'a cycle in the notes',
    '/meetings?q=x',
    ({ notes }) => {
      const block: NoteBlock = { type: 'list' }
      block.children = [block]
      notes.blocks.push(block)
    },
  ],
]

describe('a route that throws', () => {
  it.each(BREAKS)(
    'answers 500 with what was thrown, and the emulator goes on: %s',
    async (_name, path, change) => {
      const onError = vi.fn<(error: unknown) => void>()
      await using upstream = await createEmulator({ meetings: [{ id: 'm' }], onError, latency: { ms: 2 } })
      change(upstream.meetings.get('m') as MeetingRow)
      const reply = await getMeetings(upstream, path)
      expect(reply.status).toBe(500)
      expect(reply.headers.get('content-type')).toBe('application/json; charset=utf-8')
      expect(onError.mock.calls).toEqual([[expect.any(Error)]])
      const [[thrown] = []] = onError.mock.calls
      expect(errorOf(reply)).toBe(`The emulator could not answer: ${(thrown as Error).message}`)
      expect(upstream.requests).toMatchObject([{ status: 500 }])

      upstream.reset()
      expect(await getMeetings(upstream, path)).toMatchObject({ status: 200 })
    },
  )

  it('says so of a row of another table', async () => {
    await using upstream = await createEmulator()
    upstream.apiKeys.update(upstream.apiKey, { state: 'asleep' as 'valid' })
    expect(await postToken(upstream, { usage_type: 'stt' })).toMatchObject({ status: 500 })
  })

  it.each([
    ['a body', { status: 200, body: { count: 1n } }],
    ['a status', { status: 42 }],
    ['a header', { status: 200, headers: { 'x-note': 'a\nb' } }],
  ])('says so of a fault whose answer cannot be sent: %s', async (_name, reply) => {
    await using upstream = await createEmulator({ meetings: [{ id: 'm' }] })
    upstream.use(answer(reply, { times: 1 }))
    expect(await getMeetings(upstream, '/meetings')).toMatchObject({ status: 500 })
    expect(await listIds(upstream)).toEqual(['m'])
  })
})

describe('a stream that throws', () => {
  it('closes its socket with 1011 and a reason of whole characters, and the others go on', async () => {
    const onError = vi.fn<(error: unknown) => void>()
    const thrown = new Error(`x${'é'.repeat(200)}`)
    let calls = 0
    const fail = (): never => {
      calls += 1
      throw thrown
    }
    const sockets = createSockets({
      clock: createClock(Date.now, () => undefined),
      after: nodePlatform.after,
      recordFrames: 10,
      cutAtExpiry: false,
      streamOf: () => (outlet) => ({ onText: fail, onBinary: (bytes) => outlet.send(bytes) }),
      onError,
    })
    const token: SessionTokenRow = {
      sessionKey: 's',
      product: 'stt',
      keyId: 1,
      account: 'main',
      status: 'active',
      issuedAtMs: 0,
      expiresAtMs: Infinity,
    }
    const server = new WebSocketServer({ port: 0, host: '127.0.0.1' })
    server.on('connection', (socket, request) => {
      attach(socket, request.socket, (seam) => sockets.open(seam, token))
    })
    await once(server, 'listening')
    const { port } = server.address() as { port: number }
    const connect = async (): Promise<WebSocket> => {
      const socket = new WebSocket(`ws://127.0.0.1:${port}`)
      await once(socket, 'open')
      return socket
    }

    const [broken, other] = [await connect(), await connect()]
    const closed = once(broken, 'close')
    broken.send('one')
    broken.send('two')
    const [code, reason] = (await closed) as [number, Buffer]
    expect(code).toBe(1011)
    expect(reason.toString()).toMatch(/^The emulator could not answer: xé{45}$/)
    expect(onError.mock.calls).toEqual([[thrown]])
    expect(calls).toBe(1)
    expect(sockets.frames).toHaveLength(2)

    const echoed = once(other, 'message')
    other.send(Buffer.of(7))
    expect((await echoed)[0]).toEqual(Buffer.of(7))
    other.terminate()
    server.close()
  })
})
