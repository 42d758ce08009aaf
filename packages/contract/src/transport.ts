/*
 * A transport sends the BFF's requests to the voice service. `@stagepass/bff` has one for undici and one for
 * the global `fetch`. The emulator in a page has one that calls the emulator directly.
 */

/** One HTTP request to the voice service. */
export interface ServiceRequest {
  readonly method: 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE'
  /** `https://api.example.com` */
  readonly origin: string
  /** Path and query, already encoded. */
  readonly path: string
  /** All headers of the request. A transport adds only those that HTTP itself requires. */
  readonly headers: Readonly<Record<string, string>>
  readonly body?: string | undefined
  /** If the response is longer, decoded, the request is aborted. */
  readonly maxBytes: number
  /**
   * True for a request that is sent again because its connection was lost: do not use a connection that was
   * idle. A transport that cannot choose its connections ignores it. Default false.
   */
  readonly fresh?: boolean | undefined
}

/** A response: its status, its body, and the headers that the BFF reads. */
export interface ServiceResponse {
  readonly status: number
  /** The decoded body; empty if it could not be decoded. */
  readonly text: string
  readonly date: string | undefined
  readonly retryAfter: string | undefined
  /** The header `Content-Type`. */
  readonly contentType?: string | undefined
  /** The header `Content-Encoding`, only if the body could not be decoded. */
  readonly contentEncoding?: string | undefined
  /** The header `Location` as it arrived. It may contain anything. */
  readonly location?: string | undefined
}

/** There is no response. */
export class TransportError extends Error {
  override readonly name = 'TransportError'
  readonly kind: 'unreachable' | 'too-large' | 'aborted'
  /**
   * True if something was written to the network, or may have been. If false, the request did not count
   * against a rate limit and can be sent again.
   */
  readonly sent: boolean
  /** True if a byte of the response had arrived, or may have. */
  readonly answered: boolean

  constructor(kind: TransportError['kind'], sent: boolean, answered: boolean, cause: unknown) {
    super(`The upstream gave no response: ${kind}.`, { cause })
    this.kind = kind
    this.sent = sent
    this.answered = answered
  }
}

/** A WebSocket handshake with a header, which a browser cannot send. */
export type HandshakeRequest = Pick<ServiceRequest, 'origin' | 'path'> & {
  /** Value of the header `Authorization`. */
  readonly authorization: string
}

/** The events of a handshake. None follow `onClose`, `onBody` or `onError`. */
export interface HandshakeListener {
  /** The WebSocket is open. */
  onOpen(): void
  onText(text: string): void
  /**
   * An open WebSocket was closed. If the connection ended without a close frame, the code is 1006, as in a
   * browser.
   */
  onClose(code: number, reason: string): void
  /** The service sent an HTTP response and did not open the WebSocket. `onBody` follows. */
  onRefused(status: number): void
  /** The body of the refusal, at most its first 4 KiB. */
  onBody(text: string): void
  /** There is no response. */
  onError(error: Error): void
}

/** Sends requests to the voice service in one runtime. */
export interface Transport {
  /**
   * Sends one request. A redirect is not followed; it is returned as a response. The signal is the only time
   * limit. Rejects with a `TransportError`. After an abort, its kind is `aborted` and its cause is the
   * signal's reason.
   */
  send(request: ServiceRequest, signal: AbortSignal): Promise<ServiceResponse>
  /**
   * Begins a handshake. Returns a function that ends the handshake and closes its WebSocket. Nothing is sent
   * on that WebSocket.
   */
  handshake(request: HandshakeRequest, listener: HandshakeListener): () => void
  /** Closes all connections. Safe to call twice. */
  close(): Promise<void>
}
