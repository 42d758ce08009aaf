import { once } from 'node:events'
import { Agent, request, type IncomingMessage, type RequestListener } from 'node:http'
import type { Socket } from 'node:net'
import { gzipSync } from 'node:zlib'
import { startRawService } from '@stagepass/testing'
import { virtualClock } from '@stagepass/testing/virtualClock'
import { Agent as Dispatcher, getGlobalDispatcher, interceptors, setGlobalDispatcher } from 'undici'
import { expect, it, vi } from 'vitest'
import { byCookie, startBff, startTeamServer } from './authorize.test.kit.js'
import { fromUrl, GRANT_SCHEMA } from './index.js'

const answering =
  (status: number, body: string | Buffer = '', headers = {}): RequestListener =>
  (_req, res) =>
    void res.writeHead(status, headers).end(body)

it('S48 sends the cookie and the authorization of the page, and no other header of it', async () => {
  await using team = await startTeamServer(byCookie)
  await using bff = await startBff(fromUrl({ url: `${team.url}/grant` }))
  const forged = {
    'x-stagepass-user': 'ada',
    'x-user': 'root',
    'x-forwarded-user': 'root',
    'x-forwarded-for': '10.0.0.1',
    'x-forwarded-proto': 'https',
    'x-forwarded-host': 'evil.example',
    forwarded: 'for=10.0.0.1',
    'x-original-url': '/admin',
  }
  const others = { 'user-agent': 'the page', 'accept-language': 'xx' }
  const { status } = await bff.mint({ cookie: 'user=ada', authorization: 'Bearer abc', ...forged, ...others })
  expect(status).toBe(200)
  const [asked] = team.requests
  expect([asked?.method, asked?.url]).toEqual(['GET', '/grant'])
  expect(asked?.headers).toMatchObject({ cookie: 'user=ada', authorization: 'Bearer abc' })
  const sent = JSON.stringify(asked?.rawHeaders)
  for (const name of Object.keys(forged)) expect(asked?.headers).not.toHaveProperty(name)
  for (const value of ['root', '10.0.0.1', 'evil.example', '/admin', ...Object.values(others)])
    expect(sent).not.toContain(`"${value}"`)
})

it.each([
  ['x-stagepass-user', 403, 'USER_CHANGED'],
  ['x-user', 200, undefined],
  ['x-forwarded-user', 200, undefined],
  ['remote-user', 200, undefined],
  ['x-auth-request-email', 200, undefined],
])('S48 a forged %s names nobody', async (name, status, code) => {
  await using team = await startTeamServer(byCookie)
  await using bff = await startBff(fromUrl({ url: team.url }))
  expect(await bff.mint({ [name]: 'root' })).toMatchObject({ status: 401, code: 'UNAUTHENTICATED' })
  expect(await bff.mint({ cookie: 'user=ada', [name]: 'root' })).toMatchObject({ status, code })
  expect(bff.lastUser()).toBe('ada')
})

it('S48 users that alternate on one connection are kept apart', async () => {
  await using team = await startTeamServer(byCookie)
  await using bff = await startBff(fromUrl({ url: team.url }))
  const agent = new Agent({ keepAlive: true, maxSockets: 1 })
  const mintAs = async (cookie: string | undefined): Promise<number> => {
    const sent = request(`${bff.origin}/session-token`, {
      agent,
      method: 'POST',
      headers: {
        'x-stagepass': '1',
        'content-type': 'application/json',
        origin: bff.origin,
        ...(cookie !== undefined && { cookie }),
      },
    })
    sent.end('{"usage_type":"stt"}')
    const [response] = (await once(sent, 'response')) as [IncomingMessage]
    await response.toArray()
    return response.statusCode ?? 0
  }
  const seen: unknown[] = []
  for (const cookie of ['user=ada', 'user=bob', undefined, 'user=ada; other=1', 'user=bob'])
    seen.push([await mintAs(cookie), bff.lastUser()])
  expect(seen).toEqual([
    [200, 'ada'],
    [200, 'bob'],
    [401, undefined],
    [200, 'ada'],
    [200, 'bob'],
  ])
  agent.destroy()
})

it.each([
  [401, 401, 'UNAUTHENTICATED'],
  [403, 401, 'UNAUTHENTICATED'],
  [204, 503, 'AUTHORIZE_FAILED'],
  [301, 503, 'AUTHORIZE_FAILED'],
  [302, 503, 'AUTHORIZE_FAILED'],
  [404, 503, 'AUTHORIZE_FAILED'],
  [500, 503, 'AUTHORIZE_FAILED'],
])('S48 an answer with status %i is %i %s', async (answered, status, code) => {
  await using other = await startTeamServer(answering(200, '{"user":"root"}'))
  await using team = await startTeamServer(answering(answered, '', { location: other.url }))
  await using bff = await startBff(fromUrl({ url: team.url }))
  expect(await bff.mint({ cookie: 'user=ada' })).toMatchObject({ status, code })
  expect(other.requests).toEqual([])
  expect(bff.upstream.requests).toEqual([])
  for (const problem of bff.problems()) expect(problem).toMatch(/^The authorize server .*401/)
})

it.each([
  ['a login page', '<!doctype html><title>Login</title>', 'not a JSON object'],
  ['half an object', '{"user":"ada"', 'not a JSON object'],
  ['a list', '[{"user":"ada"}]', 'not a JSON object'],
  ['a text', '"ada"', 'not a JSON object'],
  ['nothing', '', 'not a JSON object'],
  ['no user', '{}', '"user" is not a string'],
  ['a number as user', '{"user":7}', '"user" is not a string'],
  ['an unknown key', '{"user":"ada","admin":true}', 'unknown key'],
  ['a prototype', '{"__proto__":{"user":"root"}}', '"user" is not a string'],
  ['too much', JSON.stringify({ user: 'ada', sessionId: 'x'.repeat(20_000) }), 'more than 16384 bytes'],
])('S48 an answer of %s is AUTHORIZE_FAILED', async (_, body, problem) => {
  await using team = await startTeamServer(answering(200, body))
  await using bff = await startBff(fromUrl({ url: team.url }))
  expect(await bff.mint({ cookie: 'user=ada' })).toMatchObject({ status: 503, code: 'AUTHORIZE_FAILED' })
  expect(bff.problems()).toEqual([expect.stringContaining(problem)])
  expect(bff.problems()[0]).not.toContain('ada')
})

it('S48 null means that nobody is signed in', async () => {
  await using team = await startTeamServer(answering(200, 'null'))
  await using bff = await startBff(fromUrl({ url: team.url }))
  expect(await bff.mint()).toMatchObject({ status: 401 })
})

it('S48 the limit of the length also holds for a compressed answer', async () => {
  const bomb = gzipSync(JSON.stringify({ user: 'ada', sessionId: ' '.repeat(50_000_000) }))
  await using team = await startTeamServer(answering(200, bomb, { 'content-encoding': 'gzip' }))
  await using bff = await startBff(fromUrl({ url: team.url }))
  expect(await bff.mint()).toMatchObject({ code: 'AUTHORIZE_FAILED' })
  expect(bff.problems()).toEqual([expect.stringContaining('more than 16384 bytes')])
})

it('a byte order mark before the grant is skipped', async () => {
  await using team = await startTeamServer(answering(200, '\ufeff{"user":"ada"}'))
  await using bff = await startBff(fromUrl({ url: team.url }))
  expect(await bff.mint()).toMatchObject({ status: 200 })
})

it.each([
  ['gzip', 'no gzip'],
  ['compress', Buffer.from([0x1f, 0x9d, 0x90, 0x7b])],
])('an answer in the encoding %s that cannot be decoded is named', async (encoding, body) => {
  await using team = await startTeamServer(answering(200, body, { 'content-encoding': encoding }))
  await using bff = await startBff(fromUrl({ url: team.url }))
  expect(await bff.mint()).toMatchObject({ code: 'AUTHORIZE_FAILED' })
  expect(bff.problems()).toEqual([expect.stringContaining(`the content encoding "${encoding}"`)])
})

const OK = 'HTTP/1.1 200 OK\r\nContent-Type: application/json\r\n'

it.each([
  ['closes the connection', (socket: Socket) => void socket.destroy()],
  ['sends what is not HTTP', (socket: Socket) => void socket.write('SSH-2.0-x\r\n\r\n')],
  [
    'sends two lengths',
    (socket: Socket) => void socket.write(`${OK}Content-Length: 2\r\nContent-Length: 9\r\n\r\n{}`),
  ],
  ['sends long headers', (socket: Socket) => void socket.write(`${OK}X: ${'x'.repeat(100_000)}\r\n\r\n`)],
  ['closes in the middle', (socket: Socket) => void socket.end(`${OK}Content-Length: 40\r\n\r\n{"user`)],
])('S48 a server that %s is AUTHORIZE_FAILED', async (_, answer) => {
  await using team = await startRawService((socket) => socket.once('data', () => answer(socket)))
  await using bff = await startBff(fromUrl({ url: team.url }))
  expect(await bff.mint()).toMatchObject({ status: 503, code: 'AUTHORIZE_FAILED' })
  expect(bff.problems()).toEqual([expect.stringContaining('cannot be reached')])
})

it('S63 names what is known of a server that sends something else than HTTP', async () => {
  await using team = await startRawService((socket) => socket.write('SSH-2.0-OpenSSH_9.2\r\n'))
  await using bff = await startBff(fromUrl({ url: team.url }))
  expect(await bff.mint()).toMatchObject({ status: 503, code: 'AUTHORIZE_FAILED' })
  // Node's own undici gives the error a code, and ours only a name. The one that was loaded first serves `fetch`.
  const seen = /cannot be reached \((?:HPE_INVALID_CONSTANT|HTTPParserError)\)\. /
  expect(bff.problems()).toEqual([expect.stringMatching(seen)])
})

it('a connection that was closed between two requests does not cause a failure', async () => {
  await using team = await startTeamServer(byCookie)
  await using bff = await startBff(fromUrl({ url: team.url, grantCacheSeconds: 0 }))
  for (let round = 0; round < 20; round += 1) {
    expect(await bff.mint({ cookie: 'user=ada' })).toMatchObject({ status: 200 })
    team.drop()
  }
})

it.each([
  [undefined, '"url" is missing'],
  ['http://team.example/grant', '"url" is not encrypted'],
  ['http://127.0.0.1.evil.example/', '"url" is not encrypted'],
  ['http://10.0.0.1/', '"url" is not encrypted'],
  ['https://user:vk_secret@team.example/', 'user name or password'],
  ['file:///etc/passwd', '"url" is not encrypted'],
  ['/grant', 'not an absolute address'],
])('S48 refuses the address %s', (url, problem) => {
  expect(() => fromUrl({ url })).toThrow(problem)
  expect(() => fromUrl({ url })).not.toThrow('vk_secret')
})

it('refuses unknown options, and numbers out of range', () => {
  const url = 'https://team.example/grant'
  expect(() => fromUrl({ url, grantCacheSecond: 1 } as never)).toThrow('Did you mean "grantCacheSeconds"?')
  for (const grantCacheSeconds of [-1, 61, Number.NaN, '5' as never])
    expect(() => fromUrl({ url, grantCacheSeconds })).toThrow(
      '"grantCacheSeconds" is not a number from 0 to 60',
    )
})

it('S49 equal requests share one request, and send another after the time', async () => {
  const clock = virtualClock()
  await using team = await startTeamServer(byCookie)
  await using bff = await startBff(fromUrl({ url: team.url, clock }))
  for (const _round of ['in flight', 'answered']) {
    const answers = await Promise.all(Array.from({ length: 50 }, () => bff.mint({ cookie: 'user=ada' })))
    expect(answers.every(({ status }) => status === 200)).toBe(true)
  }
  expect(team.requests).toHaveLength(1)
  clock.jump(4_999)
  await bff.mint({ cookie: 'user=ada' })
  expect(team.requests).toHaveLength(1)
  clock.jump(1)
  await bff.mint({ cookie: 'user=ada' })
  expect(team.requests).toHaveLength(2)
})

it('S49 the time of an answer begins with its request: a slow answer is not kept longer', async () => {
  const clock = virtualClock()
  const held: (() => void)[] = []
  await using team = await startTeamServer((req, res) => void held.push(() => byCookie(req, res)))
  await using bff = await startBff(fromUrl({ url: team.url, clock }))
  const first = bff.mint({ cookie: 'user=ada' })
  await vi.waitFor(() => expect(held).toHaveLength(1))
  clock.jump(5_000)
  // The first request may be older than a sign-out.
  const second = bff.mint({ cookie: 'user=ada' })
  await vi.waitFor(() => expect(held).toHaveLength(2))
  for (const answer of held) answer()
  expect([(await first).status, (await second).status]).toEqual([200, 200])
})

it('S49 refusals and failures are not kept', async () => {
  let listener: RequestListener = answering(401)
  await using team = await startTeamServer((req, res) => listener(req, res))
  await using bff = await startBff(fromUrl({ url: team.url }))
  expect(await bff.mint({ cookie: 'user=ada' })).toMatchObject({ status: 401 })
  listener = answering(500)
  expect(await bff.mint({ cookie: 'user=ada' })).toMatchObject({ status: 503 })
  listener = byCookie
  expect(await bff.mint({ cookie: 'user=ada' })).toMatchObject({ status: 200 })
})

it.each([
  [{ cookie: 'a' }, { cookie: 'a', authorization: '' }],
  [{ cookie: 'a", "b' }, { cookie: 'a', authorization: 'b' }],
  [{ cookie: 'ab' }, { cookie: 'a', authorization: 'b' }],
  [{ cookie: 'x' }, { authorization: 'x' }],
  [{ cookie: 'user=ada' }, { cookie: 'user=ada ; x' }],
])('S49 %j and %j share nothing', async (one, other) => {
  await using team = await startTeamServer(answering(200, '{"user":"ada"}'))
  const authorize = fromUrl({ url: team.url })
  await authorize({ headers: one })
  await authorize({ headers: other })
  await authorize({ headers: new Headers(one) })
  expect(team.requests).toHaveLength(2)
})

it("S49 a change to one request's grant affects no other request", async () => {
  await using team = await startTeamServer(answering(200, '{"user":"ada","products":["stt"]}'))
  const authorize = fromUrl({ url: team.url })
  const [one, other] = [await authorize({ headers: {} }), await authorize({ headers: {} })]
  expect(team.requests).toHaveLength(1)
  Object.assign(one as object, { user: 'root' })
  expect(other).toEqual({ user: 'ada', products: ['stt'] })
})

const SEQUENCES = 1_000 * Number(process.env.SEED_FACTOR ?? 1)

it('S49 random sequences of two users with sign-outs never mix up the users', async () => {
  // Sessions of the team's server. A sign-out ends a session; the next sign-in makes a new one, or takes an
  // old cookie again.
  const sessions = new Map<string, string>()
  await using team = await startTeamServer((req, res) => {
    const user = sessions.get(req.headers.cookie ?? '')
    if (user === undefined) res.writeHead(401).end()
    else res.end(JSON.stringify({ user }))
  })
  const clock = virtualClock()
  const authorize = fromUrl({ url: team.url, clock })
  let seed = 31
  const random = (below: number): number => {
    seed = (seed * 1_103_515_245 + 12_345) % 2_147_483_648
    return Math.floor((seed / 2_147_483_648) * below)
  }
  const ended = new Map<string, number>()
  const owners = new Map<string, string>()
  let serial = 0
  const crossed: string[] = []
  const one = async (sequence: number): Promise<void> => {
    const cookies: Record<string, string | undefined> = { ada: undefined, bob: undefined }
    for (let step = 0; step < 6; step += 1) {
      const user = random(2) === 0 ? 'ada' : 'bob'
      const cookie = cookies[user]
      if (cookie === undefined) {
        const fresh = `session=${serial++}`
        cookies[user] = fresh
        owners.set(fresh, user)
        sessions.set(fresh, user)
      } else if (random(4) === 0) {
        sessions.delete(cookie)
        ended.set(cookie, clock.now())
        cookies[user] = undefined
        if (random(2) === 0) clock.jump(random(6_000))
        // The page of the previous user is still open.
        const grant = await authorize({ headers: { cookie } })
        const isLate = clock.now() - (ended.get(cookie) ?? 0) >= 5_000
        if (grant && (grant.user !== user || isLate)) crossed.push(`${sequence}: after the sign-out`)
      } else {
        const both = Object.entries(cookies).filter(([, value]) => value !== undefined)
        const grants = await Promise.all(both.map(([, value]) => authorize({ headers: { cookie: value } })))
        for (const [at, [name]] of both.entries()) {
          const grant = grants[at]
          if (!grant || grant.user !== name) crossed.push(`${sequence}: ${name} got another grant`)
        }
      }
    }
  }
  for (let sequence = 0; sequence < SEQUENCES; sequence += 1) await one(sequence)
  expect(crossed).toEqual([])
  expect(owners.size).toBeGreaterThan(SEQUENCES)
}, 900_000)

it('S50 no event contains a cookie, a token or an address with its path', async () => {
  await using team = await startTeamServer(answering(500, 'vk_body'))
  await using bff = await startBff(fromUrl({ url: `${team.url}/secret-path` }))
  await bff.mint({ cookie: 'session=vk_cookie', authorization: 'Bearer vk_token' })
  const text = JSON.stringify(bff.events)
  for (const secret of ['vk_cookie', 'vk_token', 'vk_body', 'secret-path']) expect(text).not.toContain(secret)
})

it("a grant without a credential gets the server's credential, and a credential in the grant has precedence", async () => {
  await using team = await startTeamServer((req, res) => {
    const own = req.headers.cookie === 'own' && { credential: 'of the grant' }
    res.end(JSON.stringify({ user: 'ada', meetings: { ownership: 'mine', ...own } }))
  })
  const authorize = fromUrl({ url: team.url, meetingsCredential: 'of the server' })
  expect(await authorize({ headers: {} })).toMatchObject({
    meetings: { ownership: 'mine', credential: 'of the server' },
  })
  expect(await authorize({ headers: { cookie: 'own' } })).toMatchObject({
    meetings: { credential: 'of the grant' },
  })
})

it.each([
  [{ user: 'ada' }, true],
  [{ user: 'ada', products: ['stt'], maxTtlMinutes: 5, sessionId: 's' }, true],
  [{ user: 'ada', meetings: { credential: 'c', ownership: 'mine', fields: ['title'], weight: 2 } }, true],
  [{ user: 'ada', usage: {} }, true],
  [{ user: 'ada', usage: { minutesPerDay: 60 } }, true],
  [{ user: 'ada', usage: { minutesPerDay: { stt: 60, vt: 20 } } }, true],
  [{ user: 'ada', usage: { minutesPerDay: -1 } }, false],
  [{ user: 'ada', usage: { minutesPerDay: 5.5 } }, false],
  [{ user: 'ada', usage: { minutesPerDay: { asr: 60 } } }, false],
  [{ user: 'ada', usage: { perDay: 60 } }, false],
  [{}, false],
  [{ user: '' }, false],
  [{ user: 7 }, false],
  [{ user: 'ada', products: ['stt', 'x'] }, false],
  [{ user: 'ada', products: 'stt' }, false],
  [{ user: 'ada', maxTtlMinutes: 4 }, false],
  [{ user: 'ada', maxTtlMinutes: 5.5 }, false],
  [{ user: 'ada', sessionId: 'x'.repeat(256) }, false],
  [{ user: 'ada', admin: true }, false],
  [{ user: 'ada', meetings: { credential: '' } }, false],
  [{ user: 'ada', meetings: { credential: 'c', ownership: 'all of them' } }, false],
  [{ user: 'ada', meetings: { credential: 'c', weight: 0 } }, false],
])('the published schema and the BFF agree on %j', async (grant, valid) => {
  const { Ajv2020 } = await import('ajv/dist/2020.js')
  expect(new Ajv2020({ strict: true, allowUnionTypes: true }).validate(GRANT_SCHEMA, grant)).toBe(valid)
  await using team = await startTeamServer(answering(200, JSON.stringify(grant)))
  await using bff = await startBff(fromUrl({ url: team.url }))
  expect((await bff.mint()).status).toBe(valid ? 200 : 503)
})

it.each(['max-age=60', 'public, max-age=60'])(
  "S48 a cache of the host gives nobody another user's grant, with Cache-Control: %s",
  async (cacheControl) => {
    await using team = await startTeamServer((req, res) => {
      res.setHeader('cache-control', cacheControl)
      byCookie(req, res)
    })
    const before = getGlobalDispatcher()
    const dispatcher = new Dispatcher()
    setGlobalDispatcher(dispatcher.compose(interceptors.cache()))
    try {
      await using bff = await startBff(fromUrl({ url: team.url, grantCacheSeconds: 0 }))
      for (const user of ['ada', 'ben']) {
        expect(await bff.mint({ cookie: `user=${user}` })).toMatchObject({ status: 200 })
        expect(bff.lastUser()).toBe(user)
      }
      expect(team.requests.map(({ headers }) => headers['cache-control'])).toEqual(['no-store', 'no-store'])
    } finally {
      setGlobalDispatcher(before)
      await dispatcher.close()
    }
  },
)
