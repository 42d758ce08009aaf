'use client'

import { useClient } from './client/useClient.js'
import { type VoiceClient, viewOf } from './createVoiceClient.js'

/**
 * The client given to the nearest `VoiceProvider`, for the user of this render. After a change of user it is
 * another object.
 */
export function useVoiceClient(): VoiceClient {
  return viewOf(useClient())
}
