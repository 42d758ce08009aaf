import type { OpenSocket, Socket, SocketListener } from '../../platform/socket.js'

/**
 * A connection that a hidden component is to hold. The address is readable by code alone, so that it shows in no props and no state but
 * those of the library inside that component. (S31.)
 */
export class HostedSocket {
  readonly id: number
  #url: string
  readonly #listener: SocketListener
  #socket: WebSocket | undefined

  constructor(id: number, url: string, listener: SocketListener) {
    this.id = id
    this.#url = url
    this.#listener = listener
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

  send(data: Parameters<WebSocket['send']>[0]): void {
    if (this.#socket?.readyState === WebSocket.OPEN) this.#socket.send(data)
  }

  close(): void {
    this.#socket?.close(1000)
    // Old trees of React keep this object for a while; with the address gone, they keep no token.
    this.#url = ''
  }

  get bufferedAmount(): number {
    return this.#socket?.bufferedAmount ?? 0
  }
}

const NONE: readonly HostedSocket[] = []

/** The list of connections that `StreamHosts` renders: one component for each, gone as soon as its stream lets it go. */
export interface HostBoard {
  readonly openSocket: OpenSocket
  /** The connections that this host renders; only the first of several hosts renders any. */
  readonly hosted: (host: symbol) => readonly HostedSocket[]
  /** Calls back when a list has changed. Returns its undo. */
  readonly subscribe: (listener: () => void) => () => void
  /** A host is mounted. Returns its undo: the connections that it rendered are lost with it. */
  attach(host: symbol): () => void
  watchHosts(watcher: HostWatcher): void
}

/** What the streams of a client hear of the hosts. */
export interface HostWatcher {
  /** The last host has gone, and the connections with it. */
  onLost(): void
  /** There is a host again. */
  onFound(): void
}

export function createHostBoard(): HostBoard {
  let entries = NONE
  let lastId = 0
  const hosts = new Set<symbol>()
  const leaving = new Set<symbol>()
  let watcher: HostWatcher | undefined
  const listeners = new Set<() => void>()

  function show(next: readonly HostedSocket[]): void {
    entries = next
    for (const listener of listeners) listener()
  }

  const first = (): symbol | undefined => hosts.values().next().value

  return {
    openSocket(url, listener): Socket {
      const entry = new HostedSocket((lastId += 1), url, listener)
      show([...entries, entry])
      return {
        send: (data) => entry.send(data),
        close() {
          entry.close()
          show(entries.filter((other) => other !== entry))
        },
        bufferedAmount: () => entry.bufferedAmount,
      }
    },
    hosted: (host) => (first() === host ? entries : NONE),
    subscribe(listener) {
      listeners.add(listener)
      return () => listeners.delete(listener)
    },
    watchHosts(next) {
      watcher = next
    },
    attach(host) {
      const found = hosts.size === 0
      leaving.delete(host)
      hosts.add(host)
      show(entries)
      if (found) watcher?.onFound()
      return () => {
        leaving.add(host)
        // StrictMode unmounts and mounts in one go: only who is still leaving after it is gone.
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
