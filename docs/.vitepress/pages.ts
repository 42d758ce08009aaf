import { cpSync, existsSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { dirname, posix } from 'node:path'
import { fileURLToPath } from 'node:url'
import { ITEM_NAMES, servedFiles } from '../../registry/build.js'
import { componentPage, overviewPage } from './componentPages.js'

/*
 * The pages are written for GitHub, and some of them lie outside of docs/. The site is built from a copy of
 * them, in which their links lead to pages of the site.
 */

export const ROOT = fileURLToPath(new URL('../../', import.meta.url))
/** The copy. */
export const SITE = `${ROOT}docs/.site/`

interface Page {
  /** Path in the repository. */
  readonly file: string
  /** Path in the site. */
  readonly path: string
  /** The text of the page, if it is not that of the file. */
  readonly page?: (text: string) => string
}

const markdownIn = (folder: string): string[] =>
  readdirSync(ROOT + folder, { recursive: true, encoding: 'utf8' }).filter(
    (file) => file.endsWith('.md') && !/^(?:\.|node_modules|dist)/.test(file),
  )

const readmesIn = (folder: string): Page[] =>
  readdirSync(ROOT + folder)
    .map((name) => ({ file: `${folder}/${name}/README.md`, path: `${folder}/${name}.md` }))
    .filter(({ file }) => existsSync(ROOT + file))

export const PAGES: readonly Page[] = [
  ...markdownIn('docs').map((path) => ({ file: `docs/${path}`, path })),
  ...readmesIn('packages'),
  ...readmesIn('examples'),
  ...['CHANGELOG', 'CONTRIBUTING', 'SECURITY'].map((name) => ({
    file: `${name}.md`,
    path: `project/${name.toLowerCase()}.md`,
  })),
  { file: 'registry/README.md', path: 'components/index.md', page: overviewPage },
  ...ITEM_NAMES.map((name) => ({
    file: `registry/items/${name}.tsx`,
    path: `components/${name}.md`,
    page: () => componentPage(name),
  })),
]

/** Where the files of the repository can be read, such as `https://example.com/tree/main/`. */
const SOURCES = process.env.DOCS_SOURCES

/** The link of the site in place of one of the repository. `undefined`: the site has nothing to link. */
function siteLink(from: string, link: string): string | undefined {
  if (/^[a-z]+:|^[#/]/.test(link)) return link
  const [path = '', ...fragment] = link.split(/(?=#)/)
  const file = posix.join(posix.dirname(from), path)
  const inside = [file, `${file}/index.md`, `${file}/README.md`]
  const page = PAGES.find((one) => inside.includes(one.file))?.path ?? (file === 'README.md' && 'index.md')
  if (page) return `/${page}${fragment.join('')}`
  return SOURCES && new URL(file, SOURCES).href
}

/** The text of a page with the links of the site. */
function siteText({ file, page = (text) => text }: Page): string {
  const parts = page(readFileSync(ROOT + file, 'utf8')).split(/(^```[\s\S]*?^```$)/m)
  const linked = (text: string): string =>
    text.replaceAll(/(?<!!)\[([^\]]*)\]\(([^)\s]+)\)/g, (_link, words: string, link: string) => {
      const target = siteLink(file, link)
      return target === undefined ? words : `[${words}](${target})`
    })
  // Not inside of blocks of code.
  return parts.map((part, index) => (index % 2 === 1 ? part : linked(part))).join('')
}

export function writePage(page: Page): void {
  mkdirSync(dirname(SITE + page.path), { recursive: true })
  writeFileSync(SITE + page.path, siteText(page))
}

/** Writes the copy, beside the API reference. */
export function writePages(): void {
  mkdirSync(`${SITE}api`, { recursive: true })
  for (const folder of readdirSync(SITE).filter((name) => name !== 'api'))
    rmSync(SITE + folder, { recursive: true })
  for (const folder of ['bench', 'images'])
    cpSync(`${ROOT}docs/${folder}`, SITE + folder, { recursive: true })
  for (const page of PAGES) writePage(page)
  const given = `${SITE}public/`
  for (const [path, text] of servedFiles(process.env.DOCS_SERVED)) {
    mkdirSync(dirname(`${given}r/${path}`), { recursive: true })
    writeFileSync(`${given}r/${path}`, text)
  }
  cpSync(`${ROOT}docs/openapi.yaml`, `${given}openapi.yaml`)
  cpSync(`${ROOT}docs/images/demo-light.png`, `${given}preview.png`)
}
