import { createServer } from 'node:http'
import { createBff } from '@stagepass/bff'
import { fromJwt } from '@stagepass/bff/authorize'
import { createEmulator } from '@stagepass/emulator'
import { AUDIENCE, createIssuer, ISSUER } from './createIssuer.mjs'

const { PORT = '3000', EMULATOR_PORT = '3001', WEB_ORIGIN = 'http://localhost:8081' } = process.env

/** The voice service: its variables, or without a key an emulator. */
async function openService() {
  const { VOICE_API_KEY, VOICE_BASE_URL, VOICE_STREAMING_URL, VOICE_MEETINGS_URL, VOICE_MEETINGS_TOKEN } =
    process.env
  if (VOICE_API_KEY)
    return {
      options: {
        apiKey: VOICE_API_KEY,
        baseUrl: VOICE_BASE_URL,
        streamingUrl: VOICE_STREAMING_URL,
        meetings: { baseUrl: VOICE_MEETINGS_URL },
      },
      meetingsCredential: VOICE_MEETINGS_TOKEN,
    }
  console.log('VOICE_API_KEY is not set: an emulator takes the place of the voice service.')
  const emulator = await createEmulator({ port: Number(EMULATOR_PORT) })
  return { options: emulator.bffOptions, meetingsCredential: emulator.meetingsCredential }
}

const { options, meetingsCredential } = await openService()
const answerAsIssuer = await createIssuer()
const voice = createBff({
  ...options,
  basePath: '/api/voice',
  // Only for `npm run dev` in a browser. A phone sends no Origin.
  allowedOrigins: [WEB_ORIGIN],
  authorize: fromJwt({
    jwksUrl: `http://127.0.0.1:${PORT}/issuer/jwks`,
    issuer: ISSUER,
    audience: AUDIENCE,
    meetingsCredential,
  }),
})

const server = createServer((request, response) => {
  if (request.url?.startsWith('/api/voice')) {
    voice(request, response)
    return
  }
  if (request.headers.origin === WEB_ORIGIN) {
    response.setHeader('access-control-allow-origin', WEB_ORIGIN)
    response.setHeader('access-control-allow-headers', 'content-type')
  }
  if (request.method === 'OPTIONS') response.writeHead(204).end()
  else answerAsIssuer(request, response).catch(() => response.writeHead(400).end())
})
server.listen(Number(PORT), '127.0.0.1', () => console.log(`Listening on http://localhost:${PORT}`))

for (const signal of ['SIGINT', 'SIGTERM'] as const)
  process.once(signal, () => void voice.close().finally(() => process.exit()))
