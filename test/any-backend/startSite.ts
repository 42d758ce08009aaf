import { execFileSync } from 'node:child_process'
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { createEmulator } from '@stagepass/emulator'
import { bundleProgram } from '@stagepass/testing/bundleProgram'
import { build } from 'vite'
import { generate } from 'selfsigned'
import { freePorts } from '../../packages/testing/src/stack/freePorts.js'
import { type Running, startIn } from '../../packages/testing/src/stack/runIn.js'

/* The servers of examples/any-backend and the program of packages/server, behind a proxy, as one site. */

const EXAMPLE = resolve(import.meta.dirname, '../../examples/any-backend')
const ROOT = resolve(import.meta.dirname, '../..')

export const BACKENDS = ['flask', 'php', 'go'] as const
export type Backend = (typeof BACKENDS)[number]
export const PROXIES = ['nginx', 'caddy'] as const
export type Proxy = (typeof PROXIES)[number]

/** The parts that all sites share. */
export interface Built extends Disposable {
  /** Folder of the built page. */
  readonly page: string
  readonly goServer: string
  readonly program: string
}

/** Builds the page with Vite, the program, and the server in Go. */
export async function buildAll(): Promise<Built> {
  const folder = mkdtempSync(join(tmpdir(), 'stagepass-any-'))
  const page = join(folder, 'page')
  const conditions = ['@stagepass/source', 'module', 'browser', 'development|production']
  await build({
    configFile: false,
    root: join(EXAMPLE, 'page'),
    logLevel: 'error',
    resolve: { conditions },
    build: { outDir: page },
  })
  const goServer = join(folder, 'go-server')
  execFileSync('go', ['build', '-o', goServer, '.'], {
    cwd: join(EXAMPLE, 'go'),
    env: { ...process.env, GOFLAGS: '-mod=mod', GOTOOLCHAIN: 'local' },
  })
  const program = await bundleProgram(
    new URL('../../packages/server/src/cli/main.ts', import.meta.url),
    'any-backend',
  )
  return { page, goServer, program, [Symbol.dispose]: () => rmSync(folder, { recursive: true, force: true }) }
}

const COMMANDS: Readonly<Record<Backend, (built: Built, port: number) => readonly [string, ...string[]]>> = {
  flask: () => ['python3', join(EXAMPLE, 'flask/app.py')],
  php: ({ page }, port) => ['php', '-S', `127.0.0.1:${port}`, '-t', page, join(EXAMPLE, 'php/index.php')],
  go: ({ goServer }) => [goServer],
}

/** Starts a proxy with the example's configuration, the ports of the test and a new certificate. */
async function startProxy(proxy: Proxy, folder: string, ports: Ports): Promise<Running> {
  const { private: key, cert } = await generate([{ name: 'commonName', value: 'localhost' }], {
    keyType: 'ec',
    algorithm: 'sha256',
    extensions: [{ name: 'subjectAltName', altNames: [{ type: 2, value: 'localhost' }] }],
  })
  writeFileSync(join(folder, 'app.pem'), cert)
  writeFileSync(join(folder, 'app.key'), key)
  const configured = (file: string): string =>
    readFileSync(join(EXAMPLE, 'proxy', file), 'utf8')
      .replaceAll('127.0.0.1:5000', `127.0.0.1:${ports.app}`)
      .replaceAll('127.0.0.1:8080', `127.0.0.1:${ports.voice}`)
  if (proxy === 'nginx') {
    const site = configured('nginx.conf')
      .replace('listen 443 ssl', `listen 127.0.0.1:${ports.site} ssl`)
      .replaceAll('/etc/ssl/', `${folder}/`)
      .replace('server_name app.example.com', 'server_name localhost')
    const temporary = ['client_body', 'proxy', 'fastcgi', 'uwsgi', 'scgi']
      .map((name) => `${name}_temp_path ${folder}/${name};`)
      .join(' ')
    const text = `daemon off; master_process off; pid ${folder}/pid; error_log stderr; events {} http { include /etc/nginx/mime.types; access_log off; ${temporary}\n${site}\n}`
    writeFileSync(join(folder, 'nginx.conf'), text)
    return startIn(folder, process.env.NGINX_PATH ?? '/usr/sbin/nginx', [
      '-p',
      folder,
      '-c',
      `${folder}/nginx.conf`,
    ])
  }
  const site = configured('Caddyfile').replace(
    'app.example.com {',
    `{\n\tadmin off\n\tauto_https disable_redirects\n}\nhttps://localhost:${ports.site} {\n\tbind 127.0.0.1\n\ttls ${folder}/app.pem ${folder}/app.key`,
  )
  writeFileSync(join(folder, 'Caddyfile'), site)
  return startIn(folder, 'caddy', ['run', '--adapter', 'caddyfile', '--config', `${folder}/Caddyfile`], {
    env: { HOME: folder, XDG_DATA_HOME: folder, XDG_CONFIG_HOME: folder },
  })
}

interface Ports {
  readonly app: number
  readonly voice: number
  readonly site: number
}

/** One site: a proxy, a server of the team, and the program. */
export async function startSite(built: Built, backend: Backend, proxy: Proxy) {
  const folder = mkdtempSync(join(tmpdir(), 'stagepass-site-'))
  const [app = 0, voice = 0, site = 0] = await freePorts(3)
  const ports = { app, voice, site }
  const origin = `https://localhost:${site}`
  const upstream = await createEmulator()
  const [command, ...args] = COMMANDS[backend](built, app)
  const running: Running[] = []
  const close = async (): Promise<void> => {
    for (const one of running) await one.stop()
    await upstream.close()
    rmSync(folder, { recursive: true, force: true })
  }
  try {
    running.push(
      startIn(folder, command, args, {
        env: {
          PORT: String(app),
          PAGE: built.page,
          SESSION_SECRET: 'a secret of this test',
          PHP_CLI_SERVER_WORKERS: '4',
        },
      }),
    )
    const program = startIn(ROOT, process.execPath, [built.program], {
      env: {
        VOICE_API_KEY: upstream.apiKey,
        VOICE_BASE_URL: upstream.baseUrl,
        VOICE_STREAMING_URL: upstream.streamingUrl,
        VOICE_MEETINGS_URL: upstream.meetingsUrl,
        VOICE_MEETINGS_TOKEN: upstream.meetingsCredential,
        STAGEPASS_ORIGIN: origin,
        STAGEPASS_AUTHORIZE_URL: `http://127.0.0.1:${app}/internal/voice-grant`,
        STAGEPASS_PORT: String(voice),
      },
    })
    running.push(program, await startProxy(proxy, folder, ports))
    await program.printed('server.started')
    for (const port of Object.values(ports)) await listens(port, running)
    return {
      origin,
      folder,
      upstream,
      program,
      output: () => running.map((one) => one.output()).join('\n'),
      [Symbol.asyncDispose]: close,
    }
  } catch (cause) {
    const output = running.map((one) => one.output()).join('\n')
    await close()
    throw new Error(`Failed to start the site.\n${output}`, { cause })
  }
}

export type Site = Awaited<ReturnType<typeof startSite>>

async function listens(port: number, running: readonly Running[]): Promise<void> {
  const { connect } = await import('node:net')
  const ended = Promise.race(running.map((one) => one.printed(/$nothing prints this/)))
  ended.catch(() => undefined)
  const accepts = (): Promise<boolean> =>
    new Promise((done) => {
      const socket = connect(port, '127.0.0.1')
      socket.once('connect', () => done(true) ?? socket.destroy()).once('error', () => done(false))
    })
  const loop = async (): Promise<void> => {
    while (!(await accepts())) await new Promise((next) => setImmediate(next))
  }
  await Promise.race([loop(), ended])
}
