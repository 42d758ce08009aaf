import { existsSync, readFileSync } from 'node:fs'
import { defineConfig } from 'vitepress'
import { markdown } from './markdown.js'
import { navigation } from './navigation.js'
import { ROOT } from './repositoryPages.js'
import { writeTexts } from './texts.js'

/** The wire of the BFF, as a file beside the pages. */
const openapi = {
  name: 'openapi',
  configureServer({ middlewares }: { middlewares: { use(path: string, handler: Handler): void } }): void {
    middlewares.use('/openapi.yaml', (_req, res) => res.end(readFileSync(`${ROOT}docs/openapi.yaml`)))
  },
  generateBundle(this: { emitFile(file: object): void }) {
    const source = readFileSync(`${ROOT}docs/openapi.yaml`)
    this.emitFile({ type: 'asset', fileName: 'openapi.yaml', source })
  },
}
type Handler = (req: unknown, res: { end(body: Buffer): void }) => void

/** A pass, drawn here so that the page asks for no file. */
const icon =
  '<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 16 16"><rect x="2" y="4" width="12" height="8" rx="2" fill="#3451b2"/></svg>'

const EXPECTED = new Set(['MODULE_LEVEL_DIRECTIVE', 'SOURCEMAP_ERROR', 'INVALID_ANNOTATION'])

const hasPlayground = existsSync(`${ROOT}examples/playground/package.json`)

export default defineConfig({
  title: 'Stagepass',
  description: 'Use a realtime voice service from React, and keep its long-lived API key out of the browser.',
  lang: 'en',
  head: [['link', { rel: 'icon', href: `data:image/svg+xml,${encodeURIComponent(icon)}` }]],
  base: process.env.DOCS_BASE ?? '/',
  outDir: 'dist',
  cacheDir: '.vitepress/cache',
  srcExclude: hasPlayground ? [] : ['playground.md'],
  // VitePress looks for pages in no folder that begins with a dot.
  rewrites: { 'site/:folder/:name.md': ':folder/:name.md' },
  ignoreDeadLinks: 'localhostLinks',
  markdown,
  buildEnd: writeTexts,
  // The text of the page, for programs that read.
  transformHead: ({ pageData: { relativePath }, siteData: { base } }) =>
    relativePath === 'playground.md' || relativePath === '404.md'
      ? []
      : [['link', { rel: 'alternate', type: 'text/markdown', href: base + relativePath }]],
  vite: {
    plugins: [openapi],
    // The playground uses the packages from their sources.
    resolve: { conditions: ['@stagepass/source'] },
    esbuild: { jsx: 'automatic' },
    build: {
      chunkSizeWarningLimit: 2_000,
      rollupOptions: {
        // `'use client'` is for frameworks that render on a server.
        onwarn: (warning, warn) => EXPECTED.has(warning.code ?? '') || warn(warning),
      },
    },
  },
  themeConfig: {
    ...navigation(hasPlayground),
    outline: [2, 3],
    search: { provider: 'local' },
    externalLinkIcon: true,
  },
})
