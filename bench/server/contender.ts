import { createWriteStream } from 'node:fs'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { createBff } from '@stagepass/bff'
import { startServer } from '@stagepass/server'

/* `contender.ts mounted|fromJwt|fromUrl <team> <upstream>`: a BFF in a separate process. */

const KEY = 'sk_0123456789abcdef'
const [name = '', team = '', upstream = ''] = process.argv.slice(2)
const streamingUrl = upstream.replace('http', 'ws')

process.on('message', () => {
  const { user, system } = process.cpuUsage()
  process.send?.({ cpuUs: user + system })
})

if (name === 'mounted') {
  const voice = createBff({
    apiKey: KEY,
    baseUrl: upstream,
    streamingUrl,
    basePath: '/api/voice',
    authorize: async () => ({ user: 'ada' }),
    limits: { tokensPerMinute: 1_000_000_000 },
  })
  const server = createServer({ keepAliveTimeout: 600_000 }, voice)
  server.listen(0, '127.0.0.1', () => process.send?.({ port: (server.address() as AddressInfo).port }))
} else {
  // A program in the background writes its output to a file, or discards it.
  const out = createWriteStream('/dev/null')
  const byJwt = {
    STAGEPASS_JWKS_URL: `${team}/jwks`,
    STAGEPASS_JWT_ISSUER: 'bench',
    STAGEPASS_JWT_AUDIENCE: 'voice',
  }
  const { url } = await startServer({
    environment: {
      VOICE_API_KEY: KEY,
      VOICE_BASE_URL: upstream,
      VOICE_STREAMING_URL: streamingUrl,
      STAGEPASS_ORIGIN: 'https://app.example.com',
      STAGEPASS_PORT: '0',
      ...(name === 'fromJwt' ? byJwt : { STAGEPASS_AUTHORIZE_URL: `${team}/grant` }),
    },
    limits: { tokensPerMinute: 1_000_000_000 },
    write: (text) => void out.write(text),
  })
  process.send?.({ port: Number(new URL(url).port) })
}
