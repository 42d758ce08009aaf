import { createBff } from '@stagepass/bff/fetch'
import { type BrowserStack, openBrowserStack } from '@stagepass/testing/browser'
import { afterAll, beforeAll, beforeEach, expect, vi } from 'vitest'
import type { LiveSocket } from '../core/sockets/sockets.js'
import { createBrowserEmulator } from './createBrowserEmulator.js'
import type { Fault } from './index.js'

/*
 * Each case of the tests runs twice: with the browser's own WebSocket and the emulator on Node, and with the
 * class of the emulator in the page. Everything that a page can see must be equal.
 */

/** One of the two set-ups. */
export interface Side {
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
export let native: Side
export let ours: Side
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
export function watch(side: Side, url: string, protocols?: string | string[]) {
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

export type Watched = ReturnType<typeof watch>

/** The result of one sequence of events on both sides. */
export async function expectSame(course: (side: Side) => Promise<unknown>): Promise<unknown> {
  const expected = await course(native)
  expect(await course(ours)).toEqual(expected)
  return expected
}

export async function open(side: Side, protocols?: string | string[]): Promise<Watched> {
  const watched = watch(side, await side.url(), protocols)
  await watched.until('open')
  return watched
}

/** The error of a call, as a page can catch it. */
export function thrown(call: () => unknown): unknown {
  try {
    return ['returned', typeof call()]
  } catch (error) {
    return [error instanceof DOMException, (error as Error).name]
  }
}
