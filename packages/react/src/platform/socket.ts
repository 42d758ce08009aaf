/**
 * What a socket takes: text, or bytes. As the application's own TypeScript has it: before 5.7 views have no
 * type parameter.
 */
export type SendData = string | BufferSource | Blob

/** What a socket gives: text, or bytes as an `ArrayBuffer`. */
export type ReceivedData = string | ArrayBuffer

/**
 * What a connection reports, in this order: `opened` at most once, any number of `received`, `closed` once.
 * Or `blocked` alone.
 */
export interface SocketListener {
  opened(): void
  received(data: ReceivedData): void
  /** `code` 1006 before `opened` is all that a browser shows of a refused handshake. */
  closed(code: number, reason: string): void
  /**
   * The page cannot have this connection: its Content-Security-Policy forbids it, or the constructor threw.
   */
  blocked(by: 'policy' | 'browser'): void
}

/** One connection. Every member is safe at any time. */
export interface Socket {
  /** Hands data to an open connection; does nothing otherwise. */
  send(data: SendData): void
  /**
   * Ends the connection, abandons the handshake, and reports nothing more. What was sent before still goes
   * out.
   */
  close(): void
  /** Bytes handed over that have not left yet. */
  bufferedAmount(): number
}

/**
 * Opens one socket. The URL contains the token: it goes to the socket and nowhere else. (SECURITY.md, S31.)
 */
export type OpenSocket = (url: string, listener: SocketListener) => Socket
