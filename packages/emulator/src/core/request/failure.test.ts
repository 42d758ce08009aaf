import { describe, expect, it, vi } from 'vitest'
import { errorOf, getMeetings, handshake, listIds } from '../../node/client.test.kit.js'
import { createClock } from '../platform/clock.js'
import { createEmulator } from '../../node/createEmulator.js'
import { nodePlatform } from '../../node/platform.js'
import { respond } from '../faults/faults.js'
import type { MeetingRow, NoteBlock } from '../store/rows.js'
import type { Socket } from '../sockets/Socket.js'
import { createSockets } from '../sockets/sockets.js'
import { TOKEN_ROW } from '../sockets/tokenRow.test.kit.js'

/** Changes that a test can make to a row from `get`. Each breaks another step of the response. */
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
    'answers 500 with the error, and the emulator continues: %s',
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

  it.each([
    ['a body', { status: 200, body: { count: 1n } }],
    ['a status', { status: 42 }],
    ['a header', { status: 200, headers: { 'x-note': 'a\nb' } }],
  ])('says so of a fault whose answer cannot be sent: %s', async (_name, reply) => {
    await using upstream = await createEmulator({ meetings: [{ id: 'm' }] })
    upstream.use(respond(reply, { times: 1 }))
    expect(await getMeetings(upstream, '/meetings')).toMatchObject({ status: 500 })
    expect(await listIds(upstream)).toEqual(['m'])
  })
})

it('answers 500 to a handshake whose response cannot be encoded', async () => {
  const onError = vi.fn<(error: unknown) => void>()
  await using upstream = await createEmulator({ onError })
  upstream.use(respond({ status: 503, body: 1n }, { on: 'handshake' }))
  expect(await handshake(upstream, {})).toMatchObject({ type: 'refused', status: 500 })
  expect(onError.mock.calls).toEqual([[expect.any(TypeError)]])
})

/** A socket of a transport in memory, and a log of its calls. */
function createSocket() {
  const done: unknown[] = []
  const socket: Socket = {
    isOpen: () => true,
    send: (data) => done.push(data),
    close: (code, reason) => done.push([code, reason]),
    reset: () => undefined,
    terminate: () => undefined,
    freeze: () => undefined,
  }
  return { socket, done }
}

it('a stream that throws closes its socket with 1011 and a reason of whole characters, and the others continue', () => {
  const onError = vi.fn<(error: unknown) => void>()
  const thrown = new Error(`x${'é'.repeat(200)}`)
  const onText = vi.fn<(text: string) => void>(() => {
    throw thrown
  })
  const sockets = createSockets({
    clock: createClock(Date.now),
    after: nodePlatform.after,
    recordFrames: 10,
    cutAtExpiry: false,
    streamOf: () => (output) => ({ onText, onBinary: (bytes) => output.send(bytes) }),
    onError,
  })
  const [broken, other] = [createSocket(), createSocket()]
  const [listener, otherListener] = [broken, other].map(({ socket }) => sockets.open(socket, TOKEN_ROW))
  listener?.received('one')
  listener?.received('two')
  expect(broken.done).toEqual([[1011, `The emulator could not answer: x${'é'.repeat(45)}`]])
  expect(onError.mock.calls).toEqual([[thrown]])
  expect(onText).toHaveBeenCalledTimes(1)
  expect(sockets.frames).toHaveLength(2)

  otherListener?.received(Uint8Array.of(7))
  expect(other.done).toEqual([Uint8Array.of(7)])
})
