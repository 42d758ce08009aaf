'use client'

import { useClient } from './client/useClient.js'
import type { VoiceClient } from './createVoiceClient.js'

/** The client given to the nearest `VoiceProvider`. */
export function useVoiceClient(): VoiceClient {
  // `VoiceProvider` takes nothing else.
  return useClient() as VoiceClient
}
