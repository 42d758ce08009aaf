import { readFileSync } from 'node:fs'
import { resolve } from 'node:path'
import { OTHER_VERSIONS, type PackageName, VERSIONS, versionsOf } from '../versions.js'

/** A server application with the BFF, as in docs/hosts.md. */
export interface Host {
  /** Name with version, as in the table. */
  readonly name: string
  readonly dependencies: Readonly<Record<string, string>>
  /** Texts by path. The page's modules are written next to the module that imports them. */
  readonly files: Readonly<Record<string, string | object>>
  /** Folder of the page's modules. Default: the folder of the application. */
  readonly voiceIn?: string
  /** A program of a dependency, run before the start. */
  readonly build?: readonly [command: string, ...args: string[]]
  /** A program of a dependency, by name or path. It listens on the port in the variable PORT. */
  readonly start: readonly [command: string, ...args: string[]]
  /**
   * Why it cannot be tried with a body of 20 MB and a client that leaves, points 6 and 7 of the list in
   * docs/hosts.md.
   */
  readonly cannot?: string
  /** Default false: the host ignores the proxy, so a page behind it is refused until `origin` is set. */
  readonly followsForwardedProto?: boolean
}

const PAGE = readFileSync(resolve(import.meta.dirname, '../../../docs/hosts.md'), 'utf8')

/**
 * The program number `at` below a heading of docs/hosts.md, with the port of the environment. So the tests
 * run the programs of the page.
 */
function programOf(heading: string, at = 0): string {
  const section = PAGE.split(/^## /m).find((text) => text.startsWith(`${heading}\n`)) ?? ''
  const code = [...section.matchAll(/^```[jt]s\n([\s\S]*?)^```/gm)][at]?.[1]
  if (code === undefined) throw new Error(`Failed to read docs/hosts.md: "${heading}" has no program ${at}.`)
  return code.replace(/\b3000\b/, 'Number(process.env.PORT)')
}

/** The modules of docs/hosts.md that make a BFF. They import `voice.js`. */
export const MODULES: Host['files'] = {
  'nodeVoice.js': programOf('One module for each kind of host', 1),
  'fetchVoice.js': programOf('One module for each kind of host', 2),
}

/** A host of one file in JavaScript, which Node runs. */
const inNode = (name: string, packages: readonly PackageName[], program: string): Host => ({
  name,
  dependencies: versionsOf(...packages),
  files: { 'server.js': program },
  start: ['node', 'server.js'],
})

/** A host of one file in TypeScript. */
const inTsx = (name: string, dependencies: Record<string, string>, program: string): Host => ({
  name,
  dependencies: { ...dependencies, ...versionsOf('tsx') },
  files: { 'server.ts': program },
  start: ['tsx', 'server.ts'],
})

const CONNECT = `import { createServer } from 'node:http'
import { createBff } from '@stagepass/bff'
import connect from 'connect'
import { grantOf, keys } from './voice.js'

const app = connect()
app.use('/api/voice', createBff({ ...keys, authorize: (req) => grantOf(req.headers.cookie) }))
createServer(app).listen(Number(process.env.PORT))
`

const NEST_MODULE = `import 'reflect-metadata'
import { Module } from '@nestjs/common'

export class AppModule {}
Module({})(AppModule)
`

const next = {
  dependencies: versionsOf('next', 'react', 'react-dom', '@types/node', '@types/react', 'typescript'),
  build: ['next', 'build'],
  start: ['next', 'start', '--hostname', '127.0.0.1'],
} as const

const HELLO = 'export default function Page() {\n  return <p>Hello</p>\n}\n'
const NEXT_LAYOUT = `import type { ReactNode } from 'react'
export default function Layout({ children }: { children: ReactNode }) {
  return <html><body>{children}</body></html>
}
`

const ROUTER_ROOT = `import { Outlet, Scripts } from 'react-router'
export default function Root() {
  return <html><body><Outlet /><Scripts /></body></html>
}
`

/** Bundles a worker and runs it locally, as wrangler does. */
const START_WORKERD = `import { build } from 'esbuild'
import { Miniflare } from 'miniflare'

const { outputFiles } = await build({
  entryPoints: ['worker.js'],
  bundle: true,
  write: false,
  format: 'esm',
  target: 'es2022',
  conditions: ['workerd', 'worker', 'browser'],
  external: ['cloudflare:*', 'node:*'],
})
const names = Object.keys(process.env).filter((name) => /^VOICE_|^PUBLIC_ORIGIN/.test(name))
const worker = new Miniflare({
  modules: true,
  script: outputFiles[0].text,
  compatibilityDate: '2026-04-01',
  compatibilityFlags: ['nodejs_compat', 'enable_request_signal'],
  bindings: Object.fromEntries(names.map((name) => [name, process.env[name]])),
  durableObjects: { VOICE: 'Voice' },
  port: Number(process.env.PORT),
})
await worker.ready
`

export const HOSTS: readonly Host[] = [
  ...[...OTHER_VERSIONS.express, VERSIONS.express].map((express) =>
    inTsx(`Express ${express}`, { express }, programOf('Express 4 and 5')),
  ),
  inNode(`Connect ${VERSIONS.connect}`, ['connect'], CONNECT),
  inTsx('node:http with basePath', {}, programOf('node:http and node:http2')),
  ...(['@fastify/middie', '@fastify/express'] as const).map((plugin) =>
    inNode(
      `Fastify ${VERSIONS.fastify} with ${plugin}`,
      ['fastify', plugin],
      programOf('Fastify').replace('@fastify/middie', plugin),
    ),
  ),
  {
    ...inTsx(
      `Fastify ${VERSIONS.fastify} through fetch`,
      versionsOf('fastify', 'typescript', '@types/node'),
      programOf('A host of your own'),
    ),
    // Without `allowJs` the modules of the page, which are JavaScript here, would have no types.
    build: [
      'tsc',
      ...'--noEmit --strict --skipLibCheck --allowJs'.split(' '),
      ...'--module nodenext --types node server.ts'.split(' '),
    ],
  },
  {
    ...inNode(
      `NestJS ${VERSIONS['@nestjs/core']} on Express`,
      ['@nestjs/common', '@nestjs/core', '@nestjs/platform-express', 'reflect-metadata', 'rxjs'],
      '',
    ),
    files: { 'server.js': programOf('NestJS'), 'app.module.js': NEST_MODULE },
  },
  {
    name: `Next.js ${VERSIONS.next}, App Router`,
    ...next,
    files: {
      'app/layout.tsx': NEXT_LAYOUT,
      'app/page.tsx': HELLO,
      'app/api/voice/[...path]/route.ts': programOf('Next.js'),
    },
    voiceIn: 'app/api/voice/[...path]',
    followsForwardedProto: true,
  },
  {
    name: `Next.js ${VERSIONS.next}, pages/api`,
    ...next,
    files: {
      'pages/index.tsx': HELLO,
      'pages/api/voice/[...path].ts': programOf('Next.js', 1)
        .replace('./nodeVoice.js', '../../../nodeVoice.js')
        // Otherwise Next.js reads the body, and refuses 20 MB itself.
        .replace('externalResolver: true', 'externalResolver: true, bodyParser: false'),
    },
  },
  inTsx(
    `Hono ${VERSIONS.hono} on @hono/node-server`,
    versionsOf('hono', '@hono/node-server'),
    programOf('Hono'),
  ),
  inNode(`h3 ${VERSIONS.h3}`, ['h3'], programOf('h3')),
  {
    ...inNode(`Bun ${VERSIONS['@oven/bun-linux-x64']}`, ['@oven/bun-linux-x64'], programOf('Bun')),
    // The package `bun` downloads this program with an install script, but no install scripts run here.
    start: ['node_modules/@oven/bun-linux-x64/bin/bun', 'server.js'],
  },
  {
    ...inNode(`Deno ${VERSIONS.deno}`, ['deno'], programOf('Deno')),
    start: ['deno', 'run', '--allow-net', '--allow-env', '--allow-read', 'server.js'],
  },
  {
    name: `React Router ${VERSIONS['react-router']}`,
    dependencies: versionsOf(
      'react-router',
      '@react-router/dev',
      '@react-router/node',
      '@react-router/serve',
      'isbot',
      'react',
      'react-dom',
      'vite',
    ),
    files: {
      'vite.config.js':
        "import { reactRouter } from '@react-router/dev/vite'\nexport default { plugins: [reactRouter()] }\n",
      'app/root.jsx': ROUTER_ROOT,
      'app/routes.js':
        "import { route } from '@react-router/dev/routes'\nexport default [route('api/voice/*', 'routes/api.voice.$.ts')]\n",
      'app/routes/api.voice.$.ts': programOf('React Router 7'),
    },
    voiceIn: 'app/routes',
    build: ['react-router', 'build'],
    start: ['react-router-serve', './build/server/index.js'],
  },
  inNode(`Koa ${VERSIONS.koa} with koa-connect`, ['koa', 'koa-connect'], programOf('Koa')),
  {
    name: `Cloudflare Workers, in Miniflare ${VERSIONS.miniflare}`,
    dependencies: versionsOf('esbuild', 'miniflare'),
    files: { 'worker.js': programOf('Cloudflare Workers'), 'start.js': START_WORKERD },
    start: ['node', 'start.js'],
    cannot:
      'workerd on a machine of your own resets the connection of a client that still writes, and does not tell that a client has left',
  },
]
