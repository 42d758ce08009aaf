import type { Cancellation } from '../context/Cancellation.js'
import type { Connections, DispatchRequest, DispatchListener, ResponseHeaders } from './dispatcher.js'

export type HttpRequest = Omit<DispatchRequest, 'upgrade'>

export interface HttpResponse {
  readonly status: number
  readonly text: string
  /** The only headers of a response that leave this file. */
  readonly date: string | undefined
  readonly retryAfter: string | undefined
}

/** There is no response. `sent`: something was written to a socket. If not, the request can be sent again, and its budget slot is unused. */
export class HttpError extends Error {
  override readonly name = 'HttpError'
  readonly kind: 'unreachable' | 'too-large' | 'aborted'
  readonly sent: boolean

  constructor(kind: HttpError['kind'], sent: boolean, cause: unknown) {
    super(`The upstream gave no response: ${kind}.`, { cause })
    this.kind = kind
    this.sent = sent
  }
}

export interface HttpClient {
  /** Rejects with an `HttpError`, of the kind `aborted` after a cancellation. Redirects are not followed: they are responses like any other. */
  send(request: HttpRequest, cancellation: Cancellation): Promise<HttpResponse>
}

const single = (value: string | string[] | undefined): string | undefined =>
  Array.isArray(value) ? value[0] : value

/**
 * Sends requests and collects responses of at most `maxBytes`. undici's dispatcher is used directly: it has no cookies, redirects, cache or
 * headers of its own, and it reports when a request begins to be written (see docs/decisions/http-client.md).
 */
export function createHttpClient(connections: Connections, maxBytes: number): HttpClient {
  return {
    send: (request, cancellation) =>
      new Promise((resolve, reject) => {
        if (cancellation.cancelled) return reject(new HttpError('aborted', false, cancellation.cancelled))
        connections.dispatch(request, new ResponseReader(maxBytes, cancellation, resolve, reject))
      }),
  }
}

/** Collects the response to one request. It settles once. */
class ResponseReader implements DispatchListener {
  readonly #maxBytes: number
  readonly #resolve: (response: HttpResponse) => void
  readonly #reject: (error: HttpError) => void
  readonly #forget: () => void
  #controller: { abort(reason: Error): void } | undefined
  #settled = false
  #status = 0
  #headers: ResponseHeaders = {}
  #first: Buffer | undefined
  #more: Buffer[] | undefined
  #bytes = 0

  constructor(
    maxBytes: number,
    cancellation: Cancellation,
    resolve: (response: HttpResponse) => void,
    reject: (error: HttpError) => void,
  ) {
    this.#maxBytes = maxBytes
    this.#resolve = resolve
    this.#reject = reject
    this.#forget = cancellation.onCancel((reason) => this.#fail('aborted', reason))
  }

  onStart(controller: { abort(reason: Error): void }): void {
    // The request was cancelled while it waited for a connection.
    if (this.#settled) return controller.abort(new Error('cancelled'))
    this.#controller = controller
  }

  onResponse(status: number, headers: ResponseHeaders): void {
    this.#status = status
    this.#headers = headers
  }

  onData(chunk: Buffer): void {
    this.#bytes += chunk.length
    if (this.#bytes > this.#maxBytes) return this.#fail('too-large', undefined)
    if (!this.#first) this.#first = chunk
    else (this.#more ??= [this.#first]).push(chunk)
  }

  onEnd(): void {
    if (!this.#settle()) return
    const bytes = this.#more ? Buffer.concat(this.#more) : this.#first
    const { date, 'retry-after': retryAfter } = this.#headers
    const text = bytes ? bytes.toString('utf8') : ''
    this.#resolve({ status: this.#status, text, date: single(date), retryAfter: single(retryAfter) })
  }

  onError(error: Error): void {
    this.#fail('unreachable', error)
  }

  #fail(kind: HttpError['kind'], cause: unknown): void {
    if (!this.#settle()) return
    this.#reject(new HttpError(kind, this.#controller !== undefined, cause))
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
