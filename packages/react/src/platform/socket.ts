import type { Refusal } from '@stagepass/contract'

/**
 * Data to send: text or bytes. `BufferSource` is a type of the application's own TypeScript: before 5.7 views
 * have no type parameter.
 */
export type SendData = string | BufferSource | Blob

/** Received data: text, or bytes as an `ArrayBuffer`. */
export type ReceivedData = string | ArrayBuffer

/**
 * The reports of a connection, in this order: `opened` at most once, any number of `received`, `closed` once.
 * Or only `blocked`.
 */
export interface SocketListener {
  opened(): void
  received(data: ReceivedData): void
  /**
   * A browser shows a refused handshake only as `code` 1006 before `opened`. A phone may show the status of
   * the response: `refusal` is what it means.
   */
  closed(code: number, reason: string, refusal?: Refusal): void
  /**
   * The page cannot have this connection: its Content-Security-Policy forbids it, or the constructor threw.
   */
  blocked(by: 'policy' | 'browser'): void
}

/** One connection. Every member may be called at any time. */
export interface Socket {
  /** Sends data on an open connection; otherwise does nothing. */
  send(data: SendData): void
  /**
   * Closes the connection, or stops the handshake. Nothing is reported afterwards. Data that was sent before
   * still goes out.
   */
  close(): void
  /** True after the close event. Left out if the platform does not say it. */
  isClosed?(): boolean
  /** Bytes that were sent but have not left the browser yet. */
  bufferedAmount(): number
}

/** The address of a stream, and the token for it. */
interface StreamAccess {
  readonly streamUrl: string
  readonly token: { readonly value: string }
}

/**
 * Opens one socket. The URL contains the token: use it only for the socket. A client that can send headers
 * ignores it, and sends `Authorization: api-key <token.value>` to `streamUrl` of `access`. (security.md,
 * S31.)
 */
export type OpenSocket = (url: string, listener: SocketListener, access: StreamAccess) => Socket
