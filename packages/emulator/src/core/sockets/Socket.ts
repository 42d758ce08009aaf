/** The longest message that the service accepts. */
export const MAX_MESSAGE_BYTES = 16 * 1_024 * 1_024

/** One open WebSocket of a transport, from the server's side. */
export interface Socket {
  /** False as soon as either side has begun to close. */
  readonly isOpen: () => boolean
  /** Sends a message: text for a string, otherwise binary. */
  send(data: string | Uint8Array): void
  /** Begins the closing handshake. */
  close(code?: number, reason?: string): void
  /** Resets the connection. The client sees 1006. */
  reset(): void
  /** Ends the connection without a closing handshake. */
  terminate(): void
  /** Stops reading. */
  freeze(): void
}

export interface SocketListener {
  received(data: string | Uint8Array): void
  closed(): void
}
