import { deepStrictEqual as equal } from 'node:assert'
import type { Emulator } from '@stagepass/emulator'
import { freePort } from '@stagepass/testing/freePorts'
import type { Running } from '@stagepass/testing/programs'
import { generate } from 'selfsigned'
import { startNginx } from '../../../packages/testing/src/stack/startNginx.js'
import { provide } from '../../programs.js'
import type { Context } from '../Case.js'
import { makeApp } from '../makeApp.js'
import { type Host, MODULES } from './hosts.js'
import { type Ask, ask, until } from './requests.js'

/** In place of the page's `voice.ts`: the emulator, and one user. */
const VOICE = `export const keys = {
  apiKey: process.env.VOICE_API_KEY,
  baseUrl: process.env.VOICE_BASE_URL,
  streamingUrl: process.env.VOICE_STREAMING_URL,
  meetings: { baseUrl: process.env.VOICE_MEETINGS_URL },
  onEvent: (event) => console.log(JSON.stringify(event)),
  ...(process.env.PUBLIC_ORIGIN && { origin: process.env.PUBLIC_ORIGIN }),
}

export async function grantOf(cookie) {
  if (cookie !== 'user=ada') return null
  return { user: 'ada', meetings: { credential: process.env.VOICE_MEETINGS_TOKEN } }
}
`

const MINT = { method: 'POST', body: '{"usage_type":"stt"}' } as const

const codeOf = (text: string): unknown => (JSON.parse(text) as { error_code?: unknown }).error_code

async function mint(origin: string, headers: Record<string, string>, options: Ask = {}): Promise<number> {
  const { status, text } = await ask(origin, '/session-token', { ...MINT, ...options, headers })
  if (status === 200) equal((JSON.parse(text) as { usage_type: string }).usage_type, 'stt')
  return status
}

/** The checks for every host. docs/hosts.md has the list. */
async function tryDirectly(origin: string, upstream: Emulator, host: Host): Promise<void> {
  const own = { origin }
  equal(await mint(origin, own), 200, 'a token, from a page of the own origin, without Sec-Fetch-Site')
  const { status, text } = await ask(origin, '/meetings?limit=2&fields=title')
  equal([status, (JSON.parse(text) as { meetings: unknown[] }).meetings.length], [200, 2], 'meetings')
  equal((await ask(origin, '/meetings', { headers: { cookie: 'user=eve' } })).status, 401, 'no grant')

  const cross = { origin: 'https://evil.example', 'sec-fetch-site': 'cross-site' }
  equal(await mint(origin, cross), 403, 'another site')
  equal(await mint(origin, { origin: 'https://evil.example' }), 403, 'another site, without Sec-Fetch-Site')
  equal(await mint(origin, { ...own, 'x-stagepass': '0' }), 403, 'without the header')

  const nothing = await ask(origin, '/nothing')
  equal([nothing.status, codeOf(nothing.text)], [404, 'NOT_FOUND'], 'an unknown route')
  for (const method of ['PUT', 'PATCH', 'DELETE']) {
    const wrong = await ask(origin, '/tags', { method, headers: own })
    equal([wrong.status, wrong.allow], [405, 'GET'], method)
  }
  if (host.cannot !== undefined) return

  const bytes = 20 * 1_048_576
  const headers = { ...own, 'content-length': String(bytes) }
  equal((await ask(origin, '/session-token', { method: 'POST', bytes, headers })).status, 413, '20 MB')

  const { hang } = await import('@stagepass/emulator')
  const before = upstream.requests.length
  upstream.use(hang({ times: 1 }))
  const leaving = new AbortController()
  const left = mint(origin, own, { signal: leaving.signal }).catch(() => 'left')
  await until(() => equal(upstream.requests.length, before + 1, 'the request before the abort'))
  leaving.abort()
  equal(await left, 'left')
  await until(() => equal(upstream.requests.at(-1)?.aborted, true, 'a client that leaves'))
}

/** A common configuration of nginx: it ends TLS, keeps Host, and sends the scheme in `X-Forwarded-Proto`. */
const FORWARDED = `
      proxy_set_header Host $http_host;
      proxy_set_header X-Forwarded-Proto $scheme;
      proxy_set_header X-Forwarded-Host $http_host;`

async function startProxy(port: number) {
  const attributes = [{ name: 'commonName', value: '127.0.0.1' }]
  const pair = await generate(attributes, { keyType: 'ec', algorithm: 'sha256' })
  return startNginx({
    program: (await provide(['NGINX_PATH'])).NGINX_PATH,
    target: `http://127.0.0.1:${port}`,
    directives: FORWARDED,
    tls: { key: pair.private, cert: pair.cert },
  })
}

/** Tests a host as in docs/hosts.md, then behind nginx. */
export async function tryHost(context: Context, host: Host): Promise<string> {
  const { createEmulator } = await import('@stagepass/emulator')
  await using upstream = await createEmulator()
  const port = await freePort()
  await using nginx = await startProxy(port)
  const origin = `http://127.0.0.1:${port}`
  const publicOrigin = `https://${nginx.host}`
  const modules = Object.entries({ ...MODULES, 'voice.js': VOICE })
  const app = await makeApp(context, {
    dependencies: host.dependencies,
    files: {
      ...host.files,
      ...Object.fromEntries(
        modules.map(([name, text]) => [[host.voiceIn, name].filter(Boolean).join('/'), text]),
      ),
    },
  })

  /** Builds and starts the application, and runs the checks. */
  async function withHost(env: NodeJS.ProcessEnv, check: (server: Running) => Promise<void>): Promise<void> {
    const options = {
      env: {
        PORT: String(port),
        HOST: '127.0.0.1',
        VOICE_API_KEY: upstream.apiKey,
        VOICE_BASE_URL: upstream.baseUrl,
        VOICE_STREAMING_URL: upstream.streamingUrl,
        VOICE_MEETINGS_URL: upstream.meetingsUrl,
        VOICE_MEETINGS_TOKEN: upstream.meetingsCredential,
        ...env,
      },
    }
    if (host.build) await app.runTool(host.build[0], host.build.slice(1), options)
    const [command, ...args] = host.start
    const isProgram = command === 'node' || command.includes('/')
    const server = isProgram
      ? app.start(command, args, options)
      : app.start('npx', ['--no-install', command, ...args], options)
    try {
      await until(async () => equal((await ask(origin, '/health')).status, 200, 'health'), 60_000)
      await check(server)
    } catch (cause) {
      const reason = cause instanceof Error ? cause.message : String(cause)
      throw new Error(`${reason}\n${server.output().slice(-4_000)}`, { cause })
    } finally {
      await server.stop()
    }
  }

  await withHost({}, async (server) => {
    await tryDirectly(origin, upstream, host)
    // The server is not yet configured for nginx: an event says what to do.
    const https = { origin: publicOrigin, 'sec-fetch-site': 'same-origin' }
    equal(await mint(publicOrigin, https), 200, 'behind nginx, with Sec-Fetch-Site')
    const expected = host.followsForwardedProto === true ? 200 : 403
    equal(await mint(publicOrigin, { origin: publicOrigin }), expected, 'behind nginx, without "origin"')
    if (expected === 403) await server.printed(/"type":"host\.misconfigured".*"option":"origin"/)
  })
  await withHost({ PUBLIC_ORIGIN: publicOrigin }, async () => {
    equal(await mint(publicOrigin, { origin: publicOrigin }), 200, 'behind nginx')
    equal(await mint(publicOrigin, { origin }), 403, 'behind nginx, from the address that it hides')
  })
  if (host.cannot !== undefined) return `1 to 8 but 6 and 7: ${host.cannot}`
  return host.followsForwardedProto === true ? '1 to 8; 8 without `origin` too' : '1 to 8'
}
