import type { Emulator } from '@stagepass/emulator'

/** The variables by which the demo takes an emulator for the real service. */
export const variablesOf = (upstream: Emulator): Readonly<Record<string, string>> => ({
  VOICE_API_KEY: upstream.apiKey,
  VOICE_BASE_URL: upstream.baseUrl,
  VOICE_STREAMING_URL: upstream.streamingUrl,
  VOICE_MEETINGS_URL: upstream.meetingsUrl,
  VOICE_MEETINGS_TOKEN: upstream.meetingsCredential,
})
