/*
 * The way from a BFF to the voice service. Each runtime has its own: `@stagepass/bff` has one over undici and
 * one over the global `fetch`, and the emulator in a page has one that leads to its core.
 */

/** One HTTP request to the voice service. */
export interface ServiceRequest {
  readonly method: 'GET' | 'POST'
  /** `https://api.example.com` */
  readonly origin: string
  /** Path and query, every part of it already encoded. */
  readonly path: string
  /** All headers that are sent. A transport adds only what HTTP itself needs. */
  readonly headers: Readonly<Record<string, string>>
  readonly body?: string | undefined
  /** A longer response is given up. */
  readonly maxBytes: number
}

/** A response with its body, and the only headers that are read. */
export interface ServiceResponse {
  readonly status: number
  readonly text: string
  readonly date: string | undefined
  readonly retryAfter: string | undefined
}

/** There is no response. */
export class TransportError extends Error {
  override readonly name = 'TransportError'
  readonly kind: 'unreachable' | 'too-large' | 'aborted'
  /**
   * Something was written to the network, or may have been. If not, the request can be sent again, and its
   * place in a rate limit is unused.
   */
  readonly sent: boolean

  constructor(kind: TransportError['kind'], sent: boolean, cause: unknown) {
    super(`The upstream gave no response: ${kind}.`, { cause })
    this.kind = kind
    this.sent = sent
  }
}

/** A WebSocket handshake with a header, as a browser cannot send it. */
export type HandshakeRequest = Pick<ServiceRequest, 'origin' | 'path'> & {
  /** Value of the header `Authorization`. */
  readonly authorization: string
}

/** What comes of a handshake. Nothing more comes after `onClose`, `onBody` or `onError`. */
export interface HandshakeListener {
  /** The WebSocket is open. */
  onOpen(): void
  onText(text: string): void
  /** The close of an open WebSocket. The end of its connection without one is 1006, as in a browser. */
  onClose(code: number, reason: string): void
  /** There is a response in place of an open WebSocket. The body follows. */
  onRefused(status: number): void
  /** The body of the refusal: the whole of it, or its first 4 KiB. */
  onBody(text: string): void
  /** There is no response. */
  onError(error: Error): void
}

/** The way out of a BFF, for one runtime. */
export interface Transport {
  /**
   * Sends one request. Redirects are not followed: they are responses like any other. There is no time limit
   * but the signal. Rejects with a `TransportError`, of the kind `aborted` after an abort, with the signal's
   * reason as the cause.
   */
  send(request: ServiceRequest, signal: AbortSignal): Promise<ServiceResponse>
  /**
   * Begins a handshake. Returns a function that ends it, and the WebSocket that came of it. Nothing is sent
   * on that WebSocket.
   */
  handshake(request: HandshakeRequest, listener: HandshakeListener): () => void
  /** Ends all connections. Safe to call twice. */
  close(): Promise<void>
}
