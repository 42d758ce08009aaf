import { createHash, randomBytes } from 'node:crypto'
import type { Duplex } from 'node:stream'
import {
  type Cancellable,
  type HandshakeListener,
  type ServiceResponse,
  type Transport,
  TransportError,
} from '@stagepass/contract'
// The path, because Bun has a module of its own under the name alone, without connections.
import { type Dispatcher, Pool } from 'undici/index.js'
import type { UpstreamDispatcher } from '../settings/BffOptions.js'
import { readFrames } from './readFrames.js'

/** Connections to one origin. Further requests wait for one, which is cheaper than another handshake. */
const MAX_CONNECTIONS = 128

const CONNECT_TIMEOUT_MS = 10_000

/** The first bytes of a refused handshake that count. */
const MAX_REFUSAL_BYTES = 4_096

export interface UndiciOptions {
  /** The host's. Default: connections of its own, which `close` ends. */
  readonly dispatcher?: UpstreamDispatcher | undefined
  /** No connection needs longer to open. */
  readonly deadlineMs: number
}

/**
 * The transport of Node, Bun and Deno. undici's dispatcher is used directly: it has no cookies, redirects,
 * cache or headers of its own, and it reports when a request begins to be written (see
 * docs/decisions/http-client.md).
 */
export function createUndiciTransport({ dispatcher: given, deadlineMs }: UndiciOptions): Transport {
  const pools = new Map<string, Pool>()
  const timeout = Math.min(deadlineMs, CONNECT_TIMEOUT_MS)
  let isClosed = false

  const dispatcherTo = (origin: string): UpstreamDispatcher => {
    if (given) return given
    let pool = pools.get(origin)
    if (!pool) {
      if (isClosed) throw new Error('The transport is closed.')
      pool = new Pool(origin, { connections: MAX_CONNECTIONS, connect: { timeout } })
      pools.set(origin, pool)
    }
    return pool
  }

  // The caller's deadline is the only time limit. A dispatcher of the host may follow redirects; ours are
  // responses like any other.
  const dispatch = (origin: string, request: object, handler: Handler): void => {
    try {
      dispatcherTo(origin).dispatch(request, handler)
    } catch (error) {
      handler.failed(error instanceof Error ? error : new Error('The dispatcher threw.', { cause: error }))
    }
  }

  return {
    send: ({ origin, method, path, headers, body = null, maxBytes }, cancellation) =>
      new Promise((resolve, reject) => {
        if (cancellation.cancelled)
          return reject(new TransportError('aborted', false, cancellation.cancelled))
        const reader = new ResponseReader(maxBytes, cancellation, resolve, reject)
        // Written out, not spread: an object of one shape for every request is cheaper.
        dispatch(
          origin,
          { origin, method, path, headers, body, headersTimeout: 0, bodyTimeout: 0, maxRedirections: 0 },
          reader,
        )
      }),

    handshake({ origin, path, authorization }, listener) {
      const key = randomBytes(16).toString('base64')
      const headers = { authorization, 'sec-websocket-key': key, 'sec-websocket-version': '13' }
      const handshake = new Handshake(acceptOf(key), listener)
      dispatch(
        origin,
        {
          origin,
          method: 'GET',
          path,
          headers,
          upgrade: 'websocket',
          headersTimeout: 0,
          bodyTimeout: 0,
          maxRedirections: 0,
        },
        handshake,
      )
      return () => handshake.end()
    },

    async close() {
      isClosed = true
      await Promise.all([...pools.values()].map((pool) => pool.destroy()))
    },
  }
}

/** The value that a server makes of the key to show that it speaks WebSocket. (RFC 6455, section 4.2.2.) */
const acceptOf = (key: string): string =>
  createHash('sha1').update(`${key}258EAFA5-E914-47DA-95CA-C5AB0DC85B11`).digest('base64')

type Headers = Readonly<Record<string, string | string[] | undefined>>
type Controller = Pick<Dispatcher.DispatchController, 'abort'>

/**
 * A handler in both forms. undici 7 and later call the methods above the line; undici 6, which is also Node's
 * own up to version 22, calls those below it. A dispatcher of the host may be either.
 */
abstract class Handler implements Dispatcher.DispatchHandler {
  /** undici begins to write the request. */
  abstract started(controller: Controller): void
  abstract responded(status: number, headers: Headers): void
  abstract received(chunk: Buffer): void
  abstract completed(): void
  abstract failed(error: Error): void
  /** In place of a response, if the request asked for an upgrade. */
  abstract upgraded(headers: Headers, socket: Duplex): void

  onRequestStart(controller: Dispatcher.DispatchController): void {
    this.started(controller)
  }
  onRequestUpgrade(_: unknown, _status: number, headers: Headers, socket: Duplex): void {
    this.upgraded(headers, socket)
  }
  onResponseStart(_: unknown, status: number, headers: Headers): void {
    this.responded(status, headers)
  }
  onResponseData(_: unknown, chunk: Buffer): void {
    this.received(chunk)
  }
  onResponseEnd(): void {
    this.completed()
  }
  onResponseError(_: unknown, error: Error): void {
    this.failed(error)
  }

  // --- undici 6 ---

  onConnect(abort: (reason?: Error) => void): void {
    this.started({ abort })
  }
  onUpgrade(_status: number, headers: readonly (Buffer | string)[] | null, socket: Duplex): void {
    this.upgraded(readHeaders(headers ?? []), socket)
  }
  onHeaders(status: number, headers: readonly Buffer[]): boolean {
    this.responded(status, readHeaders(headers))
    return true
  }
  onData(chunk: Buffer): boolean {
    this.received(chunk)
    return true
  }
  onComplete(): void {
    this.completed()
  }
  onError(error: Error): void {
    this.failed(error)
  }
}

/** undici 6 gives names and values in turn. */
function readHeaders(raw: readonly (Buffer | string)[]): Headers {
  const headers: Record<string, string> = {}
  for (let at = 0; at + 1 < raw.length; at += 2)
    headers[String(raw[at]).toLowerCase()] ??= String(raw[at + 1])
  return headers
}

const single = (value: string | string[] | undefined): string | undefined =>
  Array.isArray(value) ? value[0] : value

/** Collects the response to one request. It settles once. */
class ResponseReader extends Handler {
  readonly #maxBytes: number
  readonly #resolve: (response: ServiceResponse) => void
  readonly #reject: (error: TransportError) => void
  readonly #forget: () => void
  #controller: Controller | undefined
  #settled = false
  #status = 0
  #headers: Headers = {}
  #first: Buffer | undefined
  #more: Buffer[] | undefined
  #bytes = 0

  constructor(
    maxBytes: number,
    cancellation: Cancellable,
    resolve: (response: ServiceResponse) => void,
    reject: (error: TransportError) => void,
  ) {
    super()
    this.#maxBytes = maxBytes
    this.#resolve = resolve
    this.#reject = reject
    this.#forget = cancellation.onCancel((reason) => this.#fail('aborted', reason))
  }

  started(controller: Controller): void {
    // The request was cancelled while it waited for a connection.
    if (this.#settled) return controller.abort(new Error('cancelled'))
    this.#controller = controller
  }

  responded(status: number, headers: Headers): void {
    this.#status = status
    this.#headers = headers
  }

  received(chunk: Buffer): void {
    this.#bytes += chunk.length
    if (this.#bytes > this.#maxBytes) return this.#fail('too-large', undefined)
    if (!this.#first) this.#first = chunk
    else (this.#more ??= [this.#first]).push(chunk)
  }

  completed(): void {
    if (!this.#settle()) return
    const bytes = this.#more ? Buffer.concat(this.#more) : this.#first
    const { date, 'retry-after': retryAfter } = this.#headers
    const text = bytes ? bytes.toString('utf8') : ''
    this.#resolve({ status: this.#status, text, date: single(date), retryAfter: single(retryAfter) })
  }

  failed(error: Error): void {
    this.#fail('unreachable', error)
  }

  /** Nothing asked for it. */
  upgraded(_headers: Headers, socket: Duplex): void {
    socket.destroy()
  }

  #fail(kind: TransportError['kind'], cause: unknown): void {
    if (!this.#settle()) return
    this.#reject(new TransportError(kind, this.#controller !== undefined, cause))
    this.#controller?.abort(new Error('cancelled'))
  }

  /** True the first time. */
  #settle(): boolean {
    if (this.#settled) return false
    this.#settled = true
    this.#forget()
    return true
  }
}

/** Tells the listener what comes of one upgrade request. */
class Handshake extends Handler {
  readonly #accept: string
  readonly #listener: HandshakeListener
  #controller: Controller | undefined
  #socket: Duplex | undefined
  #ended = false
  #status: number | undefined
  #body = ''

  constructor(accept: string, listener: HandshakeListener) {
    super()
    this.#accept = accept
    this.#listener = listener
  }

  end(): void {
    this.#ended = true
    this.#controller?.abort(new Error('cancelled'))
    this.#socket?.destroy()
  }

  started(controller: Controller): void {
    this.#controller = controller
    if (this.#ended) controller.abort(new Error('cancelled'))
  }

  upgraded(headers: Headers, socket: Duplex): void {
    // A socket that is closed while it is read emits an error.
    socket.on('error', () => undefined)
    if (this.#ended) return void socket.destroy()
    this.#socket = socket
    if (headers['sec-websocket-accept'] !== this.#accept) {
      this.responded(101)
      return this.completed()
    }
    this.#listener.onOpen()
    readFrames(socket, {
      onText: (text) => this.#ended || this.#listener.onText(text),
      onClose: (code, reason) => this.#ended || this.#listener.onClose(code, reason),
    })
  }

  responded(status: number): void {
    if (this.#ended) return
    this.#status = status
    this.#listener.onRefused(status)
  }

  received(chunk: Buffer): void {
    this.#body += chunk.toString('utf8')
    if (this.#body.length > MAX_REFUSAL_BYTES) this.completed()
  }

  completed(): void {
    if (this.#ended) return
    this.end()
    this.#listener.onBody(this.#body)
  }

  failed(error: Error): void {
    if (this.#ended) return
    // A body that breaks off counts as far as it came.
    if (this.#status !== undefined) return this.completed()
    this.#ended = true
    this.#listener.onError(error)
  }
}
