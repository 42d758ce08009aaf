'use client'

import { type ReactNode, useEffect, useState, useSyncExternalStore } from 'react'
import { useClient } from '../../client/useClient.js'
import { createHostedSockets, type HostedSocket } from './HostedSockets.js'
import { SocketHost } from './SocketHost.js'

const ON_A_SERVER: readonly HostedSocket[] = []

/** Renders the sockets of a client, one hidden component each, apart from the components that use them. Shows nothing. */
export function SocketHosts(): ReactNode {
  const sockets = useClient().part(createHostedSockets)
  const [host] = useState(() => Symbol('host'))
  const hosted = useSyncExternalStore(
    sockets.subscribe,
    () => sockets.hosted(host),
    () => ON_A_SERVER,
  )
  useEffect(() => sockets.attach(host), [sockets, host])
  return hosted.map((socket) => <SocketHost key={socket.id} hosted={socket} />)
}
