'use client'

// The package's own entry is an object in native ESM and in newer bundlers; this file of it is what it says.
import { useWebSocket } from 'react-use-websocket/dist/lib/use-websocket.js'
import type { HostedSocket } from './HostedSockets.js'

const NEVER = (): boolean => false

/**
 * One connection: a string for an address, and nothing of the library's own reconnecting, queueing or sharing. A message costs no render, for
 * none reaches the library's state.
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
