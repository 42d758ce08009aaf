import { createBff, type Grant } from '@stagepass/bff/fetch'
import { createLogin } from '../login/login.js'

const { VOICE_API_KEY, VOICE_BASE_URL, VOICE_STREAMING_URL, VOICE_MEETINGS_URL, VOICE_MEETINGS_TOKEN } =
  process.env

const login = createLogin()

/** What a user of this application may do, in a page and on this server. */
export const grantOf = (user: string): Grant => ({
  user,
  products: ['stt', 'tts'],
  maxTtlMinutes: 30,
  meetings: VOICE_MEETINGS_TOKEN ? { credential: VOICE_MEETINGS_TOKEN, ownership: 'mine' } : undefined,
})

/** The voice routes for the users of this application. */
export const bff = createBff({
  apiKey: VOICE_API_KEY,
  baseUrl: VOICE_BASE_URL,
  streamingUrl: VOICE_STREAMING_URL,
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
