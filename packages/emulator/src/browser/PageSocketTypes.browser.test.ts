import { expect, it, vi } from 'vitest'
import { expectSame, native, open, ours, type Side, thrown } from './PageSocket.test.kit.js'

/* Values of other types than a page should give: one of each kind that is converted or refused. */

/** For values that TypeScript refuses. */
type Loose = new (...given: unknown[]) => WebSocket & Record<string, unknown>
const looseOf = (side: Side): Loose => side.WebSocket as unknown as Loose

/** The error of the constructor, or the address. The connection is not used. */
function made(side: Side, ...given: unknown[]): unknown {
  let url = ''
  const error = thrown(() => {
    const socket = new (looseOf(side))(...given)
    url = socket.url
    socket.close()
  })
  return [error, url]
}

it.each([
  ['no address', []],
  ['another scheme', ['ftp://127.0.0.1/']],
  ['a fragment', ['ws://127.0.0.1:9/x#part']],
  ['http:', ['http://127.0.0.1:9/x?y=1']],
  ['a path', ['/x?y=1']],
  ['a relative path', ['x']],
  ['an address without a scheme', ['//127.0.0.1:9/x']],
  ['a user', ['ws://ada:secret@127.0.0.1:9/']],
  ['a number', [5]],
  ['a URL', [new URL('ws://127.0.0.1:9/url')]],
])('an address: %s', async (_name, given) => {
  await expectSame(async (side) => made(side, ...given))
})

it.each([
  ['undefined', undefined],
  ['an empty list', []],
  ['an empty text', ''],
  ['a token', 'chat'],
  ['every sign of a token', "!#$%&'*+-.^_`|~09azAZ"],
  ['several', ['a', 'b']],
  ['the same twice', ['a', 'a']],
  ['a space', 'api-key x'],
  ['a comma', 'a,b'],
  ['a letter beyond ASCII', 'ä'],
  ['a Set', new Set(['a', 'b'])],
  ['what cannot be iterated', { [Symbol.iterator]: 5 }],
  ['a symbol', Symbol('x')],
])('subprotocols: %s', async (_name, protocols) => {
  await expectSame(async (side) => made(side, 'ws://127.0.0.1:9/x', protocols))
})

const detached = (): ArrayBuffer => {
  const buffer = new ArrayBuffer(4)
  structuredClone(buffer, { transfer: [buffer] })
  return buffer
}

const shared = (): ArrayBufferLike => new WebAssembly.Memory({ initial: 1, maximum: 1, shared: true }).buffer

/** A buffer of another window. */
function foreign(): ArrayBuffer {
  const frame = document.body.appendChild(document.createElement('iframe'))
  const { ArrayBuffer: Foreign } = frame.contentWindow as unknown as typeof globalThis
  const buffer = new Foreign(3)
  frame.remove()
  return buffer
}

it.each<[name: string, make: () => unknown[]]>([
  ['nothing', () => []],
  ['a number', () => [5]],
  ['an object', () => [{}]],
  ['a symbol', () => [Symbol('x')]],
  ['half of an emoji', () => ['a\ud83d']],
  ['an empty buffer', () => [new ArrayBuffer(0)]],
  ['a DataView', () => [new DataView(Uint8Array.of(1, 2, 3).buffer, 1, 1)]],
  ['a File', () => [new File(['file'], 'x.txt')]],
  ['a buffer of another window', () => [foreign()]],
  ['a buffer that was transferred', () => [detached()]],
  ['a shared buffer', () => [shared()]],
  ['bytes in a shared buffer', () => [new Uint8Array(shared(), 0, 2)]],
])('sends %s', async (_name, make) => {
  await expectSame(async (side) => {
    const { socket, until } = await open(side)
    const send = (...given: unknown[]): void => (socket.send as (...all: unknown[]) => void)(...given)
    const error = thrown(() => send.apply(socket, make()))
    const sent = socket.bufferedAmount
    socket.send('last')
    await vi.waitFor(async () => expect(await side.received()).toContain('last'))
    socket.close()
    await until('close')
    return [error, sent, await side.received()]
  })
})

it.each([
  ['a text', ['3000', 5]],
  ['null', [null]],
  ['half of an emoji', [3_000, '\ud83d']],
  ['a bigint', [3_000n]],
])('closes with %s', async (_name, given) => {
  await expectSame(async (side) => {
    const { socket, log, until } = await open(side)
    const error = thrown(() => (socket.close as (...all: unknown[]) => void).apply(socket, given))
    const state = socket.readyState
    socket.close()
    await until('close')
    return [error, state, log]
  })
})

it('refuses a reason without a code', async () => {
  const closeOf = async (side: Side): Promise<unknown> => {
    const { socket, until } = await open(side)
    const error = thrown(() => socket.close(undefined, 'why'))
    socket.close()
    await until('close')
    return error
  }
  const refused = [true, 'InvalidAccessError']
  expect(await closeOf(ours)).toEqual(refused)
  // Firefox drops the reason.
  expect([refused, ['returned', 'undefined']]).toContainEqual(await closeOf(native))
})
