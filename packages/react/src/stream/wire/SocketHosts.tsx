'use client'

import { type ReactNode, useEffect, useState, useSyncExternalStore } from 'react'
// Not the hook: it calls this function in a promise that it does not return. An error of the WebSocket
// constructor would be an unhandled rejection.
import { createOrJoinSocket } from 'react-use-websocket/dist/lib/create-or-join.js'
import { perClient } from '../../client/perClient.js'
import { useClient } from '../../client/useClient.js'
import { createListeners } from '../../platform/createListeners.js'
import type { OpenSocket, ReceivedData, SendData, Socket, SocketListener } from '../../platform/socket.js'

/*
 * Connects streams with react-use-websocket. For each socket that a stream opens, a hidden component is
 * rendered.
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
    /**
     * The sockets that this host component renders. If there are several hosts, only the first renders
     * sockets.
     */
    hosted: (host: symbol): readonly HostedSocket[] => (first() === host ? sockets : NONE),
    /** Calls the listener when a list has changed. Returns a function that unsubscribes. */
    subscribe,
    /**
     * Calls the listener when the last host component, and with it the sockets, has gone, and when there is a
     * host again. Returns a function that unsubscribes.
     */
    watchHosts: hostChanges.subscribe,
    /**
     * Adds a mounted host component. Returns a function for its unmount, which loses the sockets of the host.
     */
    attach(host: symbol): () => void {
      const isFirst = hosts.size === 0
      leaving.delete(host)
      hosts.add(host)
      show(sockets)
      if (isFirst) hostChanges.notify(true)
      return () => {
        leaving.add(host)
        // StrictMode unmounts and mounts again in the same task. If the host is still unmounted afterwards,
        // it is gone.
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
 * One socket of a hidden component. The URL is in a private field, so that no props and no state contain it.
 * (security.md, S31.)
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
   * Makes the WebSocket in a microtask, unless the returned function is called before, as StrictMode does.
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

  /** Returns a function that closes the WebSocket. */
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
        // Usually the browser sends `close` next, with this code. Chromium does not if the policy forbids the
        // connection, and WebKit does not if it forbids the port.
        onError: () => this.#socket ?? listener.closed(1006, ''),
        onClose: ({ code, reason }) => listener.closed(code, reason),
        filter: NEVER,
      })
      return () => {
        left.abort()
        close()
      }
    } catch {
      // Firefox and WebKit throw if the policy forbids the connection. The event of the policy comes next.
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
    // React may keep this object in old trees for a while. Without the URL it contains no token.
    this.#url = ''
    this.#onClose(this)
  }

  bufferedAmount(): number {
    return this.#socket?.bufferedAmount ?? 0
  }
}

/** Renders the sockets of a client, separate from the components that use them. Shows nothing. */
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

/** The longest time from the constructor's error to the event of the policy that caused it. */
const VIOLATION_MS = 100

/** True if the policy of the page forbids this address. Browsers may report only its scheme. */
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
 * Opens a WebSocket with the library, without its reconnecting, queueing and sharing. No message reaches the
 * library's state. Throws if the constructor throws. Returns a function that closes the socket.
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
