type Listener = (event: object) => void

/** The sockets that the program has opened, in their order. */
export const sockets: PhoneWebSocket[] = []

/** The newest socket. */
export const lastSocket = (): PhoneWebSocket => {
  const socket = sockets[sockets.length - 1]
  if (!socket) throw new Error('No socket was opened.')
  return socket
}

/**
 * The WebSocket of React Native, as its source has it: headers as third argument, no `bufferedAmount`, a
 * failed handshake as `close` with the words of the platform. The program is its network.
 */
export class PhoneWebSocket {
  readonly url: string
  readonly headers: Readonly<Record<string, string>>
  readonly sent: unknown[] = []
  binaryType: string | undefined
  closedWith: number | undefined
  isOver = false
  readonly #listeners = new Map<string, Listener[]>()

  constructor(url: string, _protocols: unknown, options: { headers: Readonly<Record<string, string>> }) {
    this.url = url
    this.headers = options.headers
    sockets.push(this)
  }

  addEventListener(type: string, listener: Listener): void {
    this.#listeners.set(type, [...(this.#listeners.get(type) ?? []), listener])
  }

  send(data: unknown): void {
    this.sent.push(data)
  }

  close(code?: number): void {
    if (this.isOver) return
    this.isOver = true
    this.closedWith = code
  }

  /** The service accepts the handshake. */
  accept(): void {
    this.isOver = false
    this.#dispatch('open', {})
  }

  receive(data: unknown): void {
    this.#dispatch('message', { data })
  }

  /** The connection or the handshake fails, with the words of the platform. */
  fail(reason: string): void {
    this.isOver = true
    this.#dispatch('error', {})
    this.#dispatch('close', { code: 1006, reason })
  }

  #dispatch(type: string, event: object): void {
    for (const listener of this.#listeners.get(type) ?? []) listener({ type, ...event })
  }
}
