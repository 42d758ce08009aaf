import type { IncomingBody, IncomingRequest } from '../request/IncomingRequest.js'
import { readText } from '../platform/readText.js'
import type { OutgoingResponse } from '../request/OutgoingResponse.js'
import { toOrigin } from '../request/toOrigin.js'

/** A request handler of hosts that speak `Request` and `Response`. */
export type FetchHandler<TRequest = Request> = (request: TRequest) => Promise<Response>

const METHODS = ['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS'] as const

/**
 * What a `route.ts` of the Next.js App Router exports: one handler under the name of each method, so that a
 * wrong method gets our 405.
 */
export type FetchHandlers<TRequest = Request> = Readonly<
  Record<(typeof METHODS)[number], FetchHandler<TRequest>>
>

/** `handle` resolves with `undefined` if nothing is to be sent. */
export function createFetchHandler<TRequest extends Request>(
  handle: (request: IncomingRequest) => Promise<OutgoingResponse | undefined>,
): FetchHandler<TRequest> {
  return async (request) => {
    const incoming = new FetchRequest(request)
    try {
      const response = await handle(incoming)
      // The client has gone. 499 is the status that nginx logs then.
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
  /** Path and query: what follows the origin, without a fragment. */
  readonly url: string
  readonly #origin: string
  #reader: ReadableStreamDefaultReader<Uint8Array> | undefined
  /** Hono makes it at the first reading. */
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

  /** Next.js has the name in `Host`, and its own in the URL. HTTP/2 has it in the URL alone. */
  ownOrigin(): string | undefined {
    const [scheme = '', host] = this.#origin.split('://')
    return toOrigin(scheme, this.header('host') ?? host)
  }

  /** A `Request` does not have the address of its connection. */
  isOnLoopback(): boolean {
    return false
  }

  body(): IncomingBody {
    const request = this.hostRequest
    if (request.bodyUsed) return { state: 'consumed' }
    const read = (maxBytes: number): Promise<string | undefined> =>
      this.#read(maxBytes)
        // A body that fails is as good as one that is cut off.
        .catch(() => '')
    return { state: 'stream', read }
  }

  addHeaders(headers: Readonly<Record<string, string>>): void {
    this.added = { ...this.added, ...headers }
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

  /** After the response: the signal may live longer than the request, and a body may not have ended. */
  release(): void {
    if (this.#onAbort) this.#signal?.removeEventListener('abort', this.#onAbort)
    // A host whose client has gone makes this reject.
    this.#reader?.cancel().catch(() => undefined)
  }

  /**
   * True if the server has a class of its own (Hono's on Node): it reads the body from its connection, which
   * ends the body at the length of the header. That costs a fifth of a stream. A length with a stream of the
   * runtime says nothing: code may have made the request.
   */
  #isReadByHost(): boolean {
    return (
      this.header('content-length') !== undefined && Reflect.get(this.hostRequest, 'text') !== runtimeText
    )
  }

  async #read(maxBytes: number): Promise<string | undefined> {
    if (this.#isReadByHost()) return withinBytes(await this.hostRequest.text(), maxBytes)
    // Firefox does not have the stream.
    const { body } = this.hostRequest as { readonly body?: Request['body'] }
    if (body === null) return ''
    if (body === undefined) return withinBytes(await this.hostRequest.text(), maxBytes)
    this.#reader = body.getReader()
    return readText(this.#reader, maxBytes)
  }
}

/** Of the runtime's own class. A server may replace the global with one of its own later. */
const runtimeText: unknown = Reflect.get(globalThis.Request?.prototype ?? {}, 'text')

function withinBytes(text: string, maxBytes: number): string | undefined {
  // A unit of UTF-16 has three bytes at most.
  if (text.length * 3 <= maxBytes) return text
  return new TextEncoder().encode(text).length > maxBytes ? undefined : text
}
