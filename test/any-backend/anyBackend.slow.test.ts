import { once } from 'node:events'
import type { IncomingMessage } from 'node:http'
import { Agent, request } from 'node:https'
import { hang } from '@stagepass/emulator'
import { bundleProgram } from '@stagepass/testing/bundleProgram'
import { chromiumOptions } from '@stagepass/testing/launchOptions'
import { type Browser, chromium, type Page } from 'playwright'
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest'
import { runIn } from '../../packages/testing/src/stack/runIn.js'
import { BACKENDS, type Built, buildAll, PROXIES, type Site, startSite } from './startSite.js'

/* Servers in other languages together with the program of packages/server, behind proxies. */

let built: Built
let browser: Browser
let doctor: string
beforeAll(async () => {
  built = await buildAll()
  doctor = await bundleProgram(
    new URL('../../packages/doctor/src/cli/main.ts', import.meta.url),
    'any-doctor',
  )
  browser = await chromium.launch(chromiumOptions())
})
afterAll(async () => {
  await browser?.close()
  built?.[Symbol.dispose]()
})

const PASSWORDS = { ada: 'engine', grace: 'compiler' } as const
type User = keyof typeof PASSWORDS

/** A user with a separate browser. */
async function visit(site: Site): Promise<{ readonly page: Page; readonly problems: string[] }> {
  const context = await browser.newContext({ ignoreHTTPSErrors: true })
  const page = await context.newPage()
  const problems: string[] = []
  page.on('pageerror', (error) => problems.push(error.message))
  await page.goto(site.origin)
  return { page, problems }
}

async function signIn(page: Page, user: User): Promise<void> {
  await page.getByLabel('User').fill(user)
  await page.getByLabel('Password').fill(PASSWORDS[user])
  await page.getByRole('button', { name: 'Sign in' }).click()
  await page.getByRole('heading', { name: user }).waitFor()
}

async function hear(page: Page): Promise<void> {
  await page.getByText('The stream is idle.').waitFor()
  await page.getByRole('button', { name: 'Speak' }).click()
  await page.getByText('The stream is open.').waitFor()
  await expect.poll(() => page.locator('#captions').innerText()).toMatch(/\w+ \w+/)
  await expect.poll(() => page.locator('li').count()).toBe(3)
}

const withOutput = async (site: Site, work: () => Promise<void>): Promise<void> => {
  try {
    await work()
  } catch (cause) {
    throw new Error(`The programs printed:\n${site.output().slice(-6_000)}`, { cause })
  }
}

/** Users whom the program served, in the order of their requests. */
const usersOf = (site: Site): unknown[] =>
  site.program
    .output()
    .split('\n')
    .flatMap((line) => (line.includes('"request.finished"') ? [JSON.parse(line) as { user?: string }] : []))
    .map(({ user }) => user)

describe.each(BACKENDS)('beside %s', (backend) => {
  it('users sign in, stream, list, change and sign out, also at the same time', async () => {
    await using site = await startSite(built, backend, backend === 'php' ? 'caddy' : 'nginx')
    await withOutput(site, async () => {
      const one = await visit(site)
      await signIn(one.page, 'ada')
      await hear(one.page)

      const two = await visit(site)
      await signIn(two.page, 'grace')
      await hear(two.page)
      expect(new Set(usersOf(site))).toEqual(new Set(['ada', 'grace']))

      // The stream of the user who signs out ends, and the other user's continues.
      await one.page.getByRole('button', { name: 'Sign out' }).click()
      await one.page.getByLabel('User').waitFor()
      await vi.waitFor(() => expect(site.upstream.sockets).toHaveLength(1))
      await two.page.getByRole('button', { name: 'Speak' }).click()

      const before = usersOf(site).length
      await signIn(one.page, 'grace')
      await hear(one.page)
      expect(new Set(usersOf(site).slice(before))).toEqual(new Set(['grace']))
      expect([...one.problems, ...two.problems]).toEqual([])
    })
  })
})

interface Answer {
  readonly status: number
  readonly headers: IncomingMessage['headers']
  readonly text: string
}

interface Ask {
  readonly method?: string
  readonly headers?: Readonly<Record<string, string>>
  readonly body?: string | Buffer
  readonly agent?: Agent
  readonly signal?: AbortSignal
}

async function ask(
  site: Site,
  path: string,
  { method = 'GET', headers, body, agent, signal }: Ask = {},
): Promise<Answer> {
  const sent = request(site.origin + path, {
    method,
    headers: { 'x-stagepass': '1', ...headers },
    agent: agent ?? new Agent({ rejectUnauthorized: false }),
    rejectUnauthorized: false,
    signal,
  })
  // A server may refuse a long body before its end.
  const answered = once(sent, 'response') as Promise<[IncomingMessage]>
  sent.on('error', () => undefined)
  sent.end(body)
  const [response] = await answered
  const text = Buffer.concat(await response.toArray()).toString()
  return { status: response.statusCode ?? 0, headers: response.headers, text }
}

/** The form of the sign-in page. */
const postLogin = (site: Site, user: User, origin: string): Promise<Answer> =>
  ask(site, '/login', {
    method: 'POST',
    headers: { 'content-type': 'application/x-www-form-urlencoded', origin },
    body: `user=${user}&password=${PASSWORDS[user]}`,
  })

/** The cookie of a signed-in user. */
async function cookieOf(site: Site, user: User): Promise<string> {
  const { status, headers } = await postLogin(site, user, site.origin)
  expect(status).toBe(200)
  return (headers['set-cookie'] ?? []).map((line) => line.split(';')[0]).join('; ')
}

const minting = (site: Site, headers: Readonly<Record<string, string>>, more: Ask = {}): Promise<Answer> =>
  ask(site, '/api/voice/session-token', {
    method: 'POST',
    body: '{"usage_type":"stt"}',
    ...more,
    headers: { origin: site.origin, 'content-type': 'application/json', ...headers },
  })

const codeOf = (error: NodeJS.ErrnoException): string | undefined => error.code

const mint = async (...args: Parameters<typeof minting>): Promise<number> => (await minting(...args)).status

it.each(BACKENDS)(
  '%s sets a cookie only for https, and a page of another site cannot sign in',
  async (backend) => {
    await using site = await startSite(built, backend, 'nginx')
    const { status, headers } = await postLogin(site, 'ada', site.origin)
    expect(status).toBe(200)
    for (const cookie of headers['set-cookie'] ?? [])
      expect(cookie.toLowerCase().split('; ')).toEqual(
        expect.arrayContaining(['secure', 'httponly', 'samesite=lax', 'path=/']),
      )
    for (const origin of ['https://evil.example', site.origin.replace('https', 'http'), 'null', ''])
      expect([origin, (await postLogin(site, 'ada', origin)).status]).toEqual([origin, 403])
  },
)

describe.each(PROXIES)('behind %s', (proxy) => {
  it('S48 passes the checks of every host', async () => {
    await using site = await startSite(built, 'go', proxy)
    await withOutput(site, async () => {
      const cookie = await cookieOf(site, 'ada')
      expect(await mint(site, { cookie })).toBe(200)
      const list = await ask(site, '/api/voice/meetings?limit=2&fields=title', { headers: { cookie } })
      expect([list.status, (JSON.parse(list.text) as { meetings: unknown[] }).meetings.length]).toEqual([
        200, 2,
      ])
      expect(await mint(site, {})).toBe(401)
      expect(await mint(site, { cookie: 'session=invented' })).toBe(401)

      expect(await mint(site, { cookie, origin: 'https://evil.example' })).toBe(403)
      expect(await mint(site, { cookie, origin: site.origin.replace('https', 'http') })).toBe(403)
      expect(await mint(site, { cookie, 'sec-fetch-site': 'cross-site' })).toBe(403)
      expect(await mint(site, { cookie, 'x-stagepass': '0' })).toBe(403)
      const evil = {
        'x-forwarded-host': 'evil.example',
        'x-forwarded-proto': 'http',
        forwarded: 'host=evil.example',
      }
      expect(await mint(site, { cookie, ...evil, origin: 'https://evil.example' })).toBe(403)
      expect(await mint(site, { cookie, ...evil })).toBe(200)

      expect((await ask(site, '/api/voice/nothing', { headers: { cookie } })).status).toBe(404)
      for (const method of ['PUT', 'PATCH', 'DELETE']) {
        const headers = { cookie, origin: site.origin }
        const wrong = await ask(site, '/api/voice/tags', { method, headers })
        expect([wrong.status, wrong.headers.allow]).toEqual([405, 'GET'])
      }
      expect(await mint(site, { cookie }, { body: Buffer.alloc(5_000, 'x') })).toBe(413)
      // A proxy may end the connection of a client that still writes, before it reads the refusal.
      const long = await mint(site, { cookie }, { body: Buffer.alloc(20 * 1_048_576, 'x') }).catch(codeOf)
      expect([413, 'ECONNRESET', 'EPIPE']).toContain(long)
      expect(await mint(site, { cookie })).toBe(200)

      const before = site.upstream.requests.length
      site.upstream.use(hang({ times: 1 }))
      const leaving = new AbortController()
      const left = mint(site, { cookie }, { signal: leaving.signal }).catch(() => 'left')
      await vi.waitFor(() => expect(site.upstream.requests).toHaveLength(before + 1))
      leaving.abort()
      expect(await left).toBe('left')
      await vi.waitFor(() => expect(site.upstream.requests.at(-1)?.aborted).toBe(true))
    })
  })

  it('S48 users that take turns on one connection are not mixed up by any header', async () => {
    await using site = await startSite(built, 'go', proxy)
    const agent = new Agent({ keepAlive: true, maxSockets: 1, rejectUnauthorized: false })
    const [ada, grace] = [await cookieOf(site, 'ada'), await cookieOf(site, 'grace')]
    const seen: number[] = []
    for (const headers of [
      { cookie: ada },
      { cookie: grace },
      { cookie: '' },
      { cookie: ada, 'x-stagepass-user': 'grace' },
      { cookie: grace, 'x-stagepass-user': 'grace' },
      { 'x-stagepass-user': 'grace', 'x-forwarded-user': 'grace', 'remote-user': 'grace' },
      { cookie: grace, 'x-forwarded-user': 'ada', 'x-user': 'ada' },
    ])
      seen.push(await mint(site, headers, { agent }))
    agent.destroy()
    expect(seen).toEqual([200, 200, 401, 403, 200, 401, 200])
    await vi.waitFor(() => expect(usersOf(site)).toHaveLength(7))
    expect(usersOf(site)).toEqual(['ada', 'grace', undefined, 'ada', 'grace', undefined, 'grace'])
  })

  it('S49 a sign-out ends access within the time of the cache', async () => {
    await using site = await startSite(built, 'go', proxy)
    const cookie = await cookieOf(site, 'ada')
    expect(await mint(site, { cookie })).toBe(200)
    await ask(site, '/logout', { method: 'POST', headers: { cookie, origin: site.origin } })
    const since = performance.now()
    await vi.waitFor(async () => expect(await mint(site, { cookie })).toBe(401), {
      timeout: 30_000,
      interval: 250,
    })
    expect(performance.now() - since).toBeGreaterThan(0)
  })

  it('S48 hides the route of the grant, the health of the program and all its other routes', async () => {
    await using site = await startSite(built, 'go', proxy)
    const cookie = await cookieOf(site, 'ada')
    for (const path of [
      '/internal/voice-grant',
      '/internal/',
      '/internal/../internal/voice-grant',
      '//internal/voice-grant',
      '/%69nternal/voice-grant',
    ])
      expect([path, (await ask(site, path, { headers: { cookie } })).text]).toEqual([
        path,
        expect.not.stringContaining('products'),
      ])
    for (const path of ['/ready', '/metrics']) expect((await ask(site, path)).status).toBe(404)
  })

  it('the doctor finds nothing that fails', async () => {
    await using site = await startSite(built, 'go', proxy)
    const cookie = await cookieOf(site, 'ada')
    await withOutput(site, async () => {
      const output = await runIn(
        site.folder,
        process.execPath,
        [doctor, '--json', '--bff', `${site.origin}/api/voice`],
        {
          env: { STAGEPASS_COOKIE: cookie, NODE_EXTRA_CA_CERTS: `${site.folder}/app.pem` },
        },
      )
      const { checks } = JSON.parse(output) as { checks: { name: string; status: string }[] }
      const statuses = Object.fromEntries(checks.map(({ name, status }) => [name, status]))
      expect(Object.values(statuses)).not.toContain('fail')
      expect(statuses).toMatchObject({
        token: 'ok',
        stream: 'ok',
        meetings: 'ok',
        'own origin': 'ok',
        headers: 'ok',
      })
    })
  })
})
