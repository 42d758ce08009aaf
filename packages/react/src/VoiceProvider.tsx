'use client'

import type { ReactNode } from 'react'
import { StreamHosts } from './stream/StreamHosts.js'
import { VoiceContext } from './VoiceContext.js'
import type { VoiceClient } from './VoiceClient.js'

export interface VoiceProviderProps {
  /** Made once by `createVoiceClient`, outside of components. */
  readonly client: VoiceClient
  readonly children?: ReactNode
}

/** Gives the voice client to the hooks below it. Stands inside TanStack Query's `QueryClientProvider`. */
export function VoiceProvider({ client, children }: VoiceProviderProps): ReactNode {
  return (
    <VoiceContext.Provider value={client}>
      {children}
      <StreamHosts board={client.streams.board} />
    </VoiceContext.Provider>
  )
}
