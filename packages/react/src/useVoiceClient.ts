'use client'

import { useContext } from 'react'
import type { VoiceClient } from './VoiceClient.js'
import { VoiceContext } from './VoiceContext.js'

/** The client given to the nearest `VoiceProvider`. */
export function useVoiceClient(): VoiceClient {
  const client = useContext(VoiceContext)
  if (client) return client
  throw new Error(
    'Failed to find the voice client: there is no VoiceProvider above this component. Wrap the application in <VoiceProvider client={createVoiceClient({ url })}>, with the client created outside of the component.',
  )
}
