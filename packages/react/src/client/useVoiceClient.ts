'use client'

import { useClient } from '../identity/useClient.js'
import { type VoiceClient, viewOf } from './createVoiceClient.js'

/**
 * The voice client of the nearest `VoiceProvider`, for the user of this render. A change of user returns
 * another object.
 */
export function useVoiceClient(): VoiceClient {
  return viewOf(useClient())
}
