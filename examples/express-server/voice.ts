import { type Bff, createBff } from '@stagepass/bff'
import type { Request } from 'express'
import { userOf } from './login.js'
import type { VoiceSettings } from './settings.js'

/** The voice routes for the users of this application. All that Stagepass adds to the server is this file and the line that mounts it. */
export function createVoice(settings: VoiceSettings, log: (event: object) => void = () => {}): Bff<Request> {
  return createBff({
    apiKey: settings.apiKey,
    baseUrl: settings.baseUrl,
    streamingUrl: settings.streamingUrl,
    authorize: (req) => {
      const user = userOf(req)
      if (user === undefined) return null
      return {
        user,
        products: ['stt', 'tts'],
        maxTtlMinutes: 30,
        meetings: { credential: settings.meetingsCredential, ownership: 'mine' },
      }
    },
    meetings: { baseUrl: settings.meetingsUrl },
    onEvent: log,
  })
}

export type Voice = Bff<Request>
