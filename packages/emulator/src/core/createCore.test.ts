import { expect, it } from 'vitest'
import { createCore } from './createCore.js'
import type { EmulatorCore } from './EmulatorCore.js'
import { respond, delay, drop, fail } from './faults/faults.js'
import type { CoreOptions } from './options.js'
import type { Platform } from './platform/Platform.js'
import type { EncodedResponse, RequestHeaders } from './request/http.js'
import type { Connection, SocketListener } from './Transport.js'

// The core with a transport and a time in memory: no server, no socket, no timer of the host.

function createTimers() {
  let nowMs = Date.parse('2026-03-02T12:00:00.000Z')
  const timers = new Set<{ atMs: number; task: () => void }>()
  const after: Platform['after'] = (delayMs, task) => {
    const timer = { atMs: nowMs + delayMs, task }
    timers.add(timer)
    return () => timers.delete(timer)
  }
  const run = (ms: number): void => {
    nowMs += ms
    for (const timer of [...timers].filter(({ atMs }) => atMs <= nowMs)) {
      timers.delete(timer)
      timer.task()
    }
  }
  return { now: () => nowMs, after, run }
}

function createConnection() {
  const listeners: ((complete: boolean) => void)[] = []
  const seen: { response: EncodedResponse | undefined; destroyed: boolean } = {
    response: undefined,
    destroyed: false,
  }
  const close = (complete: boolean): void => listeners.splice(0).forEach((listener) => listener(complete))
  const connection: Connection = {
    onClose: (listener) => listeners.push(listener),
    respond(response) {
      seen.response = response
      close(true)
    },
    destroy() {
      seen.destroyed = true
      close(false)
    },
  }
  return { connection, seen, close }
}

function request(core: EmulatorCore, target: string, headers: RequestHeaders, body?: unknown) {
  const { connection, seen, close } = createConnection()
  core.handleRequest({
    method: body === undefined ? 'GET' : 'POST',
    target,
    headers: { 'content-type': 'application/json', ...headers },
    connection,
    readBody: (_limit, done) =>
      done(new TextEncoder().encode(body === undefined ? '' : JSON.stringify(body))),
  })
  return { seen, close }
}

function readJson({ response }: { response: EncodedResponse | undefined }): Record<string, unknown> {
  if (response?.body.type !== 'text') throw new Error('There is no response with a text.')
  return JSON.parse(response.body.text) as Record<string, unknown>
}

function start(options: CoreOptions = {}) {
  const timers = createTimers()
  const core = createCore(options, timers)
  const mint = () =>
    request(
      core,
      '/v2/sdk/tokens/session',
      { authorization: `api-key ${core.handle.apiKey}` },
      { usage_type: 'stt' },
    )
  return { core, timers, mint }
}

function openStream(core: EmulatorCore, sessionKey: string) {
  const { connection, seen } = createConnection()
  const sent: (string | Uint8Array)[] = []
  let listener: SocketListener | undefined
  core.handleUpgrade({
    method: 'GET',
    target: `/stt?authorization=${encodeURIComponent(`api-key ${sessionKey}`)}`,
    headers: {},
    connection,
    accept(listen) {
      listener = listen({
        isOpen: () => true,
        send: (data) => sent.push(data),
        close: (code, reason) => sent.push(`close ${code} ${reason}`),
        reset: () => undefined,
        terminate: () => undefined,
        freeze: () => undefined,
      })
    },
    breakOff: (done) => done(),
  })
  return { seen, sent, receive: (data: string | Uint8Array) => listener?.received(data) }
}

it('mints a token, opens a stream with it, and sends every message back', () => {
  const { core, mint } = start({ echo: true })
  const { seen } = mint()
  expect(seen.response?.status).toBe(200)
  expect(seen.response?.headers.date).toBe('Mon, 02 Mar 2026 12:00:00 GMT')
  const { session_key } = readJson(seen).data as { session_key: string }

  const stream = openStream(core, session_key)
  stream.receive('grüße')
  stream.receive(Uint8Array.of(1, 2, 3))
  expect(stream.sent).toEqual(['grüße', Uint8Array.of(1, 2, 3)])
  expect(core.handle.sockets[0]?.received).toEqual({ text: 1, binary: 1, bytes: 10 })
  expect(core.handle.requests.map(({ status }) => status)).toEqual([200, 101])
})

it('refuses a handshake, and closes a socket when its token expires', () => {
  const { core, timers, mint } = start({ cutAtExpiry: true })
  expect(openStream(core, 'unknown').seen.response?.status).toBe(403)
  const { session_key } = readJson(mint().seen).data as { session_key: string }
  const { sent } = openStream(core, session_key)
  timers.run(24 * 3_600_000)
  expect(sent).toEqual(['close 1008 unauthorized'])
})

it('applies faults and latency by the time and the connections of its host', () => {
  const { core, timers, mint } = start({ latency: { ms: 100 } })
  core.handle.use(fail('CACHE_UNAVAILABLE', { times: 1 }))
  core.handle.use(delay(20, { times: 1 }))
  const { seen } = mint()
  timers.run(70)
  expect(seen.response).toBeUndefined()
  timers.run(50)
  expect(seen.response?.status).toBe(502)

  const left = mint()
  left.close(false)
  timers.run(1_000)
  timers.run(1_000)
  expect(left.seen.response).toBeUndefined()
  expect(core.handle.tokens.size).toBe(0)

  core.handle.use(drop({ when: 'before-reading' }))
  expect(mint().seen).toEqual({ response: undefined, destroyed: true })
  expect(core.handle.requests.map(({ aborted }) => aborted)).toEqual([false, true, false])
})

it('answers 500 to a handshake whose response cannot be encoded', () => {
  const onError: unknown[] = []
  const { core } = start({ onError: (error) => onError.push(error) })
  core.handle.use(respond({ status: 503, body: 1n }, { on: 'handshake' }))
  expect(openStream(core, 'unknown').seen.response?.status).toBe(500)
  expect(onError).toEqual([expect.any(TypeError)])
})
