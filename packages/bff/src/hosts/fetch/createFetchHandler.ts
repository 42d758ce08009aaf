import type { IncomingBody, IncomingRequest } from '../../front/http/IncomingRequest.js'
import { readText } from '../../base/readText.js'
import type { OutgoingResponse } from '../../front/http/OutgoingResponse.js'
import { toOrigin } from '../toOrigin.js'
import { joinVary } from '../joinVary.js'

/** A request handler of hosts with `Request` and `Response`. */
export type FetchHandler<TRequest = Request> = (request: TRequest) => Promise<Response>

const METHODS = ['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS'] as const

/**
 * The exports of a `route.ts` of the Next.js App Router: one handler for each method, so that a wrong method
 * gets our 405.
 */
export type FetchHandlers<TRequest = Request> = Readonly<
  Record<(typeof METHODS)[number], FetchHandler<TRequest>>
>

/** `handle` resolves with `undefined` if no response is to be sent. */
export function createFetchHandler<TRequest extends Request>(
  handle: (request: IncomingRequest) => Promise<OutgoingResponse | undefined>,
): FetchHandler<TRequest> {
  return async (request) => {
    const incoming = new FetchRequest(request)
    try {
      const response = await handle(incoming)
      // The client has closed the connection. nginx logs this as 499.
      if (!response) return new Response(null, { status: 499 })
      const { status, headers, body } = response
      const isEmpty = body === '' || request.method === 'HEAD'
      return new Response(isEmpty ? null : body, {
        status,
        headers: incoming.added ? { ...incoming.added, ...headers } : headers,
      })
    } finally {
      incoming.release()
    }
  }
}

export function createHandlers<TRequest>(fetch: FetchHandler<TRequest>): FetchHandlers<TRequest> {
  const handlers = METHODS.map((method) => [method, fetch])
  return Object.fromEntries(handlers) as FetchHandlers<TRequest> // the keys are the methods
}

class FetchRequest implements IncomingRequest {
  readonly hostRequest: Request
  /** Headers for the response. */
  added: Readonly<Record<string, string>> | undefined
  /** Path and query, without the origin and the fragment. */
  readonly url: string
  readonly #origin: string
  #reader: ReadableStreamDefaultReader<Uint8Array> | undefined
  /** Kept, because Hono creates the signal at the first access. */
  #signal: AbortSignal | undefined
  #onAbort: (() => void) | undefined

  constructor(request: Request) {
    this.hostRequest = request
    const { url } = request
    const pathAt = url.indexOf('/', url.indexOf('://') + 3)
    const fragmentAt = url.indexOf('#', pathAt)
    this.url = url.slice(pathAt, fragmentAt === -1 ? undefined : fragmentAt)
    this.#origin = url.slice(0, pathAt)
  }

  get method(): string {
    return this.hostRequest.method
  }

  get urlFromRoot(): string {
    return this.url
  }

  header(name: string): string | undefined {
    return this.hostRequest.headers.get(name) ?? undefined
  }

  /**
   * In Next.js the public host name is in `Host`, and the URL has another one. In HTTP/2 it is only in the
   * URL.
   */
  ownOrigin(): string | undefined {
    const [scheme = '', host] = this.#origin.split('://')
    return toOrigin(scheme, this.header('host') ?? host)
  }

  /** A `Request` does not contain the address of its connection. */
  isOnLoopback(): boolean {
    return false
  }

  body(): IncomingBody {
    const request = this.hostRequest
    if (request.bodyUsed || (!this.#hasTextOfHost() && request.body?.locked)) return { state: 'consumed' }
    const read = (maxBytes: number): Promise<string | undefined> =>
      this.#read(maxBytes)
        // Treat a failed body as truncated.
        .catch(() => '')
    return { state: 'stream', begun: false, read }
  }

  addHeaders(headers: Readonly<Record<string, string>>): void {
    const { Vary: vary, ...others } = headers
    const joined = vary === undefined ? {} : { Vary: joinVary(this.added?.Vary, vary) }
    this.added = { ...this.added, ...others, ...joined }
  }

  isAnswered(): boolean {
    return false
  }

  onClose(listener: () => void): void {
    const { signal } = this.hostRequest
    if (signal.aborted) return listener()
    this.#signal = signal
    this.#onAbort = listener
    signal.addEventListener('abort', listener)
  }

  /**
   * Called after the response. The signal may live longer than the request, and the body may not have been
   * read to its end.
   */
  release(): void {
    if (this.#onAbort) this.#signal?.removeEventListener('abort', this.#onAbort)
    // This rejects if the client has closed the connection.
    this.#reader?.cancel().catch(() => undefined)
  }

  /**
   * True if the server has its own `Request` class, as Hono on Node. Its connection ends the body at the
   * length of the header, so the body can be read with `text`, which takes a fifth of the time of a stream.
   * For a `Request` of the runtime, the header proves nothing: code may have created it.
   */
  #hasTextOfHost(): boolean {
    return (
      this.header('content-length') !== undefined && Reflect.get(this.hostRequest, 'text') !== runtimeText
    )
  }

  async #read(maxBytes: number): Promise<string | undefined> {
    if (this.#hasTextOfHost()) return withinBytes(await this.hostRequest.text(), maxBytes)
    // Firefox has no stream of a request's body.
    const { body } = this.hostRequest as { readonly body?: Request['body'] }
    if (body === null) return ''
    if (body === undefined) return withinBytes(await this.hostRequest.text(), maxBytes)
    this.#reader = body.getReader()
    return readText(this.#reader, maxBytes)
  }
}

/** The method of the runtime's own class. A server may replace the global class later. */
const runtimeText: unknown = Reflect.get(globalThis.Request?.prototype ?? {}, 'text')

function withinBytes(text: string, maxBytes: number): string | undefined {
  // A UTF-16 unit is at most three bytes.
  if (text.length * 3 <= maxBytes) return text
  return new TextEncoder().encode(text).length > maxBytes ? undefined : text
}
