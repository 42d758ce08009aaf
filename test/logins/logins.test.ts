import { once } from 'node:events'
import { createServer, type IncomingMessage, type RequestListener } from 'node:http'
import type { AddressInfo } from 'node:net'
import { type BffEvent, createBff, type Grant } from '@stagepass/bff'
import { createEmulator } from '@stagepass/emulator'
import { afterEach, describe, expect, it, vi } from 'vitest'
import { programsOf, ROOT, writePrograms } from '../docs/programs.js'
import { CLIENT, type Provider, PROVIDERS } from './providers.js'
import { startIssuer } from './startIssuer.js'

/* Each program of docs/logins.md, unchanged, with an issuer that has the tokens of its provider. */

const programs = programsOf('docs/logins.md')
const FOLDER = `${ROOT}.cache/logins/`

afterEach(() => void vi.unstubAllEnvs())

async function start(provider: Provider) {
  const issuer = await startIssuer(provider)
  vi.stubEnv('LOGIN_ISSUER', issuer.issuer)
  vi.stubEnv('LOGIN_AUDIENCE', CLIENT)
  const program = programs.find(({ file }) => file.endsWith(`/${provider.file}`))
  if (!program) throw new Error(`docs/logins.md has no ${provider.file}.`)
  // In a folder for each test: a module reads its variables once.
  const folder = `${FOLDER}${crypto.randomUUID()}/`
  writePrograms(folder, [program])
  const { authorize } = (await import(/* @vite-ignore */ folder + program.file)) as {
    authorize: (request: IncomingMessage) => Promise<Grant | null>
  }
  const upstream = await createEmulator()
  const events: BffEvent[] = []
  const lines: string[] = []
  const print = (line: string): void => void lines.push(line)
  const bff = createBff({
    ...upstream.bffOptions,
    authorize,
    limits: { tokensPerMinute: Infinity },
    onEvent: (event) => void events.push(event),
    logger: { warn: print, error: print },
  })
  const server = createServer(bff as unknown as RequestListener)
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  const origin = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
  return {
    issuer,
    lines,
    claims: provider.access(issuer.issuer),
    async mint(token: string): Promise<number> {
      const response = await fetch(`${origin}/session-token`, {
        method: 'POST',
        headers: {
          'x-stagepass': '1',
          'content-type': 'application/json',
          authorization: `Bearer ${token}`,
          origin,
        },
        body: JSON.stringify({ usage_type: 'stt' }),
      })
      await response.arrayBuffer()
      const pieces = token.split('.').filter(({ length }) => length > 8)
      for (const piece of pieces) expect(JSON.stringify([lines, events])).not.toContain(piece)
      return response.status
    },
    lastUser: () => events.findLast((event) => event.type === 'request.finished')?.user,
    async [Symbol.asyncDispose]() {
      server.closeAllConnections()
      server.close()
      await bff.close()
      await upstream.close()
      await issuer[Symbol.asyncDispose]()
    },
  }
}

const now = (): number => Math.floor(Date.now() / 1_000)

describe.each(PROVIDERS)('$file', (provider) => {
  it('an access token is its user', async () => {
    await using app = await start(provider)
    expect(await app.mint(await app.issuer.sign(app.claims))).toBe(200)
    expect(app.lastUser()).toBe(provider.user)
    expect(app.lines).toEqual([])
  })

  it.each<[string, Readonly<Record<string, unknown>>, RegExp]>([
    [
      'audience',
      { [provider.audienceClaim]: 'https://other.example' },
      new RegExp(`its claim "${provider.audienceClaim}" is "https://other.example", and "audience" is "`),
    ],
    [
      'audience that is missing',
      { [provider.audienceClaim]: undefined },
      new RegExp(`its claim "${provider.audienceClaim}" is undefined, and "audience" is "`),
    ],
    [
      'issuer',
      { iss: 'https://other.example' },
      /its claim "iss" is "https:\/\/other\.example", and "issuer" is "http:/,
    ],
    ['end', { exp: now() - 3_600 }, /it expired \d{4} seconds ago/],
    [
      'clock',
      { iat: now() + 3_600, exp: now() + 7_200 },
      /its claim "iat" is 3\d{3} seconds ahead of the clock/,
    ],
  ])('a wrong %s is a line that names the claim', async (_, claims, line) => {
    await using app = await start(provider)
    expect(await app.mint(await app.issuer.sign({ ...app.claims, ...claims }))).toBe(401)
    expect(app.lines).toEqual([expect.stringMatching(line)])
  })

  it('a wrong algorithm is a line that names both', async () => {
    await using app = await start(provider)
    expect(await app.mint(await app.issuer.sign(app.claims, 'HS256'))).toBe(401)
    expect(app.lines).toEqual([
      expect.stringContaining('its algorithm is HS256, and "algorithms" has RS256, ES256'),
    ])
  })
})

it.each(PROVIDERS.filter(({ id }) => id !== undefined))('an ID token is refused: $file', async (provider) => {
  await using app = await start(provider)
  expect(await app.mint(await app.issuer.sign(provider.id?.(app.issuer.issuer) ?? {}))).toBe(401)
  expect(app.lines).toEqual([
    expect.stringMatching(
      provider.file === 'auth0.ts' || provider.file === 'cognito.ts'
        ? `claim "${provider.audienceClaim}" is `
        : 'it is not an access token but an ID token',
    ),
  ])
})

const named = (file: string, base = file): Provider => {
  const found = PROVIDERS.find((one) => one.file === base)
  if (!found) throw new Error(base)
  return { ...found, file }
}

it('an anonymous user of Supabase is refused', async () => {
  await using app = await start(named('supabase.ts'))
  expect(await app.mint(await app.issuer.sign({ ...app.claims, is_anonymous: true }))).toBe(401)
})

it("Clerk's page on this machine is accepted too", async () => {
  await using app = await start(named('clerk.ts'))
  expect(await app.mint(await app.issuer.sign({ ...app.claims, azp: 'http://localhost:3000' }))).toBe(200)
})

it('a member is another user in each organization, and no user outside of them', async () => {
  await using app = await start(named('organizations.ts', 'clerk.ts'))
  expect(await app.mint(await app.issuer.sign({ ...app.claims, o: { id: 'org_1', rol: 'admin' } }))).toBe(200)
  expect(app.lastUser()).toBe('org_1:user_2a')
  expect(await app.mint(await app.issuer.sign(app.claims))).toBe(401)
})
