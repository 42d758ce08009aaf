import { createHook } from 'node:async_hooks'
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import type { AddressInfo } from 'node:net'
import { createEmulator } from '@stagepass/emulator'
import { expect, it, vi } from 'vitest'
import { createApp } from './app.js'
import { createAttempts, createLogin } from './login.js'
import { createVoice } from './voice.js'

const PASSWORD = 'correct horse battery staple'
const HTTPS = 'https://app.example.com'

/** As strong as a test needs it. */
const WEAK = { N: 2, r: 1, p: 1 }

/**
 * The server behind a proxy that ends TLS, as in production, or on plain http for a browser on the same
 * machine.
 */
async function setup(publicOrigin = HTTPS, attempts = createAttempts()) {
  const upstream = await createEmulator({ port: 0 })
  const login = createLogin({ publicOrigin, password: PASSWORD, attempts, cost: WEAK })
  const env = {
    VOICE_API_KEY: upstream.apiKey,
    VOICE_BASE_URL: upstream.baseUrl,
    VOICE_STREAMING_URL: upstream.streamingUrl,
    VOICE_MEETINGS_URL: upstream.meetingsUrl,
    VOICE_MEETINGS_TOKEN: upstream.meetingsCredential,
  }
  const voice = createVoice(login, env, () => {})
  const server = createApp(login, voice).listen(0)
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
  const { protocol, host } = new URL(publicOrigin)
  const browser = {
    origin: publicOrigin,
    'x-forwarded-proto': protocol.slice(0, -1),
    'x-forwarded-host': host,
    'x-forwarded-for': '192.0.2.1',
  }
  const post = (path: string, body: string | URLSearchParams, headers: Record<string, string> = {}) =>
    fetch(url + path, { method: 'POST', headers: { ...browser, ...headers }, body, redirect: 'manual' })
  const get = (path: string, cookie = '', headers: Record<string, string> = {}) =>
    fetch(url + path, { headers: { ...browser, 'x-stagepass': '1', cookie, ...headers } })
  const logIn = (user: string, password = PASSWORD, headers = {}) =>
    post('/login', new URLSearchParams({ user, password }), headers)

  return {
    url,
    upstream,
    post,
    get,
    logIn,
    logOut: (headers: Record<string, string>) => post('/logout', new URLSearchParams(), headers),
    /** Signs in, in a browser that may have a cookie, and returns its cookie from then on. */
    async cookieOf(user: string, before = ''): Promise<string> {
      const response = await logIn(user, PASSWORD, { cookie: before })
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

/** What a sign-in led to: the page, the form once more, or a refusal. */
const outcomeOf = ({ status, headers }: Response): string | number => headers.get('location') ?? status

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
  expect(pair).toMatch(/^__Host-session=[\w-]{43}$/)
  expect(attributes.toSorted()).toEqual(['HttpOnly', 'Max-Age=28800', 'Path=/', 'SameSite=Lax', 'Secure'])
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
  const response = await app.logOut({ cookie })
  const [deleted = ''] = response.headers.getSetCookie()
  expect(deleted).toMatch(/^__Host-session=; Max-Age=0; Path=\/;/)
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
  await app.logOut({ cookie: here })
  expect([await app.who(here), await app.who(elsewhere)]).toEqual([null, 'ada'])
})

it('says the same of a wrong password and of an unknown user', async () => {
  await using app = await setup()
  const responses = [await app.logIn('ada', 'wrong'), await app.logIn('eve', PASSWORD)]
  expect(responses.map(outcomeOf)).toEqual(['/?failed', '/?failed'])
  expect(responses.flatMap(({ headers }) => headers.getSetCookie())).toEqual([])
})

it('limits attempts for one name, counted before the password is checked, and says when to come back', async () => {
  await using app = await setup()
  const responses = await Promise.all(Array.from({ length: 12 }, () => app.logIn('ada', 'wrong')))
  const outcomes = responses.map(outcomeOf)
  expect(outcomes.filter((outcome) => outcome === '/?failed')).toHaveLength(10)
  expect(outcomes.filter((outcome) => outcome === 429)).toHaveLength(2)
  const refused = await app.logIn('ada')
  expect(refused.status).toBe(429)
  expect(Number(refused.headers.get('retry-after'))).toBeGreaterThan(800)
  expect(outcomeOf(await app.logIn('ben'))).toBe('/')
})

it('limits attempts from one address, whatever the names', async () => {
  await using app = await setup(HTTPS, createAttempts({ perAddress: 5 }))
  const from = { 'x-forwarded-for': '192.0.2.7' }
  // Logins that succeed do not count.
  for (let count = 0; count < 6; count += 1)
    expect(outcomeOf(await app.logIn('ada', PASSWORD, from))).toBe('/')
  const names = Array.from({ length: 5 }, (_, index) => `guess-${index}`)
  const guesses = await Promise.all(names.map((name) => app.logIn(name, 'wrong', from)))
  expect(new Set(guesses.map(outcomeOf))).toEqual(new Set(['/?failed']))
  expect((await app.logIn('ada', PASSWORD, from)).status).toBe(429)
  // What the one proxy has seen stands last; what stands before it comes from the browser.
  const pretended = { 'x-forwarded-for': '192.0.2.9, 192.0.2.7' }
  expect((await app.logIn('ada', PASSWORD, pretended)).status).toBe(429)
  expect(outcomeOf(await app.logIn('ada', PASSWORD, { 'x-forwarded-for': '192.0.2.8' }))).toBe('/')
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
    expect((await app.logOut({ cookie, origin })).status).toBe(403)
  }
  expect(await app.who(cookie)).toBe('ada')
})

it.each([
  [{}],
  [{ user: 'ada' }],
  [{ user: 'ada', password: '' }],
  [{ user: 'x'.repeat(65), password: 'x' }],
  [{ user: 'ada', password: 'x'.repeat(257) }],
])('refuses a login without a name and a password of usual lengths', async (fields: object) => {
  await using app = await setup()
  expect((await app.post('/login', new URLSearchParams({ ...fields }))).status).toBe(400)
})

/** Counts the passwords that are hashed while `work` runs. */
async function countHashes(work: () => Promise<unknown>): Promise<number> {
  let hashes = 0
  const hook = createHook({ init: (_id, type) => void (type === 'SCRYPTREQUEST' && (hashes += 1)) }).enable()
  try {
    await work()
    return hashes
  } finally {
    hook.disable()
  }
}

const LONG = 'x'.repeat(2_000_000)

it.each([
  ['a name of 2 MB', `user=${LONG}&password=${PASSWORD}`],
  ['a password of 2 MB', `user=ada&password=${LONG}`],
  ['2 MB after what is right', `user=ada&password=${PASSWORD}&more=${LONG}`],
])('keeps nothing and hashes nothing of twelve forms with %s', async (_what, form) => {
  const attempts = createAttempts()
  const taken = vi.spyOn(attempts, 'take')
  await using app = await setup(HTTPS, attempts)
  const headers = { 'content-type': 'application/x-www-form-urlencoded' }
  const hashes = await countHashes(async () => {
    const posts = Array.from({ length: 12 }, () => app.post('/login', form, headers))
    expect((await Promise.all(posts)).map(({ status }) => status)).toEqual(Array(12).fill(400))
  })
  expect(hashes).toBe(0)
  expect(taken).not.toHaveBeenCalled()
  expect(await app.who(await app.cookieOf('ada'))).toBe('ada')
})

it('hashes a password once for each attempt, and the loop runs meanwhile', async () => {
  const login = createLogin({ publicOrigin: HTTPS, password: PASSWORD })
  const guess = () =>
    login.signIn(
      new Request(`${HTTPS}/login`, {
        method: 'POST',
        headers: { origin: HTTPS },
        body: new URLSearchParams({ user: 'ada', password: 'wrong' }),
      }),
    )
  // The first one also hashes the right password.
  expect(await countHashes(guess)).toBe(2)
  let turns = 0
  let before = 0
  const hook = createHook({ init: (_id, type) => void (type === 'SCRYPTREQUEST' && (before = turns)) })
  const turn = (): void => {
    turns += 1
    next = setImmediate(turn)
  }
  let next = setImmediate(turn)
  hook.enable()
  const hashes = await countHashes(guess)
  hook.disable()
  clearImmediate(next)
  expect(hashes).toBe(1)
  expect(turns).toBeGreaterThan(before)
})

it('mints a token for a signed-in user', async () => {
  await using app = await setup()
  const answer = await app.mint('stt', await app.cookieOf('ada'))
  expect(answer.status).toBe(200)
  expect(await answer.json()).toMatchObject({
    usage_type: 'stt',
    type: 'session',
    stream_url: `${app.upstream.streamingUrl}/stt`,
  })
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

it('answers 401 to a stranger, and asks the service nothing', async () => {
  await using app = await setup()
  const answer = await app.mint('stt')
  expect(answer.status).toBe(401)
  expect(await answer.json()).toMatchObject({ error_code: 'UNAUTHENTICATED', retryable: false })
  expect(app.upstream.requests).toHaveLength(0)
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

it.each(['http://app.example.com', 'app.example.com'])('does not start for %s', (publicOrigin) => {
  expect(() => createLogin({ publicOrigin, password: PASSWORD })).toThrow('must be an https address')
})

it('ends with the error if its port is taken, and does not say that it listens', async () => {
  await using app = await setup()
  const { port } = new URL(app.url)
  const env = {
    PATH: process.env.PATH,
    PORT: port,
    EXAMPLE_PASSWORD: PASSWORD,
    VOICE_API_KEY: app.upstream.apiKey,
    VOICE_BASE_URL: app.upstream.baseUrl,
    VOICE_STREAMING_URL: app.upstream.streamingUrl,
  }
  const file = new URL('server.ts', import.meta.url).pathname
  const child = spawn(process.execPath, ['--import', 'tsx', '--conditions=@stagepass/source', file], {
    env,
    stdio: 'pipe',
  })
  let output = ''
  for (const stream of [child.stdout, child.stderr]) stream.on('data', (chunk) => (output += String(chunk)))
  const [code] = (await once(child, 'close')) as [number]
  expect(code).toBe(1)
  expect(output).toContain(`address already in use`)
  expect(output).not.toContain('Listening')
})
