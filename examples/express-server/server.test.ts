import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { type IncomingMessage, request } from 'node:http'
import type { AddressInfo } from 'node:net'
import { createEmulator } from '@stagepass/emulator'
import { outerAddress } from '@stagepass/testing/outerAddress'
import { afterEach, beforeEach, expect, it, vi } from 'vitest'
import { createLogin, type Login } from '../login/login.js'
import { createApp } from './app.js'
import { createVoice } from './voice.js'

const ORIGIN = 'http://localhost:3000'

beforeEach(() => {
  vi.stubEnv('PUBLIC_ORIGIN', ORIGIN)
})
afterEach(() => {
  vi.unstubAllEnvs()
})

/** The server for a browser that has `origin` in its address bar. */
async function setup(login: Login = createLogin(), origin = ORIGIN, host = '127.0.0.1') {
  const upstream = await createEmulator({ port: 0 })
  const env = {
    PUBLIC_ORIGIN: origin,
    VOICE_API_KEY: upstream.apiKey,
    VOICE_BASE_URL: upstream.baseUrl,
    VOICE_STREAMING_URL: upstream.streamingUrl,
    VOICE_MEETINGS_URL: upstream.meetingsUrl,
    VOICE_MEETINGS_TOKEN: upstream.meetingsCredential,
  }
  const voice = createVoice(login, env, () => {})
  const server = createApp(login, voice).listen(0, host)
  await once(server, 'listening')
  const url = `http://${host}:${(server.address() as AddressInfo).port}`
  /** `fetch` sends no other `Host` than that of the address. */
  const post = async (path: string, body: string | URLSearchParams, headers: Record<string, string> = {}) => {
    const type = typeof body === 'string' ? 'text/plain' : 'application/x-www-form-urlencoded'
    const sent = request(url + path, {
      method: 'POST',
      headers: { origin, host: new URL(origin).host, 'content-type': type, ...headers },
    })
    const [answer] = (await once(sent.end(String(body)), 'response')) as [IncomingMessage]
    const given = new Headers()
    for (const [name, value = []] of Object.entries(answer.headers))
      for (const one of [value].flat()) given.append(name, one)
    const text = Buffer.concat(await answer.toArray())
    return new Response(text, { status: answer.statusCode ?? 0, headers: given })
  }
  const get = (path: string, cookie = '') => fetch(url + path, { headers: { 'x-stagepass': '1', cookie } })

  return {
    url,
    upstream,
    env,
    post,
    get,
    /** Signs in, and returns the cookie from then on. */
    async cookieOf(user: string): Promise<string> {
      const response = await post('/login', new URLSearchParams({ user }))
      expect(response.headers.get('location')).toBe('/')
      return response.headers.getSetCookie()[0]?.split(';')[0] ?? ''
    },
    async who(cookie: string): Promise<unknown> {
      const { user } = (await (await get('/me', cookie)).json()) as { user: unknown }
      return user
    },
    mint: (usage_type: string, cookie = '', headers = {}) =>
      post('/api/voice/session-token', JSON.stringify({ usage_type }), {
        'content-type': 'application/json',
        'x-stagepass': '1',
        cookie,
        ...headers,
      }),
    async [Symbol.asyncDispose]() {
      await voice.close()
      server.closeAllConnections()
      server.close()
      await upstream.close()
    },
  }
}

it('tells the page who is signed in', async () => {
  await using app = await setup()
  expect(await app.who('')).toBe(null)
  expect(await app.who(await app.cookieOf('ada'))).toBe('ada')
  const response = await app.get('/me')
  expect(response.headers.get('cache-control')).toBe('no-store')
  expect(response.headers.getSetCookie()).toEqual([])
})

it('mints no token after the logout, for anyone who kept the cookie', async () => {
  await using app = await setup()
  const cookie = await app.cookieOf('ada')
  expect((await app.mint('stt', cookie)).status).toBe(200)
  expect((await app.post('/logout', '', { cookie })).status).toBe(303)
  expect(await app.who(cookie)).toBe(null)
  expect((await app.mint('stt', cookie)).status).toBe(401)
})

it('refuses a token to a page of the user before', async () => {
  await using app = await setup()
  const cookie = await app.cookieOf('ben')
  const answer = await app.mint('stt', cookie, { 'x-stagepass-user': 'ada' })
  expect(answer.status).toBe(403)
  expect(await answer.json()).toMatchObject({ error_code: 'USER_CHANGED' })
})

it('refuses a login from another machine, whatever its headers say', async () => {
  await using app = await setup(createLogin(), ORIGIN, outerAddress())
  const headers = { 'x-forwarded-for': '127.0.0.1', 'x-real-ip': '127.0.0.1', forwarded: 'for=127.0.0.1' }
  const response = await app.post('/login', new URLSearchParams({ user: 'ada' }), headers)
  expect(response.status).toBe(403)
  expect(response.headers.getSetCookie()).toEqual([])
  expect(await response.text()).toContain(`This request came from ${outerAddress()}.`)
})

it('mints a token behind a proxy that ends TLS, with the login of an application', async () => {
  const login: Login = { ...createLogin(), userOf: () => 'ada' }
  await using app = await setup(login, 'https://app.example.com')
  expect((await app.mint('stt')).status).toBe(200)
  expect((await app.mint('stt', '', { origin: 'http://app.example.com' })).status).toBe(403)
})

it('its parser, which prints what it cannot parse, gets no body of the voice routes', async () => {
  await using app = await setup()
  const headers = {
    'content-type': 'application/json',
    'x-stagepass': '1',
    cookie: await app.cookieOf('ada'),
  }
  const broken = '{"usage_type":"stt","session_key":"a-session-token"'
  const answer = await app.post('/api/voice/handshake-check', broken, headers)
  // That of the BFF. The parser's is a page of HTML.
  expect(answer.headers.get('content-type')).toContain('json')
  expect(await answer.json()).toMatchObject({ error_code: 'VALIDATION_ERROR' })
})

it('gives a user the products and the meetings of the grant, and no others', async () => {
  await using app = await setup()
  const cookie = await app.cookieOf('ada')
  expect((await app.mint('vt', cookie)).status).toBe(403)
  const { meetings } = (await (await app.get('/api/voice/meetings', cookie)).json()) as {
    meetings: { ownership: string }[]
  }
  expect(meetings.length).toBeGreaterThan(0)
  expect(new Set(meetings.map(({ ownership }) => ownership))).toEqual(new Set(['owned']))
})

/** Starts `server.ts`, which is to end by itself. */
async function run(env: NodeJS.ProcessEnv): Promise<{ readonly code: number; readonly output: string }> {
  const file = new URL('server.ts', import.meta.url).pathname
  const child = spawn(process.execPath, ['--import', 'tsx', '--conditions=@stagepass/source', file], {
    env: { PATH: process.env.PATH, ...env },
    stdio: 'pipe',
  })
  let output = ''
  for (const stream of [child.stdout, child.stderr]) stream.on('data', (chunk) => (output += String(chunk)))
  const [code] = (await once(child, 'close')) as [number]
  return { code, output }
}

it('ends with the error if its port is taken, and does not say that it listens', async () => {
  await using app = await setup()
  const { code, output } = await run({ ...app.env, PORT: new URL(app.url).port })
  expect(code).toBe(1)
  expect(output).toContain(`address already in use`)
  expect(output).not.toContain('Listening')
})

it('does not start in production until it has a login of its own', async () => {
  const { code, output } = await run({ PORT: '0', NODE_ENV: 'production', PUBLIC_ORIGIN: ORIGIN })
  expect(code).toBe(1)
  expect(output).toContain('Replace login.ts with your own login.')
})
