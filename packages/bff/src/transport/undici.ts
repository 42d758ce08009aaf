import { type ServiceResponse, type Transport, TransportError } from '@stagepass/contract'
// Imports a path, because under the plain name Bun provides its own module, which has no connections.
import { Client, type Dispatcher, Pool } from 'undici/index.js'
import type { UpstreamDispatcher } from '../settings/BffOptions.js'
import { decode, isCoding } from './decode.js'
import { type Controller, Handshake, type Headers } from './Handshake.js'

/**
 * Connections to one origin. Further requests wait for a free one, which is cheaper than a new connection.
 */
const MAX_CONNECTIONS = 128

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

  const dispatch = (
    origin: string,
    request: object,
    handler: ResponseReader | Handshake,
    dispatcher?: UpstreamDispatcher,
  ): void => {
    try {
      ;(dispatcher ?? dispatcherTo(origin)).dispatch(request, handler)
    } catch (error) {
      handler.onResponseError(
        undefined,
        error instanceof Error ? error : new Error('The dispatcher threw.', { cause: error }),
      )
    }
  }

  return {
    send: ({ origin, method, path, headers, body = null, maxBytes, freshConnection }, signal) =>
      new Promise((resolve, reject) => {
        if (signal.aborted) return reject(new TransportError('aborted', false, signal.reason))
        // A dispatcher of the host knows the way (a proxy, a CA), so it makes the second connection too.
        const client = freshConnection && !given ? new Client(origin, { connect: { timeout } }) : undefined
        // Written out, not spread, because objects of the same shape are faster.
        dispatch(
          origin,
          { origin, method, path, headers, body, headersTimeout: 0, bodyTimeout: 0, maxRedirections: 0 },
          new ResponseReader(maxBytes, signal, resolve, reject),
          client,
        )
        // Closes the connection after the response.
        client?.close().catch(() => undefined)
      }),

    handshake({ origin, path, authorization }, listener) {
      const handshake = new Handshake(listener)
      const headers = { authorization, ...handshake.headers }
      const request = { origin, method: 'GET', path, headers, upgrade: 'websocket', ...PLAIN }
      dispatch(origin, request, handshake)
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

/** A handler of undici that collects the response to one request. It settles once. */
class ResponseReader implements Dispatcher.DispatchHandler {
  readonly #maxBytes: number
  readonly #resolve: (response: ServiceResponse) => void
  readonly #reject: (error: TransportError) => void
  readonly #signal: AbortSignal
  readonly #abort = (): void => this.#fail('aborted', this.#signal.reason)
  #controller: Controller | undefined
  #settled = false
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

  onResponseStart(_: unknown, status: number, headers: Headers): void {
    this.#status = status
    this.#headers = headers
  }

  onResponseData(_: unknown, chunk: Buffer): void {
    this.#bytes += chunk.length
    if (this.#bytes > this.#maxBytes) return this.#fail('too-large', undefined)
    this.#chunks.push(chunk)
  }

  onResponseEnd(): void {
    if (!this.#settle()) return
    const [first] = this.#chunks
    const bytes = this.#chunks.length > 1 ? Buffer.concat(this.#chunks) : first
    const encoding = single(this.#headers['content-encoding'])
    if (bytes && encoding !== undefined && isCoding(encoding)) return void this.#decode(bytes, encoding)
    this.#resolve(this.#responseOf(bytes ? bytes.toString('utf8') : ''))
  }

  /** The request asks for no coding, but some gateways compress every response. */
  async #decode(bytes: Buffer, encoding: string): Promise<void> {
    try {
      const decoded = await decode(bytes, encoding, this.#maxBytes)
      if (decoded) this.#resolve(this.#responseOf(decoded.toString('utf8')))
      else this.#reject(new TransportError('too-large', true, undefined, true))
    } catch {
      this.#resolve(this.#responseOf('', encoding))
    }
  }

  #responseOf(text: string, contentEncoding?: string): ServiceResponse {
    const { date, 'retry-after': retryAfter, 'content-type': contentType, location } = this.#headers
    return {
      status: this.#status,
      text,
      date: single(date),
      retryAfter: single(retryAfter),
      contentType: single(contentType),
      contentEncoding,
      location: single(location),
    }
  }

  onResponseError(_: unknown, error: Error): void {
    this.#fail('unreachable', error)
  }

  #fail(kind: TransportError['kind'], cause: unknown): void {
    if (!this.#settle()) return
    this.#reject(new TransportError(kind, this.#controller !== undefined, cause, this.#status !== 0))
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
