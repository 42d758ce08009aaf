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

export type StreamFactory = (outlet: Outlet) => Stream
