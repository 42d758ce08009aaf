import { createBff } from '@stagepass/bff/fetch'
import { type BrowserStack, openBrowserStack } from '@stagepass/testing/browser'
import { afterAll, beforeAll, beforeEach, describe, expect, it, vi } from 'vitest'
import type { LiveSocket } from '../core/sockets/sockets.js'
import { acceptThenClose, fail, type Fault, hang } from './index.js'
import { createBrowserEmulator } from './createBrowserEmulator.js'

/*
 * Each case runs twice: with the browser's own WebSocket and the emulator on Node, and with the class of the
 * emulator in the page. Everything that a page can see must be equal.
 */

/** One of the two set-ups. */
interface Side {
  readonly WebSocket: typeof WebSocket
  /** Address with a valid token. */
  url(): Promise<string>
  use(fault: Fault): Promise<unknown>
  /** Calls a method of the newest WebSocket on the service's side. */
  serve<TName extends 'send' | 'close' | 'drop'>(
    act: TName,
    ...given: Parameters<LiveSocket[TName]>
  ): Promise<unknown>
  /** The messages that the service has received, as text or as lists of bytes. */
  received(): Promise<unknown[]>
}

let stack: BrowserStack
let native: Side
let ours: Side
const emulator = createBrowserEmulator({ echo: true })
const page = emulator.clientOptions(
  createBff({
    ...emulator.bffOptions,
    authorize: () => ({ user: 'ada' }),
    limits: { tokensPerMinute: Infinity },
  }),
)

beforeAll(async () => {
  stack = await openBrowserStack({ emulator: { echo: true } })
})
afterAll(async () => {
  emulator.close()
  await stack[Symbol.asyncDispose]()
})

/** Mints a token with a BFF, and returns the address of its WebSocket. */
async function addressFrom(url: string, fetch: typeof globalThis.fetch): Promise<string> {
  const response = await fetch(`${url}/session-token`, {
    method: 'POST',
    headers: { 'x-stagepass': '1', 'content-type': 'application/json' },
    body: JSON.stringify({ usage_type: 'stt' }),
  })
  const token = (await response.json()) as { session_key: string; stream_url: string }
  return `${token.stream_url}?authorization=${encodeURIComponent(`api-key ${token.session_key}`)}`
}

beforeEach(async () => {
  await stack.run(({ upstream }) => upstream.reset())
  emulator.reset()
  native = {
    WebSocket,
    url: () => addressFrom(stack.url, (input, init) => fetch(input, init)),
    use: (fault) =>
      stack.run(({ upstream }, _, input) => void upstream.use({ ...input, times: Infinity }), fault),
    serve: (act, ...given) =>
      stack.run(
        ({ upstream }, _, input) => {
          const live = upstream.sockets.at(-1) as unknown as Record<string, (...all: unknown[]) => void>
          live[input.act]?.(...input.given)
        },
        { act, given },
      ),
    received: () =>
      stack.run(({ upstream }) =>
        upstream.frames.map(({ data }) => (typeof data === 'string' ? data : [...data])),
      ),
  }
  ours = {
    WebSocket: emulator.WebSocket,
    url: () => addressFrom(page.url, page.fetch),
    use: async (fault) => emulator.use(fault),
    async serve(act, ...given) {
      const live = emulator.sockets.at(-1) as unknown as Record<string, (...all: unknown[]) => void>
      live[act]?.(...given)
    },
    received: async () => emulator.frames.map(({ data }) => (typeof data === 'string' ? data : [...data])),
  }
})

/** A WebSocket with a log of its events, as a page sees them. */
function watch(side: Side, url: string, protocols?: string | string[]) {
  const socket = new side.WebSocket(url, protocols)
  const log: unknown[] = [['made', socket.readyState]]
  const state = () => socket.readyState
  socket.addEventListener('open', () => log.push(['open', state()]))
  socket.addEventListener('error', () => log.push(['error', state()]))
  socket.addEventListener('message', ({ data, origin }: MessageEvent<unknown>) => {
    const seen =
      data instanceof Blob
        ? `Blob ${data.size}`
        : data instanceof ArrayBuffer
          ? [...new Uint8Array(data)]
          : data
    log.push(['message', state(), seen, origin === new URL(url).origin])
  })
  socket.addEventListener('close', ({ code, reason, wasClean }) =>
    log.push(['close', state(), code, reason, wasClean]),
  )
  const until = (type: string) =>
    vi.waitFor(() => expect(log.map((entry) => (entry as unknown[])[0])).toContain(type))
  return { socket, log, until }
}

type Watched = ReturnType<typeof watch>

/** The result of one sequence of events on both sides. */
async function expectSame(course: (side: Side) => Promise<unknown>): Promise<unknown> {
  const expected = await course(native)
  expect(await course(ours)).toEqual(expected)
  return expected
}

async function open(side: Side, protocols?: string | string[]): Promise<Watched> {
  const watched = watch(side, await side.url(), protocols)
  await watched.until('open')
  return watched
}

/** The error of a call, as a page can catch it. */
function thrown(call: () => unknown): unknown {
  try {
    return ['returned', typeof call()]
  } catch (error) {
    return [error instanceof DOMException, (error as Error).name]
  }
}

describe("a WebSocket of the emulator in the page, compared with the browser's own", () => {
  it('opens, sends and receives text and bytes, and closes', async () => {
    const seen = await expectSame(async (side) => {
      const { socket, log, until } = await open(side)
      socket.send('text ✓')
      socket.send(Uint8Array.of(9, 1, 2, 3, 9).subarray(1, 4))
      socket.send(Uint8Array.of(4, 5).buffer)
      socket.send(new Blob([Uint8Array.of(6)]))
      socket.send('last')
      await vi.waitFor(() => expect(log).toHaveLength(7))
      const received = await side.received()
      socket.close(3_001, 'bye')
      const closing = socket.readyState
      await until('close')
      return { log, received, closing, state: socket.readyState }
    })
    expect(seen).toMatchObject({
      received: ['text ✓', [1, 2, 3], [4, 5], [6], 'last'],
      closing: 2,
    })
  })

  it('passes bytes in the form that binaryType has at their arrival', async () => {
    const seen = await expectSame(async (side) => {
      const { socket, log, until } = await open(side)
      const types: string[] = [socket.binaryType]
      socket.send(Uint8Array.of(1))
      await vi.waitFor(() => expect(log).toHaveLength(3))
      socket.binaryType = 'arraybuffer'
      socket.send(Uint8Array.of(2))
      await vi.waitFor(() => expect(log).toHaveLength(4))
      types.push(socket.binaryType)
      socket.close()
      await until('close')
      return { log, types }
    })
    expect(seen).toMatchObject({ types: ['blob', 'arraybuffer'] })
  })

  it('counts bytes that are not sent yet, and bytes that are sent after the close', async () => {
    const seen = await expectSame(async (side) => {
      const { socket, until } = await open(side)
      const amounts = [socket.bufferedAmount]
      socket.send('✓')
      socket.send(new ArrayBuffer(10))
      amounts.push(socket.bufferedAmount)
      await vi.waitFor(() => expect(socket.bufferedAmount).toBe(0))
      socket.close()
      await until('close')
      return { amounts, received: await side.received() }
    })
    expect(seen).toMatchObject({ amounts: [0, 13] })
  })

  it('counts what is sent after the close, by its own length', async () => {
    const countOf = async (side: Side): Promise<number[]> => {
      const { socket, until } = await open(side)
      socket.close()
      socket.send('four')
      const amounts = [socket.bufferedAmount]
      await until('close')
      socket.send('four')
      return [...amounts, socket.bufferedAmount]
    }
    expect(await countOf(ours)).toEqual([4, 8])
    // WebKit adds the 6 bytes of a frame's head, which the standard excludes.
    expect([
      [4, 8],
      [10, 20],
    ]).toContainEqual(await countOf(native))
  })

  it.each([
    ['nothing', []],
    ['1000', [1_000]],
    ['1000 and a reason', [1_000, 'done']],
    ['3000', [3_000]],
    ['4999', [4_999, '✓']],
    ['the longest reason', [3_000, 'x'.repeat(123)]],
  ])('closes with %s', async (_name, given) => {
    await expectSame(async (side) => {
      const { socket, log, until } = await open(side)
      socket.close(...(given as [number?, string?]))
      socket.close(1_000, 'a second call does nothing')
      await until('close')
      return log
    })
  })

  it.each([
    [999],
    [1_001],
    [1_005],
    [1_006],
    [2_999],
    [5_000],
    [0],
    [-1],
    [70_000],
    [Number.NaN],
    [1_000, 'x'.repeat(124)],
    [3_000, '✓'.repeat(42)],
  ])('refuses close(%s) as the browser does', async (...given) => {
    await expectSame(async (side) => {
      const { socket, log, until } = await open(side)
      const errors = [thrown(() => socket.close(...(given as [number, string?]))), socket.readyState]
      socket.close()
      await until('close')
      return [errors, log]
    })
  })

  it('refuses to send before it is open', async () => {
    const seen = await expectSame(async (side) => {
      const { socket, until } = watch(side, await side.url())
      const error = thrown(() => socket.send('early'))
      await until('open')
      socket.close()
      return error
    })
    expect(seen).toEqual([true, 'InvalidStateError'])
  })

  it('cancels the handshake if it is closed before it is open', async () => {
    await expectSame(async (side) => {
      const { socket, log, until } = watch(side, await side.url())
      socket.close()
      log.push(socket.readyState)
      await until('close')
      return log
    })
  })

  it.each<[name: string, fault: Fault]>([
    ['a refusal by status', fail('unauthorized')],
    ['a refusal by an error message', fail('unauthorized', { refuseBy: 'frame' })],
    ['a refusal by a close', fail('concurrency_limit_exceeded', { refuseBy: 'close' })],
    ['a close after the open', acceptThenClose(4_000, 'later')],
    ['a close without a reason', acceptThenClose(1_011)],
  ])('shows %s', async (_name, fault) => {
    await expectSame(async (side) => {
      await side.use(fault)
      const { log, until } = watch(side, await side.url())
      await until('close')
      return log
    })
  })

  it('hangs in a handshake that is not answered, until the page closes it', async () => {
    await expectSame(async (side) => {
      await side.use(hang({ on: 'handshake' }))
      const { socket, log, until } = watch(side, await side.url())
      await new Promise((resolve) => requestAnimationFrame(resolve))
      log.push(socket.readyState)
      socket.close()
      await until('close')
      return log
    })
  })

  it.each([
    ['a close of the service', 'close', [1_001, 'going away']],
    ['a close without a code of its own', 'close', []],
  ] as const)('shows %s', async (_name, act, given) => {
    await expectSame(async (side) => {
      const { log, until } = await open(side)
      await side.serve(act, ...(given as []))
      await until('close')
      return log
    })
  })

  it('shows a connection that is reset', async () => {
    await expectSame(async (side) => {
      const { log, until } = await open(side)
      await side.serve('drop')
      await until('close')
      // Firefox reports an error before the close, Chromium does not.
      return log.filter((entry) => (entry as unknown[])[0] !== 'error')
    })
  })

  it('accepts the first subprotocol that is offered', async () => {
    await expectSame(async (side) => {
      const { socket, until } = await open(side, ['one', 'two'])
      const facts = [socket.protocol, socket.extensions]
      socket.close()
      await until('close')
      return facts
    })
  })

  it.each([['nonsense://x/'], ['wss://']])('refuses the address %s', async (url) => {
    await expectSame(async (side) => thrown(() => new side.WebSocket(url)))
  })

  /* oxlint-disable unicorn/prefer-add-event-listener -- handlers are the subject */
  it('calls listeners and handlers', async () => {
    const seen = await expectSame(async (side) => {
      const calls: string[] = []
      const socket = new side.WebSocket(await side.url())
      socket.addEventListener('open', () => calls.push('first'))
      socket.onopen = () => calls.push('replaced')
      socket.addEventListener('open', { handleEvent: () => calls.push('object') })
      socket.onopen = function (event) {
        calls.push(`handler ${this === socket} ${event.target === socket} ${event.type}`)
      }
      socket.addEventListener('open', () => calls.push('once'), { once: true })
      socket.onmessage = () => calls.push('never')
      socket.onmessage = null
      await vi.waitFor(() => expect(calls).toHaveLength(4))
      socket.send('x')
      const handlers = [socket.onmessage, typeof socket.onopen, socket.onclose]
      await new Promise<void>((resolve) => {
        socket.onclose = () => resolve()
        socket.close()
      })
      return { calls: calls.toSorted(), handlers }
    })
    expect(seen).toMatchObject({ calls: ['first', 'handler true true open', 'object', 'once'] })
  })
  /* oxlint-enable unicorn/prefer-add-event-listener */

  it('has the name, the constants and the type of the interface', async () => {
    await expectSame(async (side) => {
      const { socket, until } = await open(side)
      const names = ['CONNECTING', 'OPEN', 'CLOSING', 'CLOSED'] as const
      const facts = [
        side.WebSocket.name,
        names.map((name) => [side.WebSocket[name], socket[name]]),
        socket instanceof EventTarget,
        socket instanceof side.WebSocket,
        socket.url.startsWith('ws'),
      ]
      socket.close()
      await until('close')
      return facts
    })
  })
})
