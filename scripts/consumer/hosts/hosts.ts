import { versionsOf } from '../versions.js'
import type { Host } from './Host.js'
import { changed, programOf } from './programs.js'
import { EXPRESS_VERSIONS, HOST_VERSIONS, hostVersions } from './versions.js'

const TSX = versionsOf('tsx')
const tsx = (file: string): Host['start'] => ['tsx', file]

const EXPRESS = programOf('Express 4 and 5')
const NODE = programOf('node:http and node:http2')
const HONO = programOf('Hono')
const H3 = programOf('h3')
const BUN = programOf('Bun')
const DENO = programOf('Deno')
const NEST = programOf('NestJS')
const FASTIFY = programOf('Fastify')
const KOA = programOf('Koa')
const WORKER = programOf('Cloudflare Workers')

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

const CONNECT = `import { createServer } from 'node:http'
import { createBff } from '@stagepass/bff'
import bodyParser from 'body-parser'
import connect from 'connect'
import { grantOf, keys } from './voice.js'

const app = connect()
app.use('/api/voice', createBff({ ...keys, authorize: (req) => grantOf(req.headers.cookie) }))
createServer(app).listen(Number(process.env.PORT))
`

const expressHosts = EXPRESS_VERSIONS.map((express): Host => ({
  name: `Express ${express}`,
  dependencies: { express, ...TSX },
  files: { 'server.ts': EXPRESS },
  start: tsx('server.ts'),
  parsed: {
    'server.ts': changed(EXPRESS, ['const app = express()', 'const app = express().use(express.json())']),
  },
}))

/** A Fetch host may read a copy. The request itself must be unread. */
const PARSE_A_COPY = 'await request.clone().json().catch(() => undefined)'

const parseInFetch = [
  ['(request) => voice', `async (request) => {\n  ${PARSE_A_COPY}\n  return voice`],
  ['voice.fetch(request)', 'voice.fetch(request)\n}'],
] as const

const NEXT_APP = {
  'app/layout.tsx':
    "import type { ReactNode } from 'react'\nexport default function Layout({ children }: { children: ReactNode }) {\n  return <html><body>{children}</body></html>\n}\n",
  'app/page.tsx': 'export default function Page() {\n  return <p>Hello</p>\n}\n',
}
const NEXT_ROUTE = programOf('Next.js', 0)
const NEXT_API = programOf('Next.js', 1)
const next = {
  dependencies: versionsOf('next', 'react', 'react-dom', '@types/node', '@types/react', 'typescript'),
  build: [['next', 'build']],
  start: ['next', 'start', '--hostname', '127.0.0.1'],
} as const

const ROUTE = programOf('React Router 7')

export const HOSTS: readonly Host[] = [
  ...expressHosts,
  {
    name: `Connect ${HOST_VERSIONS.connect}`,
    dependencies: hostVersions('connect', 'body-parser'),
    files: { 'server.js': CONNECT },
    start: ['node', 'server.js'],
    parsed: { 'server.js': changed(CONNECT, ['= connect()', '= connect().use(bodyParser.json())']) },
  },
  {
    name: 'node:http with basePath',
    dependencies: TSX,
    files: { 'server.ts': NODE },
    start: tsx('server.ts'),
    parsed: {
      'server.ts': changed(
        NODE,
        ['createServer((req, res)', 'createServer(async (req, res)'],
        [
          ' voice(req, res)\n',
          ' {\n    let text = ""\n    for await (const chunk of req) text += chunk\n    voice(Object.assign(req, { body: text === "" ? undefined : JSON.parse(text) }), res)\n  }\n',
        ],
      ),
    },
  },
  {
    name: `Fastify ${HOST_VERSIONS.fastify} with @fastify/middie`,
    dependencies: hostVersions('fastify', '@fastify/middie'),
    files: { 'server.js': FASTIFY },
    start: ['node', 'server.js'],
    // The BFF in a route, after Fastify's parser.
    parsed: {
      'server.js': changed(
        FASTIFY,
        [
          "app.use('/api/voice', createBff({ ...keys,",
          "const voice = createBff({ ...keys, basePath: '/api/voice',",
        ],
        [
          'grantOf(req.headers.cookie) }))\n',
          "grantOf(req.headers.cookie) })\napp.all('/api/voice/*', (request, reply) => {\n  reply.hijack()\n  voice(Object.assign(request.raw, { body: request.body }), reply.raw)\n})\n",
        ],
      ),
    },
  },
  {
    name: `Fastify ${HOST_VERSIONS.fastify} with @fastify/express`,
    dependencies: { ...hostVersions('fastify', '@fastify/express'), ...versionsOf('express') },
    files: { 'server.js': changed(FASTIFY, ['@fastify/middie', '@fastify/express']) },
    start: ['node', 'server.js'],
    parsed: {
      'server.js': changed(
        FASTIFY,
        ['@fastify/middie', '@fastify/express'],
        ["import Fastify from 'fastify'", "import express from 'express'\nimport Fastify from 'fastify'"],
        ["app.use('/api/voice'", "app.use(express.json())\napp.use('/api/voice'"],
      ),
    },
  },
  {
    name: `NestJS ${HOST_VERSIONS['@nestjs/core']} on Express`,
    dependencies: hostVersions(
      '@nestjs/common',
      '@nestjs/core',
      '@nestjs/platform-express',
      'reflect-metadata',
      'rxjs',
    ),
    files: {
      'server.js': NEST,
      'app.module.js':
        "import 'reflect-metadata'\nimport { Module } from '@nestjs/common'\n\nexport class AppModule {}\nModule({})(AppModule)\n",
    },
    start: ['node', 'server.js'],
    parsed: {
      'server.js': changed(NEST, ["app.use('/api/voice'", "app.useBodyParser('json')\napp.use('/api/voice'"]),
    },
  },
  {
    name: `Next.js ${next.dependencies['next']}, App Router`,
    ...next,
    files: { ...NEXT_APP, 'app/api/voice/[...path]/route.ts': NEXT_ROUTE },
    voiceIn: 'app/api/voice/[...path]',
    followsForwardedProto: true,
    parsed: {
      'app/api/voice/[...path]/route.ts': changed(NEXT_ROUTE, [
        'export const { GET, HEAD, POST, PUT, PATCH, DELETE, OPTIONS } = voice.handlers',
        `export const { GET } = voice.handlers\nexport async function POST(request: Request) {\n  ${PARSE_A_COPY}\n  return voice.fetch(request)\n}`,
      ]),
    },
  },
  {
    name: `Next.js ${next.dependencies['next']}, pages/api`,
    ...next,
    // Next.js parses the body unless this is disabled.
    files: {
      'pages/index.tsx': 'export default function Page() {\n  return <p>Hello</p>\n}\n',
      'pages/api/voice/[...path].ts': changed(
        NEXT_API,
        ["'./voice.js'", "'../../../voice.js'"],
        ['api: { externalResolver: true }', 'api: { externalResolver: true, bodyParser: false }'],
      ),
    },
    parsed: { 'pages/api/voice/[...path].ts': changed(NEXT_API, ["'./voice.js'", "'../../../voice.js'"]) },
  },
  {
    name: `Hono ${HOST_VERSIONS.hono} on @hono/node-server`,
    dependencies: { ...hostVersions('hono', '@hono/node-server'), ...TSX },
    files: { 'server.ts': HONO },
    start: tsx('server.ts'),
    parsed: {
      'server.ts': changed(HONO, [
        "app.all('/api/voice/*', (context) => voice.fetch(context.req.raw))",
        `app.all('/api/voice/*', async (context) => {\n  const request = context.req.raw\n  ${PARSE_A_COPY}\n  return voice.fetch(request)\n})`,
      ]),
    },
  },
  {
    name: `h3 ${HOST_VERSIONS.h3}`,
    dependencies: hostVersions('h3'),
    files: { 'server.js': H3 },
    start: ['node', 'server.js'],
    parsed: {
      'server.js': changed(
        H3,
        ['(event) => voice', `async ({ req: request }) => {\n  ${PARSE_A_COPY}\n  return voice`],
        ['event.req)', 'request)\n}'],
      ),
    },
  },
  {
    name: `Bun ${HOST_VERSIONS['@oven/bun-linux-x64']}`,
    dependencies: hostVersions('@oven/bun-linux-x64'),
    files: { 'server.js': BUN },
    // The package `bun` downloads this program with an install script, but no install scripts run here.
    start: ['node_modules/@oven/bun-linux-x64/bin/bun', 'server.js'],
    parsed: { 'server.js': changed(BUN, ...parseInFetch) },
  },
  {
    name: `Deno ${HOST_VERSIONS.deno}`,
    dependencies: hostVersions('deno'),
    files: { 'server.js': DENO },
    start: ['deno', 'run', '--allow-net', '--allow-env', '--allow-read', 'server.js'],
    parsed: { 'server.js': changed(DENO, ...parseInFetch) },
  },
  {
    name: `React Router ${HOST_VERSIONS['react-router']}`,
    dependencies: {
      ...hostVersions(
        'react-router',
        '@react-router/dev',
        '@react-router/node',
        '@react-router/serve',
        'isbot',
      ),
      ...versionsOf('react', 'react-dom', 'vite'),
    },
    files: {
      'vite.config.js':
        "import { reactRouter } from '@react-router/dev/vite'\nexport default { plugins: [reactRouter()] }\n",
      'app/root.jsx':
        "import { Outlet, Scripts } from 'react-router'\nexport default function Root() {\n  return <html><body><Outlet /><Scripts /></body></html>\n}\n",
      'app/routes.js':
        "import { route } from '@react-router/dev/routes'\nexport default [route('api/voice/*', 'routes/api.voice.$.ts')]\n",
      'app/routes/api.voice.$.ts': ROUTE,
    },
    voiceIn: 'app/routes',
    build: [['react-router', 'build']],
    start: ['react-router-serve', './build/server/index.js'],
    parsed: {
      'app/routes/api.voice.$.ts': changed(ROUTE, [
        'export const loader = ({ request }: { request: Request }) => voice.fetch(request)',
        `export const loader = async ({ request }: { request: Request }) => {\n  ${PARSE_A_COPY}\n  return voice.fetch(request)\n}`,
      ]),
    },
  },
  {
    name: `Koa ${HOST_VERSIONS.koa} with koa-connect`,
    dependencies: hostVersions('koa', 'koa-connect', '@koa/bodyparser'),
    files: { 'server.js': KOA },
    start: ['node', 'server.js'],
    parsed: {
      'server.js': changed(
        KOA,
        ["import Koa from 'koa'", "import { bodyParser } from '@koa/bodyparser'\nimport Koa from 'koa'"],
        ['new Koa()\n', 'new Koa().use(bodyParser({ patchNode: true }))\n'],
      ),
    },
  },
  {
    name: `Cloudflare Workers, in Miniflare ${HOST_VERSIONS.miniflare}`,
    dependencies: hostVersions('esbuild', 'miniflare'),
    files: { 'worker.js': WORKER, 'start.js': START_WORKERD },
    start: ['node', 'start.js'],
    cannot: {
      6: 'workerd on a machine of your own resets the connection of a client that still writes',
      7: 'nor does it tell that a client has left',
    },
    parsed: {
      'worker.js': changed(
        WORKER,
        ['(request, env) => env.VOICE', `async (request, env) => {\n  ${PARSE_A_COPY}\n  return env.VOICE`],
        ['.fetch(request) }', '.fetch(request)\n} }'],
      ),
    },
  },
]
