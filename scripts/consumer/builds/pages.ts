import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { browse } from '../browse.js'
import type { Case, Context } from '../Case.js'
import { type App, type AppOptions, makeApp } from '../makeApp.js'
import { OTHER_VERSIONS, type PackageName, VERSIONS, versionsOf } from '../versions.js'

const PAGE: readonly PackageName[] = ['@tanstack/react-query', 'express', 'react', 'react-dom']
/** The text of the page if everything works. */
const WORKING = 'token success, stream open, 20 meetings, microphone heard'

/** No page may load the schema library. */
function refuseSchemas(folder: string): void {
  const found = readdirSync(folder, { recursive: true, encoding: 'utf8' }).filter(
    (file) => /\.(js|mjs|html)$/.test(file) && readFileSync(join(folder, file), 'utf8').includes('$ZodError'),
  )
  if (found.length > 0) throw new Error(`The schema library is in ${found.join(', ')}`)
}

/** Starts a server, and calls `visit` with its address. */
async function withServer(
  app: App,
  [command, ...args]: readonly [string, ...string[]],
  visit: (url: string) => Promise<void>,
  env: NodeJS.ProcessEnv = {},
): Promise<void> {
  const server = app.start(command, args, { env })
  try {
    await server.printed(/http:\S+\d/)
    await visit(/http:\S+\d/.exec(server.output())?.[0] ?? '')
  } finally {
    await server.stop()
  }
}

/** Builds the page into `dist`, and visits it. */
async function buildPage(
  context: Context,
  tool: readonly PackageName[],
  build: string,
  options: Partial<AppOptions>,
) {
  const dependencies = { ...versionsOf(...PAGE, ...tool), ...options.dependencies }
  const app = await makeApp(context, { copy: ['page'], ...options, dependencies })
  const [command = '', ...args] = build.split(' ')
  await app.runTool(command, args)
  refuseSchemas(join(app.folder, 'dist'))
  await withServer(app, ['node', 'serve.mjs', 'dist'], (url) => browse(url, WORKING))
  return app
}

// The plugin for React names the runtimes of JSX too. Found after the page has begun to load, they would be
// bundled again, with a second React: the page stays empty until it is reloaded.
const VITE_CONFIG = `import { defineConfig } from 'vite'
export default defineConfig({
  esbuild: { jsx: 'automatic' },
  optimizeDeps: { include: ['react/jsx-dev-runtime', 'react/jsx-runtime'] },
  server: { port: 0, host: '127.0.0.1', proxy: { '/api': process.env.VOICE_SERVER ?? '' } },
})
`

const vites = [...OTHER_VERSIONS.vite, VERSIONS.vite].map((vite): Case => ({
  name: `Vite ${vite}`,
  async run(context) {
    const files = { 'vite.config.js': VITE_CONFIG }
    const app = await buildPage(context, [], 'vite build', { dependencies: { vite }, files })
    await withServer(app, ['node', 'serve.mjs'], (voice) =>
      withServer(app, ['npx', 'vite'], (url) => browse(url, WORKING, { visits: 2 }), { VOICE_SERVER: voice }),
    )
    await app.runTool('vite', ['build', '--ssr', 'src/server.tsx', '--outDir', 'server'])
    await app.run('node', ['ssr.mjs'])
    return 'page and server, built and dev'
  },
}))

const RSPACK_CONFIG = `import { rspack } from '@rspack/core'
const transform = { react: { runtime: 'automatic' } }
const options = { jsc: { parser: { syntax: 'typescript', tsx: true }, transform } }
export default {
  mode: 'production',
  entry: './src/main.tsx',
  output: { path: import.meta.dirname + '/dist' },
  resolve: { extensionAlias: { '.js': ['.tsx', '.js'] } },
  module: { rules: [{ test: /\\.tsx$/, loader: 'builtin:swc-loader', options }] },
  plugins: [new rspack.HtmlRspackPlugin({ templateContent: '<link rel="icon" href="data:," />' })],
}
`

const bundlers: readonly Case[] = [
  {
    name: `Rspack ${VERSIONS['@rspack/core']}`,
    async run(context) {
      const files = { 'rspack.config.mjs': RSPACK_CONFIG }
      await buildPage(context, ['@rspack/core', '@rspack/cli'], 'rspack build', { files })
      return 'page, built'
    },
  },
  {
    // Without it Parcel reads no `exports`, so it finds no entry but the first.
    name: `Parcel ${VERSIONS.parcel} with \`packageExports\``,
    async run(context) {
      const manifest = { type: 'module', '@parcel/resolver-default': { packageExports: true } }
      await buildPage(context, ['parcel'], 'parcel build index.html --no-cache', { manifest })
      return 'page, built'
    },
  },
]

const NEXT_FILES = {
  'next.config.mjs': `export default {
  rewrites: () => [{ source: '/api/voice/:path*', destination: process.env.VOICE_SERVER + '/api/voice/:path*' }],
}
`,
  'app/layout.tsx': `import type { ReactNode } from 'react'
export const metadata = { title: 'Voice', icons: 'data:,' }
export default function Layout({ children }: { children: ReactNode }) {
  return <html><body>{children}</body></html>
}
`,
  'app/page.tsx': `import { VoiceError } from '@stagepass/react'
import { Voice } from '../src/Voice'
import { Instances } from '../src/Instances'
export default function Page() {
  return <><Voice /><Instances /><p>{typeof VoiceError}</p></>
}
`,
  'src/legacy.js': `module.exports = require('@stagepass/react')\n`,
  'src/Instances.tsx': `'use client'
import { VoiceError } from '@stagepass/react'
import * as legacy from './legacy'
export function Instances() {
  return <p>{(legacy.VoiceError as unknown) === VoiceError ? 'one instance' : 'two instances'}</p>
}
`,
  'tsconfig.json': {
    compilerOptions: {
      allowJs: true,
      jsx: 'preserve',
      lib: ['ES2023', 'DOM', 'DOM.Iterable'],
      module: 'ESNext',
      moduleResolution: 'bundler',
      noEmit: true,
      strict: true,
      skipLibCheck: true,
    },
    include: ['app', 'src/*.tsx'],
    exclude: ['node_modules', 'src/main.tsx', 'src/server.tsx'],
  },
}

const nexts = (['webpack', 'turbopack'] as const).map((bundler): Case => ({
  name: `Next.js ${VERSIONS.next}, ${bundler === 'webpack' ? 'webpack' : 'Turbopack'}`,
  async run(context) {
    const dependencies = {
      ...versionsOf(...PAGE, 'next', '@types/node', '@types/react', '@types/react-dom'),
      typescript: OTHER_VERSIONS.typescript[1],
    }
    const app = await makeApp(context, { dependencies, manifest: {}, copy: ['page'], files: NEXT_FILES })
    await withServer(app, ['node', 'serve.mjs'], async (voice) => {
      const env = { VOICE_SERVER: voice }
      await app.runTool('next', ['build', `--${bundler}`], { env, limitSeconds: 600 })
      refuseSchemas(join(app.folder, '.next/static'))
      const visit = async (url: string): Promise<void> => {
        await browse(url, WORKING, { visits: 2, limitSeconds: 180 })
        await browse(url, 'one instance', { limitSeconds: 180 })
      }
      for (const mode of [['start'], ['dev', `--${bundler}`]])
        await withServer(app, ['npx', 'next', ...mode, '--port', '0', '--hostname', '127.0.0.1'], visit, env)
    })
    return 'page and server, built and dev; one instance'
  },
}))

/** Bundlers. */
export const PAGES: readonly Case[] = [...vites, ...bundlers, ...nexts]
