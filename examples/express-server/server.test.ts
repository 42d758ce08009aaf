import type { AddressInfo } from 'node:net'
import { createEmulator } from '@stagepass/emulator'
import { expect, it } from 'vitest'
import { createApp } from './app.js'
import { createVoice } from './voice.js'

async function setup() {
  const upstream = await createEmulator({ port: 0 })
  const voice = createVoice({
    VOICE_API_KEY: upstream.apiKey,
    VOICE_BASE_URL: upstream.baseUrl,
    VOICE_STREAMING_URL: upstream.streamingUrl,
    VOICE_MEETINGS_URL: upstream.meetingsUrl,
    VOICE_MEETINGS_TOKEN: upstream.meetingsCredential,
  })
  const server = createApp({ sessionSecret: 'only for this test', voice }).listen(0)
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
  return {
    upstream,
    async login(user: string): Promise<string> {
      const answer = await fetch(`${url}/login`, {
        method: 'POST',
        headers: { 'content-type': 'application/json' },
        body: JSON.stringify({ user }),
      })
      return answer.headers.getSetCookie()[0]?.split(';')[0] ?? ''
    },
    get: (path: string, cookie = '') =>
      fetch(url + path, { headers: { cookie, 'x-stagepass': '1', origin: url } }),
    mint: (usage_type: string, cookie = '') =>
      fetch(`${url}/api/voice/session-token`, {
        method: 'POST',
        headers: { cookie, 'x-stagepass': '1', origin: url, 'content-type': 'application/json' },
        body: JSON.stringify({ usage_type }),
      }),
    async [Symbol.asyncDispose]() {
      await voice.close()
      server.closeAllConnections()
      server.close()
      await upstream.close()
    },
  }
}

it('keeps its own login and routes', async () => {
  await using app = await setup()
  const cookie = await app.login('ada')
  expect(await (await app.get('/me')).json()).toEqual({ user: null })
  expect(await (await app.get('/me', cookie)).json()).toEqual({ user: 'ada' })
})

it('mints a token for a signed-in user, although its own parser read the body first', async () => {
  await using app = await setup()
  const answer = await app.mint('stt', await app.login('ada'))
  expect(answer.status).toBe(200)
  expect(await answer.json()).toMatchObject({
    usage_type: 'stt',
    type: 'session',
    stream_url: `${app.upstream.streamingUrl}/stt`,
  })
})

it('answers 401 to a stranger, and asks the service nothing', async () => {
  await using app = await setup()
  const answer = await app.mint('stt')
  expect(answer.status).toBe(401)
  expect(await answer.json()).toMatchObject({ error_code: 'UNAUTHENTICATED', retryable: false })
  expect(app.upstream.requests).toHaveLength(0)
})

it('gives a user the products and the meetings of the grant, and no others', async () => {
  await using app = await setup()
  const cookie = await app.login('ada')
  expect((await app.mint('vt', cookie)).status).toBe(403)
  const { meetings } = (await (await app.get('/api/voice/meetings', cookie)).json()) as {
    meetings: { ownership: string }[]
  }
  expect(meetings.length).toBeGreaterThan(0)
  expect(new Set(meetings.map(({ ownership }) => ownership))).toEqual(new Set(['owned']))
})
