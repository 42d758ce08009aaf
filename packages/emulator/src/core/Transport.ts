import type { EncodedResponse, RequestHeaders } from './request/http.js'
import type { Socket, SocketListener } from './sockets/Socket.js'

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
