import { createBff } from '@stagepass/bff'
import { fromJwt } from '@stagepass/bff/authorize'
import { createApp } from './app.js'
import { startDevelopmentIssuer } from './developmentIssuer.js'

const { PORT = '3000', HOST = '127.0.0.1', PUBLIC_ORIGIN = `http://localhost:${PORT}`, ...env } = process.env
const development = env.JWT_JWKS_URL ? undefined : await startDevelopmentIssuer()
const authorize = fromJwt({
  jwksUrl: env.JWT_JWKS_URL,
  issuer: env.JWT_ISSUER,
  audience: env.JWT_AUDIENCE,
  ...development?.options,
  meetingsCredential: env.VOICE_MEETINGS_TOKEN,
})
// If your server has a BFF for its pages, use that one: then both share their limits.
const bff = createBff({
  apiKey: env.VOICE_API_KEY,
  baseUrl: env.VOICE_BASE_URL,
  streamingUrl: env.VOICE_STREAMING_URL,
  meetings: { baseUrl: env.VOICE_MEETINGS_URL },
  authorize,
  onEvent: (event) => console.log(JSON.stringify(event)),
})
const hosts = ['localhost', '127.0.0.1', '[::1]', new URL(PUBLIC_ORIGIN).hostname]
const url = `${PUBLIC_ORIGIN}/mcp`
const token = await development?.sign('ada', { meetings: { ownership: 'mine' } })
const server = createApp({ bff, authorize, hosts, origin: PUBLIC_ORIGIN }).listen(
  Number(PORT),
  HOST,
  (error) => {
    if (error) throw error
    console.log(`Listening for ${url}`)
    if (token === undefined) return
    const headers = { Authorization: `Bearer ${token}` }
    console.log('Paste this into the settings of your client. The token is valid for 8 hours:')
    console.log(JSON.stringify({ mcpServers: { meetings: { type: 'http', url, headers } } }))
  },
)

for (const signal of ['SIGINT', 'SIGTERM'] as const) {
  process.once(signal, () => void bff.close().finally(() => server.close()))
}
