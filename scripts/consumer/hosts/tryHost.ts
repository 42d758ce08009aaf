import { deepStrictEqual as equal } from 'node:assert'
import { generate } from 'selfsigned'
import type { Emulator } from '@stagepass/emulator'
import { freePort } from '@stagepass/testing/freePorts'
import type { Running } from '@stagepass/testing/programs'
import { startNginx } from '../../../packages/testing/src/stack/startNginx.js'
import { provide } from '../../programs.js'
import type { Context } from '../Case.js'
import { type App, makeApp } from '../makeApp.js'
import type { Host } from './Host.js'
import { VOICE } from './programs.js'
import { type Ask, ask, until } from './requests.js'

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

  if (!host.cannot?.[6]) {
    const bytes = 20 * 1_048_576
    const long = await ask(origin, '/session-token', {
      method: 'POST',
      bytes,
      headers: { ...own, 'content-length': String(bytes) },
    })
    equal(long.status, 413, '20 MB')
  }

  if (host.cannot?.[7]) return
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

/** Tests a host: as in docs/hosts.md, then behind nginx, then with a body that the host has read. */
export async function tryHost(context: Context, host: Host): Promise<string> {
  const { createEmulator } = await import('@stagepass/emulator')
  const upstream = await createEmulator()
  const port = await freePort()
  const pair = await generate([{ name: 'commonName', value: '127.0.0.1' }], {
    keyType: 'ec',
    algorithm: 'sha256',
  })
  const nginx = await startNginx({
    program: (await provide(['NGINX_PATH'])).NGINX_PATH,
    target: `http://127.0.0.1:${port}`,
    directives: FORWARDED,
    tls: { key: pair.private, cert: pair.cert },
  })
  const publicOrigin = `https://${nginx.host}`
  const stops = [() => nginx[Symbol.asyncDispose](), () => upstream.close()]
  const env = {
    PORT: String(port),
    HOST: '127.0.0.1',
    VOICE_API_KEY: upstream.apiKey,
    VOICE_BASE_URL: upstream.baseUrl,
    VOICE_STREAMING_URL: upstream.streamingUrl,
    VOICE_MEETINGS_URL: upstream.meetingsUrl,
    VOICE_MEETINGS_TOKEN: upstream.meetingsCredential,
  }
  const origin = `http://127.0.0.1:${port}`
  const voice = { [[host.voiceIn, 'voice.js'].filter(Boolean).join('/')]: VOICE }

  const start = async (app: App, more: NodeJS.ProcessEnv = {}): Promise<Running> => {
    for (const [command, ...args] of host.build ?? [])
      await app.runTool(command, args, { env: { ...env, ...more } })
    const [command, ...args] = host.start
    const options = { env: { ...env, ...more } }
    const server =
      command === 'node' || command.includes('/')
        ? app.start(command, args, options)
        : app.start('npx', ['--no-install', command, ...args], options)
    stops.unshift(() => server.stop())
    try {
      await until(async () => equal((await ask(origin, '/health')).status, 200, 'health'), 60_000)
    } catch (cause) {
      throw new Error(`Failed to start ${host.name}.\n${server.output().slice(-4_000)}`, { cause })
    }
    return server
  }

  try {
    const app = await makeApp(context, {
      dependencies: host.dependencies,
      files: { ...host.files, ...voice },
    })
    const server = await start(app)
    try {
      await tryDirectly(origin, upstream, host)
      // The server is not yet configured for nginx: an event says what to do.
      const https = { origin: publicOrigin, 'sec-fetch-site': 'same-origin' }
      equal(await mint(publicOrigin, https), 200, 'behind nginx, with Sec-Fetch-Site')
      const expected = host.followsForwardedProto === true ? 200 : 403
      equal(await mint(publicOrigin, { origin: publicOrigin }), expected, 'behind nginx, without "origin"')
      if (expected === 403) await server.printed(/"type":"host\.misconfigured".*"option":"origin"/)
    } catch (cause) {
      throw new Error(
        `${cause instanceof Error ? cause.message : String(cause)}\n${server.output().slice(-4_000)}`,
        { cause },
      )
    }
    await server.stop()

    const { parsed } = host
    if (typeof parsed !== 'string') app.write(parsed)
    const proxied = await start(app, { PUBLIC_ORIGIN: publicOrigin })
    try {
      equal(await mint(publicOrigin, { origin: publicOrigin }), 200, 'behind nginx, with the body parsed')
      equal(await mint(publicOrigin, { origin }), 403, 'behind nginx, from the address that it hides')
    } catch (cause) {
      throw new Error(
        `${cause instanceof Error ? cause.message : String(cause)}\n${proxied.output().slice(-4_000)}`,
        { cause },
      )
    }
    const seen = typeof parsed === 'string' ? `1 to 8; 9 cannot: ${parsed}` : '1 to 9'
    if (host.cannot) {
      const reasons = Object.entries(host.cannot).map(([number, reason]) => `${number} cannot: ${reason}`)
      return `${seen}, but ${reasons.join('; ')}`
    }
    return host.followsForwardedProto === true ? `${seen}; 8 without \`origin\` too` : seen
  } finally {
    for (const stop of stops) await stop()
  }
}
