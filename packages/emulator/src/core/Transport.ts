import type { EncodedResponse, RequestHeaders } from './request/http.js'
import type { Socket, SocketListener } from './sockets/Socket.js'

/** The connection to the client of one request. */
export interface Connection {
  /** Time since the last response on this connection; `undefined` if it has had none. */
  readonly idleMs?: number | undefined
  /**
   * Calls back once, when the connection is closed. `complete`: the whole response was written, or the
   * upgrade was responded to.
   */
  onClose(listener: (complete: boolean) => void): void
  /** If HTTP cannot send such a head, throws and sends nothing. */
  respond(response: EncodedResponse): void
  /** Closes the connection, with or without a response. */
  destroy(): void
}

/** The common part of all requests, including handshakes. */
export interface Incoming {
  readonly method: string
  /** Path and query as they arrived. */
  readonly target: string
  readonly headers: RequestHeaders
  readonly connection: Connection
}

export interface IncomingRequest extends Incoming {
  /**
   * Call it at most once. Calls `done` with `undefined` if the body is longer than the limit. Does not call
   * `done` if the client leaves before the end of the body.
   */
  readBody(limitBytes: number, done: (bytes: Uint8Array | undefined) => void): void
}

export interface IncomingUpgrade extends Incoming {
  /** Opens the socket. Does nothing if the handshake cannot be completed. */
  accept(listen: (socket: Socket) => SocketListener | undefined): void
}
