import { readFileSync } from 'node:fs'
import { defineConfig, postcssIsolateStyles } from 'vitepress'
import { ROOT, SITE, PAGES, writePage, writePages } from './pages.js'

writePages()
const { navigation } = await import('./navigation.js')
const { firstSentence, writeTexts } = await import('./texts.js')

/** The mark of the demo, in the page itself, so that the page asks for no file. */
const mark = `data:image/svg+xml,${encodeURIComponent(readFileSync(`${ROOT}examples/demo/public/icon.svg`, 'utf8').trim())}`

/** Pages that need the whole width. They are written for GitHub, so their frontmatter is here. */
const WIDE = new Set(['index.md', 'playground.md'])

const EXPECTED = new Set(['MODULE_LEVEL_DIRECTIVE', 'SOURCEMAP_ERROR', 'INVALID_ANNOTATION'])

export default defineConfig({
  title: 'Stagepass',
  description:
    'Use a realtime voice service from React: a middleware keeps the API key on your server, and hooks renew short-lived tokens, keep streams open and list meetings.',
  lang: 'en',
  head: [['link', { rel: 'icon', href: mark }]],
  base: process.env.DOCS_BASE ?? '/',
  srcDir: '.site',
  outDir: 'dist',
  cacheDir: '.vitepress/cache',
  ignoreDeadLinks: 'localhostLinks',
  markdown: {
    // As GitHub makes them: a link works here and there.
    anchor: {
      slugify: (heading) =>
        heading
          .toLowerCase()
          .replaceAll(/[^\p{L}\p{N}_ -]/gu, '')
          .replaceAll(' ', '-'),
    },
    theme: { light: 'github-light-high-contrast', dark: 'github-dark-high-contrast' },
  },
  buildEnd: writeTexts,
  transformPageData: ({ relativePath }) => ({
    description: firstSentence(relativePath),
    ...(WIDE.has(relativePath) && { frontmatter: { sidebar: false, aside: false, pageClass: 'wide' } }),
  }),
  transformHead: ({ title, description, pageData: { relativePath }, siteData: { base } }) => [
    // The text of the page, for programs that read.
    ['link', { rel: 'alternate', type: 'text/markdown', href: base + relativePath }],
    ['meta', { property: 'og:title', content: title }],
    ['meta', { property: 'og:description', content: description }],
    // The preview of a link needs the whole address: DOCS_ORIGIN=https://docs.example.com.
    ['meta', { property: 'og:image', content: `${process.env.DOCS_ORIGIN ?? ''}${base}preview.png` }],
  ],
  vite: {
    plugins: [
      {
        name: 'pages',
        configureServer({ watcher }) {
          watcher.add(PAGES.map(({ file }) => ROOT + file)).on('change', (changed) => {
            for (const page of PAGES.filter(({ file }) => ROOT + file === changed)) writePage(page)
          })
        },
      },
    ],
    publicDir: `${SITE}public`,
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
    ...navigation,
    logo: { src: mark, alt: '' },
    outline: [2, 3],
    externalLinkIcon: true,
    notFound: { title: 'No page has this address', quote: 'Search for it, or begin at the home page.' },
    search: {
      provider: 'local',
      options: {
        miniSearch: {
          searchOptions: {
            // Three letters match exactly: "csp" is not "cap", and "to" is not the beginning of "token".
            fuzzy: (term) => (term.length > 3 ? 0.2 : false),
            prefix: (term) => term.length > 3,
            // Guides come first, and pages for contributors last.
            boostDocument: (id) =>
              /\/(?:errors)\b/.test(id)
                ? 1.5
                : /\/(?:api|packages|components|examples|contract|assumptions|decisions|project|architecture)\b/.test(
                      id,
                    )
                  ? 0.3
                  : 1,
          },
        },
      },
    },
  },
})
