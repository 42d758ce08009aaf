import { type Bff, createBff } from '@stagepass/bff'
import type { Request } from 'express'
import type { Login } from '../login/login.js'

/**
 * The voice routes for the users of this application. All that Stagepass adds to the server is this file and
 * the line that mounts it.
 */
export function createVoice(login: Login, env: NodeJS.ProcessEnv, log = console.log): Bff<Request> {
  const { VOICE_API_KEY, VOICE_BASE_URL, VOICE_STREAMING_URL, VOICE_MEETINGS_URL, VOICE_MEETINGS_TOKEN } = env
  return createBff({
    apiKey: VOICE_API_KEY,
    baseUrl: VOICE_BASE_URL,
    streamingUrl: VOICE_STREAMING_URL,
    // A proxy that ends TLS hides the origin from this server.
    origin: env.PUBLIC_ORIGIN,
    authorize: (req: Request) => {
      const user = login.userOf(req.headers.cookie)
      if (user === undefined) return null
      return {
        user,
        products: ['stt', 'tts'],
        maxTtlMinutes: 30,
        meetings: VOICE_MEETINGS_TOKEN ? { credential: VOICE_MEETINGS_TOKEN, ownership: 'mine' } : undefined,
      }
    },
    meetings: { baseUrl: VOICE_MEETINGS_URL },
    onEvent: (event) => log(JSON.stringify(event)),
  })
}
