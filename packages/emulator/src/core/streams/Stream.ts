/** The server's side of one open socket: what a product does with the frames that come. */
export interface Stream {
  onText(text: string): void
  onBinary(bytes: Buffer): void
}

/** How a stream answers. */
export interface Outlet {
  send(data: string | Uint8Array): void
  close(code: number, reason: string): void
}

/** What a stream may know besides its frames. */
export interface StreamContext {
  /** The emulator's time, in milliseconds since the epoch. */
  readonly now: () => number
  /** Calls back later, unless the socket is gone by then. Returns its undo. */
  readonly after: (ms: number, callback: () => void) => () => void
}

export type StreamFactory = (outlet: Outlet, context: StreamContext) => Stream
