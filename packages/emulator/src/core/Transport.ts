import type { EncodedResponse, RequestHeaders } from './request/http.js'

/** The way back to the client of one request. */
export interface Connection {
  /**
   * Calls back once, when the connection is closed. `complete`: the whole response was written, or the
   * upgrade was responded to.
   */
  onClose(listener: (complete: boolean) => void): void
  /** Throws if HTTP cannot send such a head. Then nothing was sent. */
  respond(response: EncodedResponse): void
  /** Closes the connection, with or without a response. */
  destroy(): void
}

/** What every request brings, handshakes included. */
export interface Incoming {
  readonly method: string
  /** Path and query as they came. */
  readonly target: string
  readonly headers: RequestHeaders
  readonly connection: Connection
}

export interface IncomingRequest extends Incoming {
  /**
   * Called at most once. Gives `undefined` if the body is longer than the limit; nothing if the client leaves
   * before its end.
   */
  readBody(limitBytes: number, done: (bytes: Uint8Array | undefined) => void): void
}

export interface IncomingUpgrade extends Incoming {
  /** Opens the socket. Does nothing if the handshake cannot be completed. */
  accept(listen: (socket: Socket) => SocketListener | undefined): void
}

/** The longest message that the service takes. */
export const MAX_MESSAGE_BYTES = 16 * 1_024 * 1_024

/** One open WebSocket of a transport, from the server's side. */
export interface Socket {
  /** False as soon as either side has begun to close. */
  readonly isOpen: () => boolean
  /** Sends a message: text for a string, else binary. */
  send(data: string | Uint8Array): void
  /** The closing handshake. */
  close(code?: number, reason?: string): void
  /** Resets the connection: the client sees 1006. */
  reset(): void
  /** Ends it without a closing handshake. */
  terminate(): void
  /** Reads nothing from now on. */
  freeze(): void
}

export interface SocketListener {
  received(data: string | Uint8Array): void
  closed(): void
}
