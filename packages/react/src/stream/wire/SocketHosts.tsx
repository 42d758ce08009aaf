'use client'

import { type ReactNode, useEffect, useState, useSyncExternalStore } from 'react'
// Not the hook: it calls this in a promise that it does not return, so what the constructor of a WebSocket
// throws would be an unhandled rejection.
import { createOrJoinSocket } from 'react-use-websocket/dist/lib/create-or-join.js'
import { perClient } from '../../client/perClient.js'
import { useClient } from '../../client/useClient.js'
import { createListeners } from '../../platform/createListeners.js'
import type { OpenSocket, ReceivedData, SendData, Socket, SocketListener } from '../../platform/socket.js'

/*
 * Where streams meet react-use-websocket: a stream opens a socket, and a hidden component holds it, one for
 * each.
 */

const NONE: readonly HostedSocket[] = []

/** The sockets of a client that `SocketHosts` renders, until their streams close them. */
export const hostedSocketsOf = perClient(() => {
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
})

/**
 * One socket that a hidden component holds. Only code can read the URL, so it is in no props and no state.
 * (SECURITY.md, S31.)
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

  /**
   * Makes the WebSocket in a microtask, unless the returned function was called before: StrictMode does that.
   */
  start(): () => void {
    let leave: (() => void) | undefined
    let hasLeft = false
    queueMicrotask(() => {
      if (!hasLeft && this.#url) leave = this.#make(this.#url)
    })
    return () => {
      hasLeft = true
      leave?.()
    }
  }

  /** Returns what closes the WebSocket. */
  #make(url: string): () => void {
    const listener = this.#listener
    const left = new AbortController()
    const onViolation = (event: SecurityPolicyViolationEvent): void => {
      if (forbids(event, url)) listener.blocked('policy')
    }
    document.addEventListener('securitypolicyviolation', onViolation, { signal: left.signal })
    try {
      const close = openWebSocket(url, {
        onOpen: ({ target }) => this.#opened(target as WebSocket),
        onMessage: ({ data }: MessageEvent<ReceivedData>) => listener.received(data),
        // A browser sends `close` next, with this code. Not so Chromium if the policy forbids the connection,
        // and WebKit if it forbids the port.
        onError: () => this.#socket ?? listener.closed(1006, ''),
        onClose: ({ code, reason }) => listener.closed(code, reason),
        filter: NEVER,
      })
      return () => {
        left.abort()
        close()
      }
    } catch {
      // Firefox and WebKit throw if the policy forbids the connection, and the event comes next.
      const timer = setTimeout(() => listener.blocked('browser'), VIOLATION_MS)
      return () => {
        left.abort()
        clearTimeout(timer)
      }
    }
  }

  #opened(socket: WebSocket): void {
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
  const sockets = hostedSocketsOf(useClient())
  const [host] = useState(() => Symbol('host'))
  const hosted = useSyncExternalStore(
    sockets.subscribe,
    () => sockets.hosted(host),
    () => NONE,
  )
  useEffect(() => sockets.attach(host), [sockets, host])
  return hosted.map((socket) => <SocketHost key={socket.id} hosted={socket} />)
}

/** One socket. Shows nothing. */
function SocketHost({ hosted }: { hosted: HostedSocket }): null {
  useEffect(() => hosted.start(), [hosted])
  return null
}

/** The longest time from the error of a constructor to the event of the policy that was the reason. */
const VIOLATION_MS = 100

/** True if the policy of the page forbids this address. Browsers may report its scheme alone. */
function forbids(
  { disposition, effectiveDirective, blockedURI }: SecurityPolicyViolationEvent,
  url: string,
): boolean {
  const isForbidden = disposition === 'enforce' && effectiveDirective === 'connect-src'
  return isForbidden && new URL(url).href.startsWith(blockedURI)
}

const NEVER = (): boolean => false
const nothing = (): void => {}

/**
 * A WebSocket of the library, without its reconnecting, queueing and sharing. No message reaches its state.
 * Throws what the constructor throws. Returns what closes it.
 */
function openWebSocket(
  url: string,
  options: Parameters<typeof createOrJoinSocket>[3]['current'],
): () => void {
  const ref = <TValue,>(current: TValue) => ({ current })
  return createOrJoinSocket(
    ref(null),
    url,
    nothing,
    ref(options),
    nothing,
    ref(nothing),
    ref(0),
    ref(0),
    nothing,
  )
}
