import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { browse } from '../browse.js'
import type { Case } from '../Case.js'
import { makeApp, type App } from '../makeApp.js'
import { OTHER_VERSIONS, VERSIONS, versionsOf } from '../versions.js'

/** The text of the page if everything works. */
export const WORKING_PAGE = 'token success, stream open, 20 meetings, microphone heard'

/** A text of the schema library, which no page may load. */
export const ZOD = '$ZodError'

export const PAGE = versionsOf('@tanstack/react-query', 'express', 'react', 'react-dom')

// The plugin for React names the runtimes of JSX too. Found after the page has begun to load, they would be
// bundled again, with a second React: the page stays empty until it is reloaded.
const config = `
import { defineConfig } from 'vite'
export default defineConfig({
  esbuild: { jsx: 'automatic' },
  optimizeDeps: { include: ['react/jsx-dev-runtime', 'react/jsx-runtime'] },
  server: { port: 0, host: '127.0.0.1', proxy: { '/api': process.env.VOICE_SERVER ?? '' } },
})
`

export function findInBuild(folder: string, text: string): string[] {
  return readdirSync(folder, { recursive: true, encoding: 'utf8' }).filter(
    (file) => /\.(js|mjs|html)$/.test(file) && readFileSync(join(folder, file), 'utf8').includes(text),
  )
}

/** Starts the BFF, and calls `test` with its address. */
export async function withServer(app: App, args: readonly string[], test: (url: string) => Promise<void>) {
  const server = app.start('node', ['serve.mjs', ...args])
  try {
    await server.printed(/http:\S+/)
    await test(/http:\S+/.exec(server.output())?.[0] ?? '')
  } finally {
    await server.stop()
  }
}

async function browseDev(app: App, url: string): Promise<void> {
  const dev = app.start('npx', ['vite'], { env: { VOICE_SERVER: url } })
  try {
    await dev.printed(/http:\S+/)
    await browse(/http:\S+/.exec(dev.output())?.[0] ?? '', WORKING_PAGE, { visits: 2 })
  } finally {
    await dev.stop()
  }
}

const viteCase = (version: string): Case => ({
  name: `Vite ${version}`,
  table: 'builds',
  async run(context) {
    const app = await makeApp(context, {
      dependencies: { ...PAGE, vite: version },
      copy: ['page'],
      files: { 'vite.config.js': config },
    })
    await app.runTool('vite', ['build'])
    const found = findInBuild(join(app.folder, 'dist'), ZOD)
    if (found.length > 0) throw new Error(`The schema library is in ${found.join(', ')}`)
    await withServer(app, ['dist'], (url) => browse(url, WORKING_PAGE))
    await withServer(app, [], (url) => browseDev(app, url))
    await app.runTool('vite', ['build', '--ssr', 'src/server.tsx', '--outDir', 'server'])
    await app.run('node', ['ssr.mjs'])
    return 'page and server, built and dev'
  },
})

export const vite: readonly Case[] = [...OTHER_VERSIONS.vite, VERSIONS.vite].map(viteCase)
