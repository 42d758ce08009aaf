import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { defineConfig, type HeadConfig, postcssIsolateStyles } from 'vitepress'
import { registryFiles, servedFiles } from '../../registry/build.js'
import { releaseFeed } from './feed.js'
import { markdown } from './markdown.js'
import { navigation } from './navigation.js'
import { ROOT } from './repositoryPages.js'
import { search } from './search.js'
import { descriptionOf, writeTexts } from './texts.js'

/** Files beside the pages: the wire of the BFF, the components to copy, and the picture of a link's preview. */
const files = {
  name: 'files',
  configureServer({ middlewares }: { middlewares: { use(path: string, handler: Handler): void } }): void {
    middlewares.use('/openapi.yaml', (_req, res) => res.end(readFileSync(`${ROOT}docs/openapi.yaml`)))
    middlewares.use('/r/', ({ url = '' }, res, next) => {
      const text = registryFiles().get(url.slice('/'.length))
      if (text === undefined) next()
      else res.end(text)
    })
  },
  generateBundle(this: { emitFile(file: object): void }) {
    const source = readFileSync(`${ROOT}docs/openapi.yaml`)
    this.emitFile({ type: 'asset', fileName: 'openapi.yaml', source })
    for (const [path, source] of servedFiles(process.env.DOCS_SERVED))
      this.emitFile({ type: 'asset', fileName: `r/${path}`, source })
    const picture = readFileSync(`${ROOT}docs/images/demo-light.png`)
    this.emitFile({ type: 'asset', fileName: 'preview.png', source: picture })
  },
}
type Handler = (req: { url?: string }, res: { end(body: Buffer | string): void }, next: () => void) => void

/** The mark of the demo, in the page itself, so that the page asks for no file. */
const mark = `data:image/svg+xml,${encodeURIComponent(readFileSync(`${ROOT}examples/demo/public/icon.svg`, 'utf8').trim())}`

/** Pages that need the whole width. They are written for GitHub, so their frontmatter is here. */
const WIDE = new Set(['index.md', 'playground.md'])

const EXPECTED = new Set(['MODULE_LEVEL_DIRECTIVE', 'SOURCEMAP_ERROR', 'INVALID_ANNOTATION'])

/** The site's address, such as `https://docs.example.com`. A preview needs the address of its picture. */
const ORIGIN = process.env.DOCS_ORIGIN ?? ''
const BASE = process.env.DOCS_BASE ?? '/'

/** Its links need the whole address of the site too. */
const FEED = ORIGIN && (await releaseFeed(ROOT, ORIGIN + BASE))
const FEED_FILE = 'releases.atom'

export default defineConfig({
  title: 'Stagepass',
  description:
    'Use a realtime voice service from React: a middleware keeps the API key on your server, and hooks renew short-lived tokens, keep streams open and list meetings.',
  lang: 'en',
  head: [['link', { rel: 'icon', href: mark }]],
  // To turn transitions off for a change of colours, VueUse lays the whole page out twice at the start too.
  appearance: { disableTransition: false },
  base: BASE,
  outDir: 'dist',
  cacheDir: '.vitepress/cache',
  // VitePress looks for pages in no folder that begins with a dot.
  rewrites: { 'site/:folder/:name.md': ':folder/:name.md' },
  ignoreDeadLinks: 'localhostLinks',
  markdown,
  buildEnd(site) {
    writeTexts(site, ORIGIN)
    if (FEED) writeFileSync(join(site.outDir, FEED_FILE), FEED)
  },
  transformPageData: (pageData) => ({
    description: descriptionOf(pageData.relativePath) ?? pageData.description,
    ...(WIDE.has(pageData.relativePath) && { frontmatter: { layout: 'WidePage', sidebar: false } }),
  }),
  transformHead: ({ title, description, pageData: { relativePath }, siteData: { base } }) => [
    ['meta', { property: 'og:type', content: 'website' }],
    ['meta', { property: 'og:title', content: title }],
    ['meta', { property: 'og:description', content: description }],
    ['meta', { property: 'og:image', content: `${ORIGIN}${base}preview.png` }],
    ...(FEED
      ? [['link', { rel: 'alternate', type: 'application/atom+xml', href: base + FEED_FILE }] as HeadConfig]
      : []),
    // The text of the page, for programs that read.
    ...(relativePath === 'playground.md' || relativePath === '404.md'
      ? []
      : [['link', { rel: 'alternate', type: 'text/markdown', href: base + relativePath }] as HeadConfig]),
  ],
  vite: {
    plugins: [files],
    // The playground uses the packages from their sources.
    resolve: { conditions: ['@stagepass/source'] },
    esbuild: { jsx: 'automatic' },
    // Live samples have their own styles, so the styles of the text end there.
    css: { postcss: { plugins: [postcssIsolateStyles({ includeFiles: [/base\.css/, /vp-doc\.css/] })] } },
    build: {
      chunkSizeWarningLimit: 2_000,
      rollupOptions: {
        // `'use client'` is for frameworks that render on a server.
        onwarn: (warning, warn) => EXPECTED.has(warning.code ?? '') || warn(warning),
      },
    },
  },
  themeConfig: {
    ...navigation(),
    logo: { src: mark, alt: '' },
    outline: [2, 3],
    search,
    externalLinkIcon: true,
  },
})
