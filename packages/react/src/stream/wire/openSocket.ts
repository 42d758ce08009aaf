// Not the library's hook: it needs a component, and it calls this function in a promise that it does not
// return. An error of the WebSocket constructor would be an unhandled rejection.
import { createOrJoinSocket } from 'react-use-websocket/dist/lib/create-or-join.js'
import type { OpenSocket, ReceivedData } from '../../platform/socket.js'

/** The longest time from the constructor's error to the event of the policy that caused it. */
const VIOLATION_MS = 100

/** Opens a WebSocket with react-use-websocket, without its reconnecting, queueing, sharing and state. */
export const openSocket: OpenSocket = (url, listener) => {
  const socket = ref<WebSocket | null>(null)
  const left = new AbortController()
  let isOpen = false

  const onViolation = (event: SecurityPolicyViolationEvent): void => {
    if (forbids(event, url)) listener.blocked('policy')
  }
  document.addEventListener('securitypolicyviolation', onViolation, { signal: left.signal })

  function connect(): () => void {
    const events = {
      onOpen() {
        isOpen = true
        listener.opened()
      },
      onMessage: ({ data }: MessageEvent<ReceivedData>) => listener.received(data),
      // Usually the browser sends `close` next, with this code. Chromium does not if the policy forbids the
      // connection, and WebKit does not if it forbids the port.
      onError: () => isOpen || listener.closed(1006, ''),
      onClose: ({ code, reason }: CloseEvent) => listener.closed(code, reason),
      filter: NEVER,
    }
    try {
      const close = createOrJoinSocket(
        socket,
        url,
        nothing,
        ref(events),
        nothing,
        ref(nothing),
        ref(0),
        ref(0),
        nothing,
      )
      if (socket.current) socket.current.binaryType = 'arraybuffer'
      return close
    } catch {
      // Firefox and WebKit throw if the policy forbids the connection. The event of the policy comes next.
      // eslint-disable-next-line no-restricted-globals -- a short, constant time
      const timer = setTimeout(() => listener.blocked('browser'), VIOLATION_MS)
      return () => clearTimeout(timer)
    }
  }

  const disconnect = connect()
  return {
    send(data) {
      if (socket.current?.readyState === WebSocket.OPEN) socket.current.send(data)
    },
    close() {
      left.abort()
      if (isOpen) socket.current?.close(1000)
      disconnect()
    },
    bufferedAmount: () => socket.current?.bufferedAmount ?? 0,
    isClosed: () => socket.current?.readyState === WebSocket.CLOSED,
  }
}

/** True if the policy of the page forbids this address. Browsers may report only its scheme. */
function forbids(
  { disposition, effectiveDirective, blockedURI }: SecurityPolicyViolationEvent,
  url: string,
): boolean {
  const isForbidden = disposition === 'enforce' && effectiveDirective === 'connect-src'
  return isForbidden && new URL(url).href.startsWith(blockedURI)
}

const ref = <TValue>(current: TValue) => ({ current })
const nothing = (): void => {}
/** No message reaches the library's state. */
const NEVER = (): boolean => false
