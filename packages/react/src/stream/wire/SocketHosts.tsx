'use client'

import { type ReactNode, useEffect, useState, useSyncExternalStore } from 'react'
// The package's own entry is an object in native ESM and in newer bundlers; this file of it is what it says.
import { useWebSocket } from 'react-use-websocket/dist/lib/use-websocket.js'
import { useClient } from '../../client/useClient.js'
import { createListeners } from '../../platform/createListeners.js'
import type { OpenSocket, SendData, Socket, SocketListener } from '../../platform/socket.js'

/*
 * Where streams meet react-use-websocket: a stream opens a socket, and a hidden component holds it, one for
 * each.
 */

const NONE: readonly HostedSocket[] = []

/**
 * The sockets of a client that `SocketHosts` renders, until their streams close them. A part of the client.
 */
export function createHostedSockets() {
  const { subscribe, notify } = createListeners()
  const hostChanges = createListeners<[isThere: boolean]>()
  const hosts = new Set<symbol>()
  const leaving = new Set<symbol>()
  let sockets = NONE
  let lastId = 0

  function show(next: readonly HostedSocket[]): void {
    sockets = next
    notify()
  }

  const first = (): symbol | undefined => hosts.values().next().value

  const openSocket: OpenSocket = (url, listener) => {
    const socket = new HostedSocket((lastId += 1), url, listener, (closed) =>
      show(sockets.filter((other) => other !== closed)),
    )
    show([...sockets, socket])
    return socket
  }

  return {
    openSocket,
    /** The sockets that this host component renders; only the first of several renders any. */
    hosted: (host: symbol): readonly HostedSocket[] => (first() === host ? sockets : NONE),
    /** Calls back when a list has changed. Returns its undo. */
    subscribe,
    /**
     * Calls back when the last host component has gone, and the sockets with it; and when there is one again.
     * Returns its undo.
     */
    watchHosts: hostChanges.subscribe,
    /** A host component is mounted. Returns its undo: the sockets that it rendered are lost with it. */
    attach(host: symbol): () => void {
      const isFirst = hosts.size === 0
      leaving.delete(host)
      hosts.add(host)
      show(sockets)
      if (isFirst) hostChanges.notify(true)
      return () => {
        leaving.add(host)
        // StrictMode unmounts and mounts again in the same task. A host that is still unmounted after it is
        // gone.
        queueMicrotask(() => {
          if (!leaving.delete(host)) return
          const rendered = first() === host
          hosts.delete(host)
          if (rendered) hostChanges.notify(false)
          if (rendered && hosts.size > 0) hostChanges.notify(true)
        })
      }
    },
  }
}

/**
 * One socket that a hidden component holds. Only code can read the URL, so it is in no props and no state but
 * those of the library inside that component. (SECURITY.md, S31.)
 */
class HostedSocket implements Socket {
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

  get listener(): SocketListener {
    return this.#listener
  }

  opened(socket: WebSocket): void {
    socket.binaryType = 'arraybuffer'
    this.#socket = socket
    this.#listener.opened()
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

/** Renders the sockets of a client, apart from the components that use them. Shows nothing. */
export function SocketHosts(): ReactNode {
  const sockets = useClient().part(createHostedSockets)
  const [host] = useState(() => Symbol('host'))
  const hosted = useSyncExternalStore(
    sockets.subscribe,
    () => sockets.hosted(host),
    () => NONE,
  )
  useEffect(() => sockets.attach(host), [sockets, host])
  return hosted.map((socket) => <SocketHost key={socket.id} hosted={socket} />)
}

const NEVER = (): boolean => false

/**
 * One socket: the URL is a string, and the library's own reconnecting, queueing and sharing are not used. A
 * message causes no render, because none reaches the library's state.
 */
function SocketHost({ hosted }: { hosted: HostedSocket }): null {
  const { url, listener } = hosted
  useWebSocket(url, {
    onOpen: (event) => hosted.opened(event.target as WebSocket),
    onMessage: (event: MessageEvent<string | ArrayBuffer>) => listener.received(event.data),
    onClose: (event) => listener.closed(event.code, event.reason),
    filter: NEVER,
    disableJson: true,
  })
  return null
}
