import { createListeners } from '../../platform/createListeners.js'
import type { OpenSocket, SendData, Socket, SocketListener } from '../../platform/socket.js'

/**
 * One socket that a hidden component holds. Only code can read the URL, so it is in no props and no state but those of the library inside
 * that component. (S31.)
 */
export class HostedSocket implements Socket {
  readonly id: number
  #url: string
  readonly #listener: SocketListener
  readonly #onClose: (closed: HostedSocket) => void
  #socket: WebSocket | undefined

  constructor(id: number, url: string, listener: SocketListener, onClose: (closed: HostedSocket) => void) {
    this.id = id
    this.#url = url
    this.#listener = listener
    this.#onClose = onClose
  }

  get url(): string {
    return this.#url
  }

  opened(socket: WebSocket): void {
    socket.binaryType = 'arraybuffer'
    this.#socket = socket
    this.#listener.opened()
  }

  received(data: string | ArrayBuffer): void {
    this.#listener.received(data)
  }

  closed(code: number, reason: string): void {
    this.#listener.closed(code, reason)
  }

  send(data: SendData): void {
    if (this.#socket?.readyState === WebSocket.OPEN) this.#socket.send(data)
  }

  close(): void {
    this.#socket?.close(1000)
    // Old trees of React keep this object for a while; without the URL they keep no token.
    this.#url = ''
    this.#onClose(this)
  }

  bufferedAmount(): number {
    return this.#socket?.bufferedAmount ?? 0
  }
}

const NONE: readonly HostedSocket[] = []

/** What the streams of a client must know of the host components. */
export interface HostWatcher {
  /** The last host component has gone, and the sockets with it. */
  onLost(): void
  /** There is a host component again. */
  onFound(): void
}

/** The sockets of a client that `SocketHosts` renders: one component for each, until its stream closes it. */
export interface HostedSockets {
  readonly openSocket: OpenSocket
  /** The sockets that this host component renders; only the first of several renders any. */
  readonly hosted: (host: symbol) => readonly HostedSocket[]
  /** Calls back when a list has changed. Returns its undo. */
  readonly subscribe: (listener: () => void) => () => void
  /** A host component is mounted. Returns its undo: the sockets that it rendered are lost with it. */
  attach(host: symbol): () => void
  watchHosts(watcher: HostWatcher): void
}

/** A part of the client (`client.part(createHostedSockets)`). */
export function createHostedSockets(): HostedSockets {
  const { subscribe, notify } = createListeners()
  const hosts = new Set<symbol>()
  const leaving = new Set<symbol>()
  let sockets = NONE
  let lastId = 0
  let watcher: HostWatcher | undefined

  function show(next: readonly HostedSocket[]): void {
    sockets = next
    notify()
  }

  const first = (): symbol | undefined => hosts.values().next().value

  return {
    openSocket(url, listener) {
      const socket = new HostedSocket((lastId += 1), url, listener, (closed) =>
        show(sockets.filter((other) => other !== closed)),
      )
      show([...sockets, socket])
      return socket
    },
    hosted: (host) => (first() === host ? sockets : NONE),
    subscribe,
    watchHosts(next) {
      watcher = next
    },
    attach(host) {
      const found = hosts.size === 0
      leaving.delete(host)
      hosts.add(host)
      show(sockets)
      if (found) watcher?.onFound()
      return () => {
        leaving.add(host)
        // StrictMode unmounts and mounts again in the same task. A host that is still unmounted after it is gone.
        queueMicrotask(() => {
          if (!leaving.delete(host)) return
          const rendered = first() === host
          hosts.delete(host)
          if (rendered) watcher?.onLost()
          if (rendered && hosts.size > 0) watcher?.onFound()
        })
      }
    },
  }
}
