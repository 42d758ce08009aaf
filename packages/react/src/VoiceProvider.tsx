'use client'

import { type ComponentType, type ReactNode, useSyncExternalStore } from 'react'
import { createHostSlot } from './client/HostSlot.js'
import { ClientContext } from './client/ClientContext.js'
import type { VoiceClient } from './createVoiceClient.js'

export interface VoiceProviderProps {
  /** Made once by `createVoiceClient`, outside of components. */
  readonly client: VoiceClient
  readonly children?: ReactNode
}

const NO_HOSTS: readonly ComponentType[] = []
const noHosts = (): readonly ComponentType[] => NO_HOSTS

/** Gives the client to the hooks below. Place it inside `QueryClientProvider`. */
export function VoiceProvider({ client, children }: VoiceProviderProps): ReactNode {
  const { subscribe, shown } = client.part(createHostSlot)
  const hosts = useSyncExternalStore(subscribe, shown, noHosts)
  return (
    <ClientContext.Provider value={client}>
      {children}
      {hosts.map((Host, index) => (
        <Host key={index} />
      ))}
    </ClientContext.Provider>
  )
}
