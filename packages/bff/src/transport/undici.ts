import type { Duplex } from 'node:stream'
import { type ServiceResponse, type Transport, TransportError } from '@stagepass/contract'
// The path, because Bun has a module of its own under the name alone, without connections.
import { Pool } from 'undici/index.js'
import type { UpstreamDispatcher } from '../settings/BffOptions.js'
import { type Controller, Handler, type Headers } from './Handler.js'
import { Handshake } from './Handshake.js'

/** Connections to one origin. Further requests wait for one, which is cheaper than another handshake. */
const MAX_CONNECTIONS = 128

const CONNECT_TIMEOUT_MS = 10_000

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
    send: ({ origin, method, path, headers, body = null, maxBytes }, signal) =>
      new Promise((resolve, reject) => {
        if (signal.aborted) return reject(new TransportError('aborted', false, signal.reason))
        const reader = new ResponseReader(maxBytes, signal, resolve, reject)
        // Written out, not spread: an object of one shape for every request is cheaper.
        dispatch(
          origin,
          { origin, method, path, headers, body, headersTimeout: 0, bodyTimeout: 0, maxRedirections: 0 },
          reader,
        )
      }),

    handshake({ origin, path, authorization }, listener) {
      const handshake = new Handshake(listener)
      const headers = { authorization, ...handshake.headers }
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

const single = (value: string | string[] | undefined): string | undefined =>
  Array.isArray(value) ? value[0] : value

/** Collects the response to one request. It settles once. */
class ResponseReader extends Handler {
  readonly #maxBytes: number
  readonly #resolve: (response: ServiceResponse) => void
  readonly #reject: (error: TransportError) => void
  readonly #signal: AbortSignal
  readonly #abort = (): void => this.#fail('aborted', this.#signal.reason)
  #controller: Controller | undefined
  #settled = false
  #status = 0
  #headers: Headers = {}
  #first: Buffer | undefined
  #more: Buffer[] | undefined
  #bytes = 0

  constructor(
    maxBytes: number,
    signal: AbortSignal,
    resolve: (response: ServiceResponse) => void,
    reject: (error: TransportError) => void,
  ) {
    super()
    this.#maxBytes = maxBytes
    this.#resolve = resolve
    this.#reject = reject
    this.#signal = signal
    signal.addEventListener('abort', this.#abort, { once: true })
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
    this.#signal.removeEventListener('abort', this.#abort)
    return true
  }
}
