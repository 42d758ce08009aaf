import { expect, it, vi } from 'vitest'
import { expectSame, native, open, ours, type Side, thrown, watch } from './PageSocket.test.kit.js'

/* Values of other types than a page should give, and the members: as the web platform's own tests ask. */

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
  ['no address in a word', ['nonsense://x/']],
  ['no host', ['wss://']],
  ['a port out of range', ['ws://127.0.0.1:70000/']],
  ['another scheme', ['ftp://127.0.0.1/']],
  ['a file', ['file:///x']],
  ['a fragment', ['ws://127.0.0.1:9/x#part']],
  ['an empty fragment', ['ws://127.0.0.1:9/x#']],
  ['http:', ['http://127.0.0.1:9/x?y=1']],
  ['https:', ['https://127.0.0.1:9/x']],
  ['upper case', ['WS://127.0.0.1:9/%7ex']],
  ['a path', ['/x?y=1']],
  ['a relative path', ['x']],
  ['an address without a scheme', ['//127.0.0.1:9/x']],
  ['a query alone', ['?x']],
  ['spaces around', [' ws://127.0.0.1:9/x ']],
  ['half of an emoji', ['ws://127.0.0.1:9/\ud83d']],
  ['a user', ['ws://ada:secret@127.0.0.1:9/']],
  ['a number', [5]],
  ['null', [null]],
  ['undefined', [undefined]],
  ['an object with a text', [{ toString: () => 'ws://127.0.0.1:9/object' }]],
  ['a URL', [new URL('ws://127.0.0.1:9/url')]],
  ['a symbol', [Symbol('x')]],
])('an address: %s', async (_name, given) => {
  await expectSame(async (side) => made(side, ...given))
})

it.each([
  ['undefined', undefined],
  ['an empty list', []],
  ['an empty text', ''],
  ['an empty text in a list', ['']],
  ['a token', 'chat'],
  ['every sign of a token', "!#$%&'*+-.^_`|~09azAZ"],
  ['several', ['a', 'b']],
  ['the same twice', ['a', 'a']],
  ['the same in another case', ['a', 'A']],
  ['a space', 'api-key x'],
  ['a comma', 'a,b'],
  ['a slash', 'a/b'],
  ['quotes', '"a"'],
  ['brackets', 'a(b)'],
  ['a colon', 'a:b'],
  ['an at', 'a@b'],
  ['a control character', 'a\u0001'],
  ['a tab', 'a\t'],
  ['a new line at the end', 'a\n'],
  ['a letter beyond ASCII', 'ä'],
  ['null', null],
  ['a number', 5],
  ['true', true],
  ['an object', {}],
  ['a Set', new Set(['a', 'b'])],
  ['numbers in a list', [1, 2]],
  ['a list in a list', [['a']]],
  ['a String', new String('ab')],
  ['what cannot be iterated', { [Symbol.iterator]: 5 }],
  ['a function', () => 1],
  ['a symbol', Symbol('x')],
  ['a symbol in a list', [Symbol('x')]],
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
  ['undefined', () => [undefined]],
  ['null', () => [null]],
  ['a number', () => [5]],
  ['a bigint', () => [5n]],
  ['NaN', () => [Number.NaN]],
  ['true', () => [true]],
  ['an object', () => [{}]],
  ['a list', () => [[1, [2, 3]]]],
  ['a Date', () => [new Date(0)]],
  ['a function', () => [parseInt]],
  ['an object with a text', () => [{ toString: () => 'own' }]],
  ['an object without a text', () => [Object.create(null)]],
  ['a text that throws', () => [{ toString: () => expect.fail('thrown') }]],
  ['a symbol', () => [Symbol('x')]],
  ['an empty text', () => ['']],
  ['half of an emoji', () => ['a\ud83d']],
  ['a zero in a text', () => ['a\0b']],
  ['a String', () => [new String('ab')]],
  ['an empty buffer', () => [new ArrayBuffer(0)]],
  ['a DataView', () => [new DataView(Uint8Array.of(1, 2, 3).buffer, 1, 1)]],
  ['numbers of two bytes', () => [Uint16Array.of(1, 2, 3).subarray(1)]],
  ['a File', () => [new File(['file'], 'x.txt')]],
  ['an empty Blob', () => [new Blob([])]],
  ['a buffer of another window', () => [foreign()]],
  ['a buffer that was transferred', () => [detached()]],
  ['a shared buffer', () => [shared()]],
  ['bytes in a shared buffer', () => [new Uint8Array(shared(), 0, 2)]],
  ['two arguments', () => ['one', 'two']],
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

it('converts the data before it looks at the state', async () => {
  await expectSame(async (side) => {
    const { socket, until } = watch(side, await side.url())
    const send = socket.send.bind(socket) as (...given: unknown[]) => void
    const errors = [thrown(() => send()), thrown(() => send(Symbol('x'))), thrown(() => send(5))]
    socket.close()
    await until('close')
    return errors
  })
})

it.each([
  ['a text', ['3000', 5]],
  ['a fraction', [3_000.4]],
  ['null', [null]],
  ['Infinity', [Infinity]],
  ['a text without a number', ['x']],
  ['a reason of null', [3_000, null]],
  ['a reason of undefined', [3_000, undefined]],
  ['half of an emoji', [3_000, '\ud83d']],
  ['halves of emojis that are too long', [3_000, '\ud83d'.repeat(42)]],
  ['a bigint', [3_000n]],
  ['a symbol', [Symbol('x')]],
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

it('keeps binaryType if the value is none', async () => {
  await expectSame(async (side) => {
    const socket = new (looseOf(side))(await side.url())
    const seen: unknown[] = [socket.binaryType]
    for (const value of ['x', 'arraybuffer', 'Blob', '', null, undefined, 5, { toString: () => 'blob' }, {}])
      seen.push([thrown(() => Object.assign(socket, { binaryType: value })), socket.binaryType])
    seen.push(
      thrown(() => Object.assign(socket, { binaryType: Symbol('x') })),
      socket.binaryType,
    )
    socket.close()
    return seen
  })
})

const MEMBERS = 'url readyState bufferedAmount protocol extensions CONNECTING OPEN CLOSING CLOSED'.split(' ')

it('has members that cannot be changed', async () => {
  await expectSame(async (side) => {
    const { socket, until } = await open(side)
    const facts = MEMBERS.map((name) => {
      const before = Reflect.get(socket, name) as unknown
      return [
        name,
        thrown(() => Object.assign(socket, { [name]: 5 })),
        Reflect.get(socket, name) === before,
        name in side.WebSocket,
        thrown(() => name in side.WebSocket && Object.assign(side.WebSocket, { [name]: 5 })),
        delete (socket as unknown as Record<string, unknown>)[name],
      ]
    })
    facts.push([
      Object.keys(socket),
      JSON.stringify(socket),
      Object.prototype.toString.call(socket),
      thrown(() => (side.WebSocket as unknown as (url: string) => unknown)('ws://127.0.0.1:9/')),
    ])
    socket.close()
    await until('close')
    return facts
  })
})

/* oxlint-disable unicorn/prefer-add-event-listener -- handlers are the subject */
it('keeps the place of a handler, and takes any object as one', async () => {
  await expectSame(async (side) => {
    const calls: string[] = []
    const socket = new (looseOf(side))(await side.url())
    const handlers: unknown[] = []
    for (const value of [5, 'x', {}, null, undefined, () => 1]) {
      Object.assign(socket, { onclose: value })
      handlers.push([typeof socket.onclose, socket.onclose === value])
    }
    socket.addEventListener('open', () => calls.push('first'))
    socket.onopen = () => calls.push('replaced')
    socket.addEventListener('open', () => calls.push('second'))
    socket.onopen = () => calls.push('handler')
    Object.assign(socket, { onmessage: { handleEvent: () => calls.push('object') } })
    socket.addEventListener('message', () => calls.push('message'))
    socket.onerror = () => calls.push('never')
    socket.onerror = null
    await vi.waitFor(() => expect(calls).toContain('second'))
    socket.send('x')
    await vi.waitFor(() => expect(calls).toContain('message'))
    const closed = new Promise<void>((resolve) => (socket.onclose = () => resolve()))
    socket.close()
    await closed
    return { calls, handlers }
  })
})
/* oxlint-enable unicorn/prefer-add-event-listener */

it('the browser itself sends text for a number, so that these cases mean something', async () => {
  const { socket, until } = await open(native)
  socket.send(5 as never)
  await vi.waitFor(async () => expect(await native.received()).toEqual(['5']))
  socket.close()
  await until('close')
})
