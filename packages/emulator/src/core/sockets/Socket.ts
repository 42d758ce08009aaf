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
