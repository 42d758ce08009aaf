import { afterEach, beforeEach, expect, it, vi } from 'vitest'
import { createLogin } from './login.js'

const ORIGIN = 'http://localhost:3000'

beforeEach(() => {
  vi.stubEnv('PUBLIC_ORIGIN', ORIGIN)
})
afterEach(() => {
  vi.unstubAllEnvs()
})

/** The request of a browser that submits a form of the application. */
const post = (path: string, user: string, headers: Record<string, string> = {}): Request =>
  new Request(ORIGIN + path, {
    method: 'POST',
    headers: { origin: ORIGIN, ...headers },
    body: new URLSearchParams({ user }),
  })

const pairOf = (response: Response): string => response.headers.getSetCookie()[0]?.split(';')[0] ?? ''

/** Signs in, in a browser that may have a cookie, and returns its cookie from then on. */
const cookieOf = async (user: string, before = ''): Promise<string> =>
  pairOf(await createLogin().signIn(post('/login', user, { cookie: before }), '127.0.0.1'))

it('signs in by a click, under a cookie that no script can read and no other site can use', async () => {
  const login = createLogin()
  const response = await login.signIn(post('/login', 'ada'), '127.0.0.1')
  expect([response.status, response.headers.get('location')]).toEqual([303, '/'])
  const [cookie = ''] = response.headers.getSetCookie()
  expect(cookie).toMatch(/^session=[\w-]{36}; Path=\/; HttpOnly; SameSite=Lax$/)
  expect(login.userOf(`theme=dark; ${pairOf(response)}; more=1`)).toBe('ada')
  expect([login.userOf(null), login.userOf(''), login.userOf('session=guess')]).toEqual([
    undefined,
    undefined,
    undefined,
  ])
})

it('leads from the other name of this machine to the origin, without a login', async () => {
  const request = post('/login', 'ada', { origin: ORIGIN.replace('localhost', '127.0.0.1') })
  const { status, headers } = await createLogin().signIn(request, '127.0.0.1')
  expect([status, headers.get('location'), headers.getSetCookie()]).toEqual([303, ORIGIN, []])
})

it('gives a new session id at login, and ends the session before it', async () => {
  const planted = await cookieOf('ben')
  const cookie = await cookieOf('ada', planted)
  expect(cookie).not.toBe(planted)
  expect([createLogin().userOf(cookie), createLogin().userOf(planted)]).toEqual(['ada', undefined])
})

it('ends the session at logout, and not the user’s session in another browser', async () => {
  const login = createLogin()
  const [here, elsewhere] = [await cookieOf('ada'), await cookieOf('ada')]
  const response = login.signOut(post('/logout', '', { cookie: here }))
  expect(response.headers.getSetCookie()[0]).toMatch(/^session=; .*; Max-Age=0$/)
  expect([login.userOf(here), login.userOf(elsewhere)]).toEqual([undefined, 'ada'])
})

it.each([
  'https://evil.example',
  'http://localhost:3001',
  'http://127.0.0.1:3001',
  'https://localhost:3000',
  'null',
  '',
])('refuses login and logout from a page of "%s"', async (origin) => {
  const login = createLogin()
  const cookie = await cookieOf('ada')
  const responses = [
    await login.signIn(post('/login', 'ben', { origin, cookie }), '127.0.0.1'),
    login.signOut(post('/logout', '', { origin, cookie })),
  ]
  for (const response of responses) {
    expect(response.status).toBe(403)
    expect(response.headers.getSetCookie()).toEqual([])
    expect(await response.text()).toContain(ORIGIN)
  }
  expect(login.userOf(cookie)).toBe('ada')
})

it.each(['127.0.0.1', '::1', '::ffff:127.0.0.1', '127.8.9.1'])(
  'lets in a click on this machine: %s',
  async (address) => {
    expect((await createLogin().signIn(post('/login', 'ada'), address)).status).toBe(303)
  },
)

it.each([
  '192.0.2.2',
  '::ffff:192.0.2.2',
  '2001:db8::1',
  '127.evil.example',
  '0.0.0.0',
  'localhost',
  '',
  undefined,
])('refuses a click from another machine: %s', async (address) => {
  const headers = { 'x-forwarded-for': '127.0.0.1', forwarded: 'for=127.0.0.1', host: 'localhost:3000' }
  const response = await createLogin().signIn(post('/login', 'ada', headers), address)
  expect(response.status).toBe(403)
  expect(response.headers.getSetCookie()).toEqual([])
  expect(await response.text()).toContain('replace login.ts with your own login')
})

it.each<Record<string, string>>([
  { host: 'abc.tunnel.example' },
  { host: 'localhost:3001' },
  { host: 'localhost:3000', 'x-forwarded-for': '203.0.113.7' },
  { host: 'localhost:3000', 'x-forwarded-for': '127.0.0.1, 203.0.113.7' },
  { host: 'localhost:3000', 'x-forwarded-host': 'abc.tunnel.example' },
  { host: 'localhost:3000', 'x-forwarded-proto': 'https' },
  { host: 'localhost:3000', forwarded: 'for=127.0.0.1' },
  { host: 'localhost:3000', via: '1.1 tunnel' },
  { host: 'localhost:3000', 'x-real-ip': '127.0.0.1' },
])('S71 refuses a click that a tunnel on this machine passes on: %j', async (headers) => {
  const response = await createLogin().signIn(post('/login', 'ada', headers), '127.0.0.1')
  expect(response.status).toBe(403)
  expect(response.headers.getSetCookie()).toEqual([])
  expect(await response.text()).toContain('This request came through a tunnel or a proxy.')
})

it('lets in a click to which the dev server of Next.js has added its headers', async () => {
  const headers = {
    host: 'localhost:3000',
    'x-forwarded-host': 'localhost:3000',
    'x-forwarded-proto': 'http',
    'x-forwarded-for': '::ffff:127.0.0.1',
  }
  expect((await createLogin().signIn(post('/login', 'ada', headers), '127.0.0.1')).status).toBe(303)
})

it('knows no other user', async () => {
  for (const user of ['eve', 'Ada', '']) {
    const response = await createLogin().signIn(post('/login', user), '127.0.0.1')
    expect(response.status).toBe(400)
    expect(response.headers.getSetCookie()).toEqual([])
  }
})

it.each([
  ['NODE_ENV', 'production'],
  ['PUBLIC_ORIGIN', 'https://app.example.com'],
  ['PUBLIC_ORIGIN', 'http://192.0.2.1:3000'],
  ['PUBLIC_ORIGIN', 'https://localhost.evil.example'],
  ['PUBLIC_ORIGIN', ''],
])('does not start in production: %s is "%s"', (name, value) => {
  vi.stubEnv(name, value)
  expect(createLogin).toThrow('Replace login.ts with your own login.')
})

it('does not start if nothing says that it is development', () => {
  vi.stubEnv('PUBLIC_ORIGIN', undefined)
  expect(createLogin).toThrow('it works in development only, with PUBLIC_ORIGIN on localhost')
})
