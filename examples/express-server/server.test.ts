import { execFile } from 'node:child_process'
import type { AddressInfo } from 'node:net'
import { promisify } from 'node:util'
import { createEmulator } from '@stagepass/emulator'
import { expect, it, vi } from 'vitest'
import { createApp } from './app.js'
import { createAttempts } from './attempts.js'
import { readSettings } from './settings.js'
import { createUsers } from './users.js'
import { createVoice } from './voice.js'

const PASSWORD = 'correct horse battery staple'
const HTTPS = 'https://app.example.com'
const SECRET = 'only for this test, and 32 characters long'

/** As strong as a test needs it. */
const users = createUsers({ ada: PASSWORD, ben: PASSWORD }, { N: 2, r: 1, p: 1 })

/** The server behind a proxy that ends TLS, as in production, or on plain http for a browser on the same machine. */
async function setup(publicOrigin = HTTPS, attempts = createAttempts()) {
  const upstream = await createEmulator({ port: 0 })
  const voice = createVoice({
    apiKey: upstream.apiKey,
    baseUrl: upstream.baseUrl,
    streamingUrl: upstream.streamingUrl,
    meetingsUrl: upstream.meetingsUrl,
    meetingsCredential: upstream.meetingsCredential,
  })
  const server = createApp({
    publicOrigin,
    sessionSecret: SECRET,
    users: await users,
    attempts,
    voice,
  }).listen(0)
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
  const { protocol, host } = new URL(publicOrigin)
  const browser = {
    origin: publicOrigin,
    'x-forwarded-proto': protocol.slice(0, -1),
    'x-forwarded-host': host,
  }
  const post = (path: string, body: object, headers: Record<string, string> = {}) =>
    fetch(url + path, {
      method: 'POST',
      headers: { ...browser, 'content-type': 'application/json', ...headers },
      body: JSON.stringify(body),
    })
  const get = (path: string, cookie = '', headers: Record<string, string> = {}) =>
    fetch(url + path, { headers: { ...browser, 'x-stagepass': '1', cookie, ...headers } })

  return {
    upstream,
    post,
    get,
    logIn: (user: string, password = PASSWORD, headers = {}) => post('/login', { user, password }, headers),
    /** Signs in, in a browser that may have a cookie, and returns its cookie from then on. */
    async cookieOf(user: string, before = ''): Promise<string> {
      const response = await post('/login', { user, password: PASSWORD }, { cookie: before })
      expect(response.status).toBe(200)
      return response.headers.getSetCookie()[0]?.split(';')[0] ?? ''
    },
    async who(cookie: string): Promise<unknown> {
      const { user } = (await (await get('/me', cookie)).json()) as { user: unknown }
      return user
    },
    mint: (usage_type: string, cookie = '', headers = {}) =>
      post('/api/voice/session-token', { usage_type }, { 'x-stagepass': '1', cookie, ...headers }),
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
  expect((await app.get('/me')).headers.get('cache-control')).toBe('no-store')
})

it('sets the session cookie at login and not before, with every attribute that protects it', async () => {
  await using app = await setup()
  expect((await app.get('/me')).headers.getSetCookie()).toEqual([])
  const [cookie = ''] = (await app.logIn('ada')).headers.getSetCookie()
  const [pair = '', ...attributes] = cookie.split('; ')
  expect(pair).toMatch(/^__Host-session=s%3A/)
  expect(attributes.map((text) => text.replace(/^Expires=.*/, 'Expires')).toSorted()).toEqual([
    'Expires',
    'HttpOnly',
    'Path=/',
    'SameSite=Lax',
    'Secure',
  ])
})

it('sets a cookie that a browser takes on plain http, on localhost alone', async () => {
  await using app = await setup('http://localhost:3000')
  const [cookie = ''] = (await app.logIn('ada')).headers.getSetCookie()
  expect(cookie).toMatch(/^session=/)
  expect(cookie).toContain('HttpOnly')
  expect(cookie).toContain('SameSite=Lax')
  expect(cookie).not.toContain('Secure')
})

it('gives a new session id at login, and ends the session before it', async () => {
  await using app = await setup()
  const planted = await app.cookieOf('ben')
  const cookie = await app.cookieOf('ada', planted)
  expect(cookie).not.toBe(planted)
  expect(await app.who(cookie)).toBe('ada')
  expect(await app.who(planted)).toBe(null)
  expect((await app.mint('stt', planted)).status).toBe(401)
})

it('ends the session at logout: the cookie is deleted, and worth nothing to anyone who kept it', async () => {
  await using app = await setup()
  const cookie = await app.cookieOf('ada')
  expect((await app.mint('stt', cookie)).status).toBe(200)
  const response = await app.post('/logout', {}, { cookie })
  const [deleted = ''] = response.headers.getSetCookie()
  expect(deleted).toMatch(/^__Host-session=; Path=\/; Expires=Thu, 01 Jan 1970 00:00:00 GMT/)
  // A browser ignores a `__Host-` cookie without these two, a deletion too.
  expect(deleted).toContain('Secure')
  expect(await app.who(cookie)).toBe(null)
  expect((await app.mint('stt', cookie)).status).toBe(401)
})

it('ends a session eight hours after its login, also if it is in use all the time', async () => {
  await using app = await setup()
  const cookie = await app.cookieOf('ada')
  const startedAt = Date.now()
  const whoAfter = async (hours: number): Promise<unknown> => {
    vi.setSystemTime(startedAt + hours * 3_600_000)
    return app.who(cookie)
  }
  vi.useFakeTimers({ toFake: ['Date'] })
  try {
    expect([await whoAfter(4), await whoAfter(7), await whoAfter(9)]).toEqual(['ada', 'ada', null])
  } finally {
    vi.useRealTimers()
  }
})

it('ends one session of a user, and not the user’s session in another browser', async () => {
  await using app = await setup()
  const [here, elsewhere] = [await app.cookieOf('ada'), await app.cookieOf('ada')]
  await app.post('/logout', {}, { cookie: here })
  expect([await app.who(here), await app.who(elsewhere)]).toEqual([null, 'ada'])
})

it('says the same of a wrong password and of an unknown user', async () => {
  await using app = await setup()
  const responses = [await app.logIn('ada', 'wrong'), await app.logIn('eve', PASSWORD)]
  expect(responses.map(({ status }) => status)).toEqual([401, 401])
  const [wrong, unknown] = await Promise.all(responses.map((response) => response.text()))
  expect(wrong).toBe(unknown)
  expect(responses.flatMap(({ headers }) => headers.getSetCookie())).toEqual([])
})

it('limits attempts for one name, counted before the password is checked, and says when to come back', async () => {
  await using app = await setup()
  const responses = await Promise.all(Array.from({ length: 12 }, () => app.logIn('ada', 'wrong')))
  const statuses = responses.map(({ status }) => status)
  expect(statuses.filter((status) => status === 401)).toHaveLength(10)
  expect(statuses.filter((status) => status === 429)).toHaveLength(2)
  const refused = await app.logIn('ada')
  expect(refused.status).toBe(429)
  expect(Number(refused.headers.get('retry-after'))).toBeGreaterThan(800)
  expect((await app.logIn('ben')).status).toBe(200)
})

it('limits attempts from one address, whatever the names', async () => {
  await using app = await setup(HTTPS, createAttempts({ perAddress: 5 }))
  const from = { 'x-forwarded-for': '192.0.2.7' }
  // Logins that succeed do not count.
  for (let count = 0; count < 6; count += 1) expect((await app.logIn('ada', PASSWORD, from)).status).toBe(200)
  const names = Array.from({ length: 5 }, (_, index) => `guess-${index}`)
  const guesses = await Promise.all(names.map((name) => app.logIn(name, 'wrong', from)))
  expect(new Set(guesses.map(({ status }) => status))).toEqual(new Set([401]))
  expect((await app.logIn('ada', PASSWORD, from)).status).toBe(429)
  expect((await app.logIn('ada', PASSWORD, { 'x-forwarded-for': '192.0.2.8' })).status).toBe(200)
})

it('refuses login and logout from a page of another site', async () => {
  await using app = await setup()
  const cookie = await app.cookieOf('ada')
  for (const origin of [
    'https://evil.example',
    'https://other.example.com',
    'null',
    `${HTTPS}.evil.example`,
    '',
  ]) {
    expect((await app.logIn('ada', PASSWORD, { origin })).status).toBe(403)
    expect((await app.post('/logout', {}, { cookie, origin })).status).toBe(403)
  }
  expect(await app.who(cookie)).toBe('ada')
})

it('refuses a login without a name and a password', async () => {
  await using app = await setup()
  for (const body of [
    {},
    { user: 'ada' },
    { user: ['ada'], password: PASSWORD },
    { user: 'x'.repeat(65), password: 'x' },
  ]) {
    expect((await app.post('/login', body)).status).toBe(400)
  }
})

it('mints a token for a signed-in user, although its own parser read the body first', async () => {
  await using app = await setup()
  const answer = await app.mint('stt', await app.cookieOf('ada'))
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

it('refuses a page of the former user after another has signed in, and asks the service nothing', async () => {
  await using app = await setup()
  const cookie = await app.cookieOf('ben', await app.cookieOf('ada'))
  const answer = await app.mint('stt', cookie, { 'x-stagepass-user': 'ada' })
  expect(answer.status).toBe(403)
  expect(await answer.json()).toMatchObject({ error_code: 'USER_CHANGED', retryable: false })
  expect(app.upstream.requests).toHaveLength(0)
  expect((await app.mint('stt', cookie, { 'x-stagepass-user': 'ben' })).status).toBe(200)
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

const ENVIRONMENT = {
  PUBLIC_ORIGIN: HTTPS,
  SESSION_SECRET: SECRET,
  EXAMPLE_PASSWORD: PASSWORD,
  VOICE_API_KEY: 'key',
  VOICE_BASE_URL: 'https://voice.example.com',
  VOICE_STREAMING_URL: 'wss://voice.example.com',
  VOICE_MEETINGS_TOKEN: 'token',
}

it.each(Object.keys(ENVIRONMENT))('does not start without %s, and says so', (name) => {
  expect(readSettings(ENVIRONMENT).publicOrigin).toBe(HTTPS)
  for (const missing of [undefined, '']) {
    expect(() => readSettings({ ...ENVIRONMENT, [name]: missing })).toThrow(
      `Failed to start: ${name} is not set. Set it to `,
    )
  }
})

it.each([
  ['SESSION_SECRET', 'short', 'at least 32 characters'],
  ['PUBLIC_ORIGIN', 'http://app.example.com', 'must be an https address'],
  ['PUBLIC_ORIGIN', 'app.example.com', 'must be an https address'],
])('does not start with %s set to %s', (name, value, sentence) => {
  expect(() => readSettings({ ...ENVIRONMENT, [name]: value })).toThrow(sentence)
})

it('ends with the sentence if it is started without a secret', async () => {
  const { VOICE_MEETINGS_TOKEN: _left, ...rest } = ENVIRONMENT
  const start = promisify(execFile)(
    process.execPath,
    ['--import', 'tsx', '--conditions=@stagepass/source', new URL('server.ts', import.meta.url).pathname],
    { env: { PATH: process.env.PATH, ...rest } },
  )
  await expect(start).rejects.toMatchObject({
    code: 1,
    stderr: expect.stringContaining('Failed to start: VOICE_MEETINGS_TOKEN is not set.'),
  })
})
