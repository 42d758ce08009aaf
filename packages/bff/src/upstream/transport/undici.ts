import { type ServiceResponse, type Transport, TransportError } from '@stagepass/contract'
// Imports a path, because under the plain name Bun provides its own module, which has no connections.
import { type Dispatcher, Pool } from 'undici/index.js'
import { MAX_IN_FLIGHT } from '../createConcurrencyLimit.js'
import type { UpstreamDispatcher } from '../../settings/BffOptions.js'
import { decode } from './decode.js'
import { type Controller, Handshake, type Headers } from './Handshake.js'

const CONNECT_TIMEOUT_MS = 10_000

/**
 * The caller's deadline is the only time limit. Redirects are turned off, because a dispatcher of the host
 * may follow them.
 */
const PLAIN = { headersTimeout: 0, bodyTimeout: 0, maxRedirections: 0 }

export interface UndiciOptions {
  /** The host's dispatcher. Default: own connections, which `close` closes. */
  readonly dispatcher?: UpstreamDispatcher | undefined
  /** Also the longest time to open a connection. */
  readonly deadlineMs: number
}

/**
 * The transport of Node, Bun and Deno. It uses undici's dispatcher directly, because a dispatcher adds no
 * cookies, redirects, cache or headers, and reports when it begins to write a request (see
 * docs/decisions/http-client.md).
 */
export function createUndiciTransport({ dispatcher: given, deadlineMs }: UndiciOptions): Transport {
  const pools = new Map<string, Pool>()
  /** The pools whose connections carry one request each. So none of them is ever idle. */
  const freshPools = new Map<string, Pool>()
  const timeout = Math.min(deadlineMs, CONNECT_TIMEOUT_MS)
  let isClosed = false

  const dispatcherTo = (origin: string, fresh: boolean): UpstreamDispatcher => {
    // The host's dispatcher cannot be told to open a connection.
    if (given) return given
    const all = fresh ? freshPools : pools
    let pool = all.get(origin)
    if (!pool) {
      if (isClosed) throw new Error('The transport is closed.')
      pool = new Pool(origin, { connections: MAX_IN_FLIGHT.ofAll, connect: { timeout } })
      all.set(origin, pool)
    }
    return pool
  }

  const dispatch = (
    origin: string,
    fresh: boolean,
    request: object,
    handler: ResponseReader | Handshake,
  ): void => {
    try {
      dispatcherTo(origin, fresh).dispatch(request, handler)
    } catch (error) {
      handler.onResponseError(
        undefined,
        error instanceof Error ? error : new Error('The dispatcher threw.', { cause: error }),
      )
    }
  }

  return {
    send: ({ origin, method, path, headers, body = null, maxBytes, fresh = false }, signal) =>
      new Promise((resolve, reject) => {
        if (signal.aborted) return reject(new TransportError('aborted', false, false, signal.reason))
        // `reset`: the connection closes after the response.
        dispatch(
          origin,
          fresh,
          {
            origin,
            method,
            path,
            headers,
            body,
            reset: fresh,
            headersTimeout: 0,
            bodyTimeout: 0,
            maxRedirections: 0,
          },
          new ResponseReader(maxBytes, signal, resolve, reject),
        )
      }),

    handshake({ origin, path, authorization }, listener) {
      const handshake = new Handshake(listener)
      const headers = { authorization, 'accept-encoding': 'identity', ...handshake.headers }
      const request = { origin, method: 'GET', path, headers, upgrade: 'websocket', ...PLAIN }
      // The WebSocket takes its connection along, so an idle one would save nothing, and may be closed
      // already.
      dispatch(origin, true, request, handshake)
      return () => handshake.end()
    },

    async close() {
      isClosed = true
      await Promise.all([...pools.values(), ...freshPools.values()].map((pool) => pool.destroy()))
    },
  }
}

const single = (value: string | string[] | undefined): string | undefined =>
  Array.isArray(value) ? value[0] : value

/** A handler of undici that collects the response to one request. It settles once. */
class ResponseReader implements Dispatcher.DispatchHandler {
  readonly #maxBytes: number
  readonly #resolve: (response: ServiceResponse) => void
  readonly #reject: (error: TransportError) => void
  readonly #signal: AbortSignal
  readonly #abort = (): void => this.#fail('aborted', this.#signal.reason)
  #controller: Controller | undefined
  #settled = false
  #answered = false
  #status = 0
  #headers: Headers = {}
  readonly #chunks: Buffer[] = []
  #bytes = 0

  constructor(
    maxBytes: number,
    signal: AbortSignal,
    resolve: (response: ServiceResponse) => void,
    reject: (error: TransportError) => void,
  ) {
    this.#maxBytes = maxBytes
    this.#resolve = resolve
    this.#reject = reject
    this.#signal = signal
    signal.addEventListener('abort', this.#abort, { once: true })
  }

  /** Called when undici begins to write the request. */
  onRequestStart(controller: Controller): void {
    // The request was cancelled while it waited for a connection.
    if (this.#settled) return controller.abort(new Error('cancelled'))
    this.#controller = controller
  }

  /** Called at the first byte of a response. A dispatcher of the host may not pass it on. */
  onResponseStarted(): void {
    this.#answered = true
  }

  onResponseStart(_: unknown, status: number, headers: Headers): void {
    this.#answered = true
    this.#status = status
    this.#headers = headers
  }

  onResponseData(_: unknown, chunk: Buffer): void {
    this.#bytes += chunk.length
    if (this.#bytes > this.#maxBytes) return this.#fail('too-large', undefined)
    this.#chunks.push(chunk)
  }

  onResponseEnd(): void {
    const [first] = this.#chunks
    const bytes = this.#chunks.length > 1 ? Buffer.concat(this.#chunks) : first
    const { 'content-encoding': encoding } = this.#headers
    if (encoding !== undefined && bytes) this.#decode(bytes, String(encoding))
    else this.#succeed(bytes ? bytes.toString('utf8') : '', undefined)
  }

  /** The requests ask for no encoding, but some gateways encode every response. */
  #decode(bytes: Buffer, encoding: string): void {
    void decode(bytes, encoding, this.#maxBytes).then((decoded) => {
      if (decoded === 'too-large') this.#fail('too-large', undefined)
      else if (decoded === 'unreadable') this.#succeed('', encoding)
      else this.#succeed(decoded.toString('utf8'), undefined)
    })
  }

  #succeed(text: string, contentEncoding: string | undefined): void {
    if (!this.#settle()) return
    const { date, 'retry-after': retryAfter, 'content-type': contentType, location } = this.#headers
    this.#resolve({
      status: this.#status,
      text,
      date: single(date),
      retryAfter: single(retryAfter),
      contentType: single(contentType),
      contentEncoding,
      location: single(location),
    })
  }

  onResponseError(_: unknown, error: Error): void {
    this.#fail('unreachable', error)
  }

  #fail(kind: TransportError['kind'], cause: unknown): void {
    if (!this.#settle()) return
    const sent = this.#controller !== undefined
    this.#reject(new TransportError(kind, sent, this.#answered, cause))
    this.#controller?.abort(new Error('cancelled'))
  }

  /** Returns true at the first call. */
  #settle(): boolean {
    if (this.#settled) return false
    this.#settled = true
    this.#signal.removeEventListener('abort', this.#abort)
    return true
  }
}
