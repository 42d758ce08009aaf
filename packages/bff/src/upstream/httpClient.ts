import { type Dispatcher, Pool } from 'undici'
import type { Ending } from '../context/Cancellation.js'

export interface HttpRequest {
  readonly method: 'GET' | 'POST'
  /** Path and query, every part of it already encoded. */
  readonly path: string
  /** All headers that are sent; nothing is added but Host, Connection and Content-Length. */
  readonly headers: Readonly<Record<string, string>>
  readonly body?: string | undefined
  /** A longer answer is a fault. */
  readonly maxBytes: number
}

export interface HttpAnswer {
  readonly status: number
  readonly text: string
  /** The headers that mean something to us. No other leaves this file. */
  readonly date: string | undefined
  readonly retryAfter: string | undefined
}

/** No answer. `sent` tells whether anything was written: what was not can be sent again, and gives its budget slot back. */
export class HttpFault extends Error {
  override readonly name = 'HttpFault'
  readonly kind: 'unreachable' | 'too-large' | 'aborted'
  readonly sent: boolean

  constructor(kind: HttpFault['kind'], sent: boolean, cause: unknown) {
    super(`The upstream gave no answer: ${kind}.`, { cause })
    this.kind = kind
    this.sent = sent
  }
}

export interface HttpClient {
  /** Rejects with an `HttpFault`, of the kind `aborted` where `ending` comes first. Redirects are answers like any other and never followed. */
  send(request: HttpRequest, ending: Ending): Promise<HttpAnswer>
  /** Ends idle connections now and the busy ones with it. Safe to call twice. */
  close(): Promise<void>
}

/** Connections to one origin. More requests than this wait in line, which is cheaper than another handshake. */
const MAX_CONNECTIONS = 128

const single = (value: string | string[] | undefined): string | undefined =>
  Array.isArray(value) ? value[0] : value

/**
 * Keep-alive connections to one origin. undici's dispatcher is used bare: no cookie jar, no redirects, no cache, no header of its own making,
 * and it tells when a request begins to be written (see docs/decisions/http-client.md).
 */
export function createHttpClient(origin: string, connectTimeoutMs: number): HttpClient {
  const pool = new Pool(origin, {
    connections: MAX_CONNECTIONS,
    connect: { timeout: connectTimeoutMs },
    // The caller's deadline is the only clock: a request has one time limit, not three.
    headersTimeout: 0,
    bodyTimeout: 0,
  })

  return {
    send: (request, ending) =>
      new Promise((resolve, reject) => {
        if (ending.ended) return reject(new HttpFault('aborted', false, ending.ended))
        const exchange = new Exchange(request.maxBytes, ending, resolve, reject)
        pool.dispatch(
          {
            method: request.method,
            path: request.path,
            headers: request.headers,
            body: request.body ?? null,
          },
          exchange,
        )
      }),

    close: () => pool.destroy(),
  }
}

/** One request on its way: started, then answered or failed, exactly once. */
class Exchange implements Dispatcher.DispatchHandler {
  readonly #maxBytes: number
  readonly #resolve: (answer: HttpAnswer) => void
  readonly #reject: (fault: HttpFault) => void
  readonly #forget: () => void
  #controller: Dispatcher.DispatchController | undefined
  #settled = false
  #status = 0
  #date: string | undefined
  #retryAfter: string | undefined
  #first: Buffer | undefined
  #more: Buffer[] | undefined
  #bytes = 0

  constructor(
    maxBytes: number,
    ending: Ending,
    resolve: (answer: HttpAnswer) => void,
    reject: (fault: HttpFault) => void,
  ) {
    this.#maxBytes = maxBytes
    this.#resolve = resolve
    this.#reject = reject
    this.#forget = ending.onEnd((why) => this.#fail('aborted', why))
  }

  onRequestStart(controller: Dispatcher.DispatchController): void {
    // It waited for a connection longer than anybody waited for it.
    if (this.#settled) return controller.abort(new Error('given up'))
    this.#controller = controller
  }

  onResponseStart(
    _controller: Dispatcher.DispatchController,
    status: number,
    headers: Record<string, string | string[] | undefined>,
  ): void {
    this.#status = status
    this.#date = single(headers['date'])
    this.#retryAfter = single(headers['retry-after'])
  }

  onResponseData(_controller: Dispatcher.DispatchController, chunk: Buffer): void {
    this.#bytes += chunk.length
    if (this.#bytes > this.#maxBytes) return this.#fail('too-large', undefined)
    if (!this.#first) this.#first = chunk
    else (this.#more ??= [this.#first]).push(chunk)
  }

  onResponseEnd(): void {
    if (!this.#settle()) return
    const bytes = this.#more ? Buffer.concat(this.#more) : this.#first
    this.#resolve({
      status: this.#status,
      text: bytes ? bytes.toString('utf8') : '',
      date: this.#date,
      retryAfter: this.#retryAfter,
    })
  }

  onResponseError(_controller: Dispatcher.DispatchController, error: Error): void {
    this.#fail('unreachable', error)
  }

  #fail(kind: HttpFault['kind'], cause: unknown): void {
    if (!this.#settle()) return
    this.#reject(new HttpFault(kind, this.#controller !== undefined, cause))
    this.#controller?.abort(new Error('given up'))
  }

  /** True the first time. */
  #settle(): boolean {
    if (this.#settled) return false
    this.#settled = true
    this.#forget()
    return true
  }
}
