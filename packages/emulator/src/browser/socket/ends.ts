/** A message on its way. */
export type Message = string | Uint8Array

/** The service's side of a WebSocket, as the page's side reaches it. */
export interface ServiceEnd {
  /** `onSent` is called when the bytes have left the page. */
  send(message: Message | Promise<Message>, onSent: () => void): void
  /** The closing handshake, after all messages before it. */
  close(code: number | undefined, reason: string): void
  /** The page gives up the handshake. */
  abandon(): void
}

/** What arrives at the page's side. Each comes in a task of its own. */
interface PageEnd {
  opened(protocol: string): void
  received(message: Message): void
  /** The closing handshake is done. */
  closed(code: number, reason: string): void
  /** The connection is gone without one, or was never there. */
  lost(): void
}

/** Opens the connection of a new WebSocket. */
export type Dial = (url: URL, protocols: readonly string[], page: PageEnd) => ServiceEnd
