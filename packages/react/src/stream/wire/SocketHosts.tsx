'use client'

import { useEffect, useState, useSyncExternalStore } from 'react'
import type { ReactNode } from 'react'
import { useClient } from '../../client/useClient.js'
import type { HostedSocket } from './HostedSockets.js'
import { createHostBoard } from './HostedSockets.js'
import { SocketHost } from './SocketHost.js'

const ON_A_SERVER: readonly HostedSocket[] = []

/** Renders the connections of a client, one hidden component each, apart from those who use them. Shows nothing. */
export function StreamHosts(): ReactNode {
  const board = useClient().part(createHostBoard)
  const [host] = useState(() => Symbol('host'))
  const hosted = useSyncExternalStore(
    board.subscribe,
    () => board.hosted(host),
    () => ON_A_SERVER,
  )
  useEffect(() => board.attach(host), [board, host])
  return hosted.map((socket) => <SocketHost key={socket.id} hosted={socket} />)
}
