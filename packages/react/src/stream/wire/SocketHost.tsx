'use client'

// The package's own entry is an object in native ESM and in newer bundlers; this file of it is what it says.
import { useWebSocket } from 'react-use-websocket/dist/lib/use-websocket.js'
import type { HostedSocket } from './HostedSockets.js'

const NEVER = (): boolean => false

/**
 * One socket: the URL is a string, and the library's own reconnecting, queueing and sharing are not used. A
 * message causes no render, because none reaches the library's state.
 */
export function SocketHost({ hosted }: { hosted: HostedSocket }): null {
  useWebSocket(hosted.url, {
    onOpen: (event) => hosted.opened(event.target as WebSocket),
    onMessage: (event: MessageEvent<string | ArrayBuffer>) => hosted.received(event.data),
    onClose: (event) => hosted.closed(event.code, event.reason),
    filter: NEVER,
    disableJson: true,
  })
  return null
}
