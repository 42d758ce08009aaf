import { createHmac, generateKeyPairSync } from 'node:crypto'
import type { RequestListener } from 'node:http'
import { exportJWK, generateKeyPair, SignJWT, UnsecuredJWT } from 'jose'
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { startBff, startTeamServer } from './authorize.test.kit.js'
import { fromJwt, type FromJwtOptions } from './index.js'

afterEach(() => void vi.useRealTimers())

const ISSUER = 'https://login.example/'
const AUDIENCE = 'voice'

async function newKey(kid: string | undefined, alg = 'ES256') {
  const { privateKey, publicKey } = await generateKeyPair(alg, { extractable: true })
  return {
    kid,
    alg,
    privateKey,
    jwk: { ...(await exportJWK(publicKey)), ...(kid !== undefined && { kid }), alg },
  }
}
type Key = Awaited<ReturnType<typeof newKey>>

const now = (): number => Math.floor(Date.now() / 1_000)

type Claims = Record<string, unknown>

const good = (): Claims => ({ sub: 'ada', iss: ISSUER, aud: AUDIENCE, iat: now(), exp: now() + 300 })

const sign = (key: Key, claims: Claims = good(), header = {}): Promise<string> =>
  new SignJWT(claims)
    .setProtectedHeader({ alg: key.alg, ...(key.kid !== undefined && { kid: key.kid }), ...header })
    .sign(key.privateKey)

async function start(keys: () => readonly object[], own: Partial<FromJwtOptions> = {}) {
  const team = await startTeamServer((_req, res) => void res.end(JSON.stringify({ keys: keys() })))
  const authorize = fromJwt({ jwksUrl: `${team.url}/jwks`, issuer: ISSUER, audience: AUDIENCE, ...own })
  const bff = await startBff(authorize)
  return {
    ...bff,
    team,
    authorize,
    mintWith: (token: string) => bff.mint({ authorization: `Bearer ${token}` }),
    async [Symbol.asyncDispose]() {
      await bff[Symbol.asyncDispose]()
      await team[Symbol.asyncDispose]()
    },
  }
}

it.each(['RS256', 'ES256', 'EdDSA'])('S48 a good token of %s is its user', async (alg) => {
  const key = await newKey('one', alg)
  await using bff = await start(() => [key.jwk])
  expect(await bff.mintWith(await sign(key))).toMatchObject({ status: 200 })
  expect(bff.lastUser()).toBe('ada')
  expect(bff.team.requests).toHaveLength(1)
  expect(bff.team.requests[0]?.headers).not.toHaveProperty('authorization')
})

it('a byte order mark before the keys is skipped', async () => {
  const key = await newKey('one')
  await using team = await startTeamServer((_req, res) =>
    res.end(`\ufeff${JSON.stringify({ keys: [key.jwk] })}`),
  )
  await using bff = await startBff(fromJwt({ jwksUrl: team.url, issuer: ISSUER, audience: AUDIENCE }))
  expect(await bff.mint({ authorization: `Bearer ${await sign(key)}` })).toMatchObject({ status: 200 })
})

const EVIL = 'https://evil.example/'

const LOGOUT = 'http://schemas.openid.net/event/backchannel-logout'

it.each<[string, () => Claims]>([
  ['of another audience', () => ({ ...good(), aud: 'billing' })],
  ['without an audience', () => ({ ...good(), aud: undefined })],
  ['of another issuer', () => ({ ...good(), iss: EVIL })],
  ['of an issuer with another ending', () => ({ ...good(), iss: ISSUER.slice(0, -1) })],
  ['that expired', () => ({ ...good(), exp: now() - 31 })],
  ['that never expires', () => ({ ...good(), exp: undefined })],
  ['with a text as end', () => ({ ...good(), exp: '9999999999' })],
  ['that begins later', () => ({ ...good(), nbf: now() + 60 })],
  ['from the future', () => ({ ...good(), iat: now() + 60, exp: now() + 900 })],
  ['with a text as its time', () => ({ ...good(), iat: String(now()) })],
])('S48 a token %s is nobody', async (_, claims) => {
  const key = await newKey('one')
  await using bff = await start(() => [key.jwk])
  expect(await bff.mintWith(await sign(key, claims()))).toMatchObject({
    status: 401,
    code: 'UNAUTHENTICATED',
  })
  expect(bff.problems()).toEqual([])
  expect(bff.upstream.requests).toEqual([])
})

it.each<[string, () => Claims]>([
  ['that expired', () => ({ ...good(), exp: now() - 20 })],
  ['that begins later', () => ({ ...good(), nbf: now() + 20 })],
  ['from the future', () => ({ ...good(), iat: now() + 20 })],
])('S48 clocks may differ: a token %s by 20 seconds passes', async (_, claims) => {
  const key = await newKey('one')
  await using bff = await start(() => [key.jwk])
  expect(await bff.mintWith(await sign(key, claims()))).toMatchObject({ status: 200 })
})

const part = (value: object): string => Buffer.from(JSON.stringify(value)).toString('base64url')

it.each([{ toString: 1 }, ['at+jwt'], null, 7])('S48 a token of type %j is refused', async (typ) => {
  const key = await newKey('one')
  await using bff = await start(() => [key.jwk])
  // jose refuses to write such a header.
  const signed = `${part({ alg: 'ES256', kid: 'one', typ })}.${part(good())}`
  const signature = await crypto.subtle.sign(
    { name: 'ECDSA', hash: 'SHA-256' },
    key.privateKey,
    new TextEncoder().encode(signed),
  )
  const token = `${signed}.${Buffer.from(signature).toString('base64url')}`
  expect(await bff.mintWith(token)).toMatchObject({ status: 401 })
  expect(bff.problems()).toEqual([])
})

it('S48 a token that is unsigned, signed with the public key as a secret, changed or broken is refused', async () => {
  const { privateKey, publicKey } = generateKeyPairSync('rsa', { modulusLength: 2_048 })
  const jwk = { ...publicKey.export({ format: 'jwk' }), kid: 'one', alg: 'RS256' }
  await using bff = await start(() => [jwk])
  const token = await new SignJWT(good()).setProtectedHeader({ alg: 'RS256', kid: 'one' }).sign(privateKey)
  const [header = '', payload = '', signature = ''] = token.split('.')
  const pem = publicKey.export({ format: 'pem', type: 'spki' })
  const hs = `${part({ alg: 'HS256', kid: 'one' })}.${payload}`
  const other = await newKey('one')
  const tokens = {
    good: token,
    unsecured: new UnsecuredJWT(good()).encode(),
    'none with a key': `${part({ alg: 'none', kid: 'one' })}.${payload}.`,
    'None in capitals': `${part({ alg: 'NONE', kid: 'one' })}.${payload}.${signature}`,
    'HS256 with the public key': `${hs}.${createHmac('sha256', pem).update(hs).digest('base64url')}`,
    'another user': `${header}.${part({ ...good(), sub: 'root' })}.${signature}`,
    'another header': `${part({ alg: 'RS256', kid: 'one', typ: 'x' })}.${payload}.${signature}`,
    'no signature': `${header}.${payload}.`,
    'two parts': `${header}.${payload}`,
    'a key of its own': await sign(other, good(), { jwk: other.jwk }),
    'an address of keys of its own': await sign(other, good(), { jku: 'https://evil.example/jwks' }),
    'a part that must be understood': await new SignJWT(good())
      .setProtectedHeader({ alg: 'RS256', kid: 'one', crit: ['x'], x: 1 })
      .sign(privateKey, { crit: { x: true } }),
    'five parts': `${header}.a.b.c.${signature}`,
    garbage: 'x',
  }
  const seen: Record<string, number> = {}
  for (const [name, one] of Object.entries(tokens)) seen[name] = (await bff.mintWith(one)).status
  const { good: first, ...others } = seen
  expect(first).toBe(200)
  expect(new Set(Object.values(others))).toEqual(new Set([401]))
  expect(bff.problems()).toEqual([])
})

it('S48 a token with an algorithm that is not listed is refused, whatever the keys say', async () => {
  const key = await newKey('one', 'ES256')
  await using bff = await start(() => [key.jwk], { algorithms: ['RS256'] })
  expect(await bff.mintWith(await sign(key))).toMatchObject({ status: 401 })
})

it('S48 a symmetric key in the set is not used', async () => {
  const secret = Buffer.from('a secret of thirty-two characters')
  await using bff = await start(() => [{ kty: 'oct', k: secret.toString('base64url'), kid: 'one' }])
  const token = await new SignJWT(good()).setProtectedHeader({ alg: 'HS256', kid: 'one' }).sign(secret)
  expect(await bff.mintWith(token)).toMatchObject({ status: 401 })
})

it.each([
  ['Basic', 'Basic YWRhOmFkYQ=='],
  ['a second token', 'Bearer a.b.c, Bearer a.b.c'],
  ['no token', 'Bearer '],
])('S48 %s in Authorization is nobody, and the keys are not asked for', async (_, authorization) => {
  await using bff = await start(() => [])
  expect(await bff.mint({ authorization })).toMatchObject({ status: 401 })
  expect(await bff.mint({ 'x-stagepass-user': 'ada', cookie: 'user=ada' })).toMatchObject({ status: 401 })
  expect(bff.team.requests).toEqual([])
})

it('S48 keys are rotated: a new key is fetched, and a withdrawn key is refused after ten minutes at most', async () => {
  const [one, two] = [await newKey('one'), await newKey('two')]
  let keys: object[] = [one.jwk]
  vi.useFakeTimers({ toFake: ['Date'] })
  await using bff = await start(() => keys)
  expect(await bff.mintWith(await sign(one))).toMatchObject({ status: 200 })
  // The issuer signs with the new key, and has published it.
  keys = [one.jwk, two.jwk]
  vi.advanceTimersByTime(6_000)
  expect(await bff.mintWith(await sign(two))).toMatchObject({ status: 200 })
  expect(bff.team.requests).toHaveLength(2)
  // The old key is withdrawn.
  keys = [two.jwk]
  expect(await bff.mintWith(await sign(one))).toMatchObject({ status: 200 })
  vi.advanceTimersByTime(600_000)
  expect(await bff.mintWith(await sign(one))).toMatchObject({ status: 401 })
  expect(await bff.mintWith(await sign(two))).toMatchObject({ status: 200 })
})

it('S48 tokens with invented keys cause a fetch of the keys once in five seconds at most', async () => {
  const key = await newKey('one')
  await using bff = await start(() => [key.jwk])
  await bff.mintWith(await sign(key))
  const forged = await newKey('invented')
  const token = await sign(forged)
  const answers = await Promise.all(Array.from({ length: 50 }, () => bff.mintWith(token)))
  expect(new Set(answers.map(({ status }) => status))).toEqual(new Set([401]))
  expect(bff.team.requests).toHaveLength(1)
})

it('S48 a token that does not name its key is tried with each', async () => {
  const [one, two, three] = [await newKey(undefined), await newKey(undefined), await newKey(undefined)]
  await using bff = await start(() => [one.jwk, two.jwk])
  expect(await bff.mintWith(await sign(two))).toMatchObject({ status: 200 })
  expect(await bff.mintWith(await sign(two, { ...good(), exp: now() - 60 }))).toMatchObject({ status: 401 })
  expect(await bff.mintWith(await sign(three))).toMatchObject({ status: 401 })
})

it.each<[string, RequestListener]>([
  ['answers 500', (_req, res) => void res.writeHead(500).end()],
  ['answers a page', (_req, res) => void res.end('<!doctype html>')],
  ['redirects', (_req, res) => void res.writeHead(302, { location: EVIL }).end()],
  ['has no keys', (_req, res) => void res.end('{"keys":[]}')],
  ['answers too much', (_req, res) => void res.end(`{"keys":[],"x":"${'x'.repeat(300_000)}"}`)],
  ['closes the connection', (req) => void req.socket.destroy()],
])('S48 a server of keys that %s is AUTHORIZE_FAILED, and its return is noticed', async (_, broken) => {
  const key = await newKey('one')
  let listener = broken
  await using team = await startTeamServer((req, res) => listener(req, res))
  vi.useFakeTimers({ toFake: ['Date'] })
  const options = { jwksUrl: team.url, issuer: ISSUER, audience: AUDIENCE }
  await using bff = await startBff(fromJwt(options))
  const authorization = `Bearer ${await sign(key)}`
  expect(await bff.mint({ authorization })).toMatchObject({ status: 503, code: 'AUTHORIZE_FAILED' })
  expect(bff.problems()).toEqual([expect.stringMatching(/^The (server of the keys|keys of the issuer) /)])
  expect(JSON.stringify(bff.events)).not.toContain(authorization.slice(7, 60))
  // Anyone can send a token, and the server of the keys has trouble: it is asked once in a second.
  const asked = team.requests.length
  for (const _ of Array(5)) expect(await bff.mint({ authorization })).toMatchObject({ status: 503 })
  expect(team.requests).toHaveLength(asked)
  vi.advanceTimersByTime(1_000)
  listener = (_req, res) => void res.end(JSON.stringify({ keys: [key.jwk] }))
  expect(await bff.mint({ authorization })).toMatchObject({ status: 200 })
})

it('a 401 says whether the token was missing or wrong (RFC 6750, 3)', async () => {
  const key = await newKey('one')
  await using bff = await start(() => [key.jwk])
  const challengeOf = async (authorization?: string) => {
    const headers = { 'x-stagepass': '1', ...(authorization !== undefined && { authorization }) }
    const response = await fetch(`${bff.origin}/tags`, { headers })
    return [response.status, response.headers.get('www-authenticate')]
  }
  const realm = 'Bearer realm="stagepass"'
  expect(await challengeOf()).toEqual([401, realm])
  expect(await challengeOf('Basic YTpi')).toEqual([401, realm])
  expect(await challengeOf('Bearer x.y.z')).toEqual([401, `${realm}, error="invalid_token"`])
})

it('claims become the grant', async () => {
  const key = await newKey('one')
  const own = {
    userClaim: 'https://app.example/id',
    grantClaim: 'voice',
    meetingsCredential: 'of the server',
  }
  await using bff = await start(() => [key.jwk], own)
  const voice = { products: ['stt'], meetings: { ownership: 'mine' } }
  const token = await sign(key, { ...good(), 'https://app.example/id': '1042', voice })
  expect(await bff.authorize({ headers: { authorization: `bearer ${token}` } })).toEqual({
    user: '1042',
    products: ['stt'],
    meetings: { ownership: 'mine', credential: 'of the server' },
  })
  expect(await bff.mintWith(token)).toMatchObject({ status: 200 })
  expect(await bff.mint({ authorization: `Bearer ${token}` }, 'tts')).toMatchObject({ code: 'FORBIDDEN' })
})

it.each<[string, Claims, string]>([
  ['has no user', { sub: undefined }, 'The claim "sub" of a valid token is missing or not a text'],
  ['has a number as user', { sub: 7 }, 'The claim "sub" of a valid token is missing or not a text'],
  ['has a text as grant', { stagepass: 'stt' }, 'is not an object'],
  ['names another user in its grant', { stagepass: { user: 'root' } }, 'is not an object'],
  ['has a key that no grant has', { stagepass: { admin: true } }, 'unknown key'],
  ['holds an API key', { stagepass: { apiKey: 'vk_c', account: 'acme' } }, 'which the page can read'],
  ['holds a credential', { stagepass: { meetings: { credential: 'vk_c' } } }, 'which the page can read'],
])('S48 a good token that %s is AUTHORIZE_FAILED', async (_, claims, problem) => {
  const key = await newKey('one')
  await using bff = await start(() => [key.jwk])
  expect(await bff.mintWith(await sign(key, { ...good(), ...claims }))).toMatchObject({ status: 503 })
  expect(bff.problems()).toEqual([expect.stringContaining(problem)])
  expect(JSON.stringify(bff.events)).not.toContain('vk_c')
})

it.each<[Record<string, unknown>, string]>([
  [{ jwksUrl: undefined }, '"jwksUrl" is missing'],
  [{ jwksUrl: 'http://login.example/jwks' }, '"jwksUrl" is not encrypted'],
  [{ issuer: '' }, '"issuer" is missing'],
  [{ audience: undefined }, '"audience" is missing'],
  [{ audience: [] }, '"audience" is missing'],
  [{ audience: ['web', undefined] }, '"audience" is missing'],
  [{ toGrant: { user: 'ada' } }, '"toGrant" is not a function'],
  [{ algorithms: [] }, 'not a list of signatures with a public key'],
  [{ algorithms: ['none'] }, 'not a list of signatures with a public key'],
  [{ algorithms: ['RS256', 'HS256'] }, 'not a list of signatures with a public key'],
  [{ meetingsCredential: ' x' }, '"meetingsCredential" cannot be used'],
  [{ audiense: 'x' }, 'audiense'],
])('S48 refuses %j at creation', (wrong, problem) => {
  const options = { jwksUrl: 'https://login.example/jwks', issuer: ISSUER, audience: AUDIENCE, ...wrong }
  expect(() => fromJwt(options as unknown as FromJwtOptions)).toThrow(problem)
})

it('S48 a checked token ends when it expires, is one token only, and shares no objects', async () => {
  const key = await newKey('one')
  vi.useFakeTimers({ toFake: ['Date'] })
  await using bff = await start(() => [key.jwk])
  const expiring = await sign(key, { ...good(), exp: now() + 10, stagepass: { products: ['stt'] } })
  const headers = { authorization: `Bearer ${expiring}` }
  const first = await bff.authorize({ headers })
  ;(first as unknown as { products: string[] }).products.push('tts')
  expect(await bff.authorize({ headers })).toEqual({ user: 'ada', products: ['stt'] })
  const [header = '', payload = '', signature = ''] = expiring.split('.')
  for (const changed of [
    `${header}.${part({ ...good(), sub: 'root' })}.${signature}`,
    `${header}.${payload}.${signature.slice(0, -4)}AAAA`,
    `${header}.${payload}.`,
  ])
    expect(await bff.authorize({ headers: { authorization: `Bearer ${changed}` } })).toBeNull()
  vi.advanceTimersByTime(41_000)
  expect(await bff.authorize({ headers })).toBeNull()
})

it('S48 a withdrawn key ends a checked token too', async () => {
  const [one, two] = [await newKey('one'), await newKey('two')]
  let keys: object[] = [one.jwk]
  vi.useFakeTimers({ toFake: ['Date'] })
  await using bff = await start(() => keys)
  const token = await sign(one, { ...good(), exp: now() + 3_600 })
  expect(await bff.mintWith(token)).toMatchObject({ status: 200 })
  keys = [two.jwk]
  vi.advanceTimersByTime(600_000)
  expect(await bff.mintWith(token)).toMatchObject({ status: 401 })
})

it.each<[string, Claims, Claims, number]>([
  ['a logout token', { typ: 'logout+jwt' }, { events: { [LOGOUT]: {} } }, 401],
  ['a logout token without a type', {}, { events: { [LOGOUT]: {} } }, 401],
  ['an ID token with a nonce', { typ: 'JWT' }, { nonce: 'n' }, 401],
  ['an ID token with the hash of an access token', { typ: 'JWT' }, { at_hash: 'h' }, 401],
  ['an ID token of Keycloak', { typ: 'JWT' }, { typ: 'ID', azp: 'web', scope: 'openid' }, 401],
  ['an ID token of Cognito', {}, { token_use: 'id' }, 401],
  ['a refresh token of Keycloak', { typ: 'JWT' }, { typ: 'Refresh', azp: 'web' }, 401],
  ['an offline token of Keycloak', { typ: 'JWT' }, { typ: 'Offline', azp: 'web' }, 401],
  ['a refresh token of Django', { typ: 'JWT' }, { token_type: 'refresh' }, 401],
  ['an access token of Django', { typ: 'JWT' }, { token_type: 'access' }, 200],
  ['a refresh token of Flask', { typ: 'JWT' }, { type: 'refresh' }, 401],
  ['an access token of Flask', { typ: 'JWT' }, { type: 'access', fresh: false }, 200],
  ['an access token of Keycloak with a nonce', { typ: 'JWT' }, { typ: 'Bearer', nonce: 'n' }, 200],
  ['an access token with a scope and a nonce', {}, { nonce: 'n', scope: 'voice' }, 200],
  ['a token of another type', { typ: 'dpop+jwt' }, {}, 401],
  ['a token with a number as type', { typ: 1 }, {}, 401],
  ['an access token', { typ: 'at+jwt' }, {}, 200],
  ['an access token, and its type in full', { typ: 'application/AT+JWT' }, { nonce: 'n' }, 200],
  ['a token that says no more than JWT', { typ: 'jwt' }, {}, 200],
])('S48 %s: with %j and %j it is %i', async (_, header, claims, status) => {
  const key = await newKey('one')
  await using bff = await start(() => [key.jwk])
  expect(await bff.mintWith(await sign(key, { ...good(), ...claims }, header))).toMatchObject({ status })
  expect(bff.problems()).toEqual([])
})

it.each<[string, string, Claims, number]>([
  ['of Cognito', 'client_id', { client_id: AUDIENCE, token_use: 'access' }, 200],
  ['of Clerk', 'azp', { azp: AUDIENCE }, 200],
  ['with the claim as a list', 'azp', { azp: ['web', AUDIENCE] }, 200],
  ['of another client', 'client_id', { client_id: 'billing' }, 401],
  ['without the claim', 'client_id', { azp: AUDIENCE }, 401],
  ['with the name in aud alone', 'client_id', { aud: AUDIENCE }, 401],
  ['with a part of the name', 'azp', { azp: AUDIENCE.slice(1) }, 401],
  ['of Cognito, by the default', 'aud', { client_id: AUDIENCE }, 401],
])('S48 a token %s: with audienceClaim %s and %j it is %i', async (_, audienceClaim, claims, status) => {
  const key = await newKey('one')
  await using bff = await start(() => [key.jwk], { audienceClaim })
  const { aud: _aud, ...others } = good()
  expect(await bff.mintWith(await sign(key, { ...others, ...claims }))).toMatchObject({ status })
})

it('S48 one of several audiences is enough, and no other is', async () => {
  const key = await newKey('one')
  const own = { audience: ['web', 'phone'], audienceClaim: 'azp' }
  await using bff = await start(() => [key.jwk], own)
  for (const [azp, status] of [
    ['web', 200],
    ['phone', 200],
    [['desk', 'phone'], 200],
    ['desk', 401],
    [['desk'], 401],
    [undefined, 401],
  ] as const)
    expect(await bff.mintWith(await sign(key, { ...good(), azp }))).toMatchObject({ status })
  expect(bff.events.find(({ type }) => type === 'login.refused')).toMatchObject({
    problem: expect.stringContaining('"azp" is "desk", and "audience" is "web", "phone".') as string,
  })
})

it('S48 toGrant makes the grant of a checked token, with the credential of the server', async () => {
  const key = await newKey('one')
  const seen: unknown[] = []
  await using bff = await start(() => [key.jwk], {
    meetingsCredential: 'of the server',
    toGrant: async ({ org, sub }) => {
      seen.push(org)
      if (typeof org !== 'string') return null
      return { user: `${org}:${String(sub)}`, products: ['stt'], meetings: {} as never }
    },
  })
  const headersOf = async (claims: Claims) => ({
    headers: { authorization: `Bearer ${await sign(key, { ...good(), ...claims })}` },
  })
  expect(await bff.authorize(await headersOf({ org: 'acme' }))).toEqual({
    user: 'acme:ada',
    products: ['stt'],
    meetings: { credential: 'of the server' },
  })
  expect(await bff.authorize(await headersOf({}))).toBeNull()
  expect(await bff.authorize(await headersOf({ org: 'acme', aud: 'billing' }))).toBeNull()
  expect(seen).toEqual(['acme', undefined])
})

it('S48 a token that names EdDSA by its newer name is accepted (RFC 9864)', async () => {
  const key = await newKey('one', 'Ed25519')
  await using bff = await start(() => [key.jwk])
  expect(await bff.mintWith(await sign(key))).toMatchObject({ status: 200 })
})

describe('a refused token is an event and a line of the log, with what was expected', () => {
  const wall = 1_800_000_000
  const current = (): Claims => ({ ...good(), iat: wall - 10, exp: wall + 300 })
  beforeEach(() => void vi.useFakeTimers({ toFake: ['Date'], now: wall * 1_000 }))
  afterEach(() => void vi.unstubAllEnvs())
  const lines: string[] = []
  const print = (line: string): void => void lines.push(line)

  async function refusalOf(
    token: (key: Key) => Promise<string> | string,
    own: Partial<FromJwtOptions> = {},
    mode = 'test',
  ) {
    lines.length = 0
    const key = await newKey('one')
    await using team = await startTeamServer((_req, res) => void res.end(JSON.stringify({ keys: [key.jwk] })))
    const authorize = fromJwt({
      jwksUrl: team.url,
      issuer: ISSUER,
      audience: AUDIENCE,
      ...own,
    })
    await using bff = await startBff(authorize, { logger: { warn: print, error: print } })
    const authorization = `Bearer ${await token(key)}`
    // The emulator does not start in production.
    vi.stubEnv('NODE_ENV', mode)
    expect(await bff.mint({ authorization })).toMatchObject({ status: 401, code: 'UNAUTHENTICATED' })
    const events = bff.events.filter(({ type }) => type === 'login.refused')
    const text = JSON.stringify([bff.events, lines])
    for (const piece of authorization
      .slice(7)
      .split('.')
      .filter(({ length }) => length > 8))
      expect(text).not.toContain(piece)
    return { events, text }
  }

  it.each<[string, Claims, string, string]>([
    [
      'aud',
      { aud: 'billing' },
      'aud',
      'its claim "aud" is "billing", and "audience" is "voice". Set "audience"',
    ],
    [
      'a list',
      { aud: ['billing', ISSUER] },
      'aud',
      `"aud" is "billing", "${ISSUER}", and "audience" is "voice"`,
    ],
    ['no aud', { aud: undefined }, 'aud', '"aud" is undefined, and "audience" is "voice"'],
    ['an aud that is no name', { aud: 'a line\nof a log' }, 'aud', '"aud" is a text of 15 characters, and'],
    [
      'iss',
      { iss: 'https://login.example' },
      'iss',
      `"iss" is "https://login.example", and "issuer" is "${ISSUER}"`,
    ],
    ['iss as a list', { iss: [ISSUER] }, 'iss', `"iss" is a list, and "issuer" is "${ISSUER}"`],
    [
      'iat',
      { iat: wall + 3_600 },
      'iat',
      'its claim "iat" is 3600 seconds ahead of the clock of this server',
    ],
    [
      'iat as a text',
      { iat: 'secret' },
      'iat',
      'its claim "iat" is not a number: it is a text of 6 characters',
    ],
    ['nbf', { nbf: wall + 60 }, 'nbf', 'its claim "nbf" is 60 seconds ahead'],
    ['exp', { exp: wall - 60 }, 'exp', 'it expired 60 seconds ago'],
    ['no exp', { exp: undefined }, 'exp', 'its claim "exp" is not a number: it is undefined'],
    ['nonce', { nonce: 'secret' }, 'typ', 'it is not an access token but an ID token, a refresh token or'],
  ])('a signed token with a wrong claim: %s', async (_, claims, reason, problem) => {
    const { events, text } = await refusalOf((key) => sign(key, { ...current(), ...claims }))
    expect(events).toMatchObject([{ reason, problem: expect.stringContaining(problem) as string }])
    expect(lines).toEqual([expect.stringContaining(`[stagepass] login.refused: A token was refused: `)])
    expect(lines[0]).toContain(problem)
    expect(text).not.toContain('secret')
  })

  it('names the claim of audienceClaim', async () => {
    const own = { audienceClaim: 'client_id' }
    const { events } = await refusalOf((key) => sign(key, { ...current(), client_id: 'web' }), own)
    expect(events).toMatchObject([
      { reason: 'aud', problem: expect.stringContaining('its claim "client_id" is "web", and') as string },
    ])
  })

  it.each<[string, (key: Key) => Promise<string> | string, string, string]>([
    ['no token', () => 'opaque', 'format', 'it is not a signed JSON Web Token'],
    [
      'an unknown key',
      async () =>
        sign(await newKey('invented'), { ...current(), iss: 'https://words-of-a-stranger.example' }),
      'key',
      'the keys of "jwksUrl" do not have the key that it names',
    ],
    [
      'a wrong signature',
      async () => sign(await newKey('one'), { ...current(), iss: 'https://words-of-a-stranger.example' }),
      'signature',
      'its signature is wrong',
    ],
    [
      'an algorithm that is not listed',
      () =>
        `${part({ alg: 'HS256', kid: 'one' })}.${part({ iss: 'https://words-of-a-stranger.example' })}.AAAAAAAAAA`,
      'alg',
      'its algorithm is HS256, and "algorithms" has RS256, ES256, EdDSA, Ed25519',
    ],
    [
      'an invented algorithm',
      () => `${part({ alg: 'words-of-a-stranger', kid: 'one' })}.${part({})}.AAAAAAAAAA`,
      'alg',
      'its algorithm is another one, and',
    ],
  ])(
    'nothing of a token that is not signed by the issuer is shown: %s',
    async (_, token, reason, problem) => {
      const { events, text } = await refusalOf(token)
      expect(events).toMatchObject([{ reason, problem: expect.stringContaining(problem) as string }])
      expect(text).not.toContain('words-of-a-stranger')
    },
  )

  it('that a token expired is a line in development only', async () => {
    const { events } = await refusalOf((key) => sign(key, { ...current(), exp: wall - 60 }), {}, 'production')
    expect(events).toHaveLength(1)
    expect(lines).toEqual([])
  })

  it('any other fault of a token is a line in production too', async () => {
    await refusalOf((key) => sign(key, { ...current(), aud: 'billing' }), {}, 'production')
    expect(lines).toEqual([expect.stringContaining('"aud" is "billing"')])
  })

  it('a request without a token has neither', async () => {
    await using bff = await start(() => [])
    await bff.mint()
    expect(bff.events.filter(({ type }) => type === 'login.refused')).toEqual([])
  })
})
