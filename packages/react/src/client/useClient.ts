'use client'

import { useContext } from 'react'
import type { Client } from './Client.js'
import { ClientContext } from './ClientContext.js'

/** The client given to the nearest `VoiceProvider`, as the hooks of this package need it. */
export function useClient(): Client {
  const client = useContext(ClientContext)
  if (client) return client
  throw new Error(
    'Failed to find the voice client: no VoiceProvider is above this component. Wrap the application in <VoiceProvider client={voice}>.',
  )
}
