import { type Bff, createBff, type Grant } from '@stagepass/bff/fetch'
import { createLogin } from '../../login/login'

/**
 * Next.js may load this module once for the pages and once for the routes. The account has one budget, so a
 * process has one BFF.
 */
const kept = globalThis as { voiceBff?: Bff }

/**
 * The voice routes for the users of this application. The first request makes them: `next build` loads this
 * module too, and a build has no key.
 */
export const getBff = (): Bff => (kept.voiceBff ??= createVoice())

/** What a user of this application may do, in a page and on this server. */
export function grantOf(user: string): Grant {
  const { VOICE_MEETINGS_TOKEN } = process.env
  return {
    user,
    products: ['stt', 'tts'],
    maxTtlMinutes: 30,
    meetings: VOICE_MEETINGS_TOKEN ? { credential: VOICE_MEETINGS_TOKEN, ownership: 'mine' } : undefined,
  }
}

function createVoice(): Bff {
  const { VOICE_API_KEY, VOICE_BASE_URL, VOICE_STREAMING_URL, VOICE_MEETINGS_URL } = process.env
  const login = createLogin()
  return createBff({
    apiKey: VOICE_API_KEY,
    baseUrl: VOICE_BASE_URL,
    streamingUrl: VOICE_STREAMING_URL,
    // Next.js does not strip the path of the route.
    basePath: '/api/voice',
    // A proxy that ends TLS hides the origin from this server.
    origin: process.env.PUBLIC_ORIGIN,
    authorize: (request) => {
      const user = login.userOf(request.headers.get('cookie'))
      return user === undefined ? null : grantOf(user)
    },
    meetings: { baseUrl: VOICE_MEETINGS_URL },
    onEvent: (event) => console.log(JSON.stringify(event)),
  })
}
