import { existsSync, readdirSync, readFileSync, statSync } from 'node:fs'
import { posix } from 'node:path'
import { fileURLToPath } from 'node:url'
import { ITEM_NAMES } from '../../registry/build.js'
import { componentPage, overviewPage } from './componentPages.js'

/*
 * Pages outside of docs/: the READMEs, SECURITY.md, CONTRIBUTING.md, and those that are made of
 * the files of a component. The site shows them from their places. A link is resolved in the repository, where it was written, and then turned into one of the
 * site.
 */

export const ROOT = fileURLToPath(new URL('../../', import.meta.url))

/** A page outside of docs/. */
export interface RepositoryPage {
  /** Path in the repository. */
  readonly file: string
  readonly folder: string
  readonly name: string
  /** The page, if the text of the file is not it. */
  readonly page?: (text: string) => string
}

const readmesIn = (folder: string): RepositoryPage[] =>
  readdirSync(ROOT + folder)
    .map((name) => ({ file: `${folder}/${name}/README.md`, folder, name }))
    .filter(({ file }) => existsSync(ROOT + file))

const atRoot = readdirSync(ROOT)
  .filter((file) => file.endsWith('.md') && file !== 'README.md')
  .map((file) => ({ file, folder: 'project', name: file.slice(0, -'.md'.length).toLowerCase() }))

const components: readonly RepositoryPage[] = [
  { file: 'registry/README.md', folder: 'components', name: 'index', page: overviewPage },
  ...ITEM_NAMES.map((name) => ({
    file: `registry/items/${name}.tsx`,
    folder: 'components',
    name,
    page: () => componentPage(name),
  })),
]

export const REPOSITORY_PAGES: readonly RepositoryPage[] = [
  ...components,
  ...readmesIn('packages'),
  ...readmesIn('examples'),
  ...atRoot,
]

/**
 * Where the files of the repository can be read, such as `https://example.com/tree/main/`. Without it, a link
 * to a file is plain text.
 */
const SOURCES = process.env.DOCS_SOURCES

const isFolder = (file: string): boolean => existsSync(ROOT + file) && statSync(ROOT + file).isDirectory()

/** The file that a link to this file or folder shows: of a folder its index or README. */
function shownFile(file: string): string {
  if (!isFolder(file)) return file
  const inside = ['index.md', 'README.md'].map((name) => posix.join(file, name))
  return inside.find((path) => existsSync(ROOT + path)) ?? file
}

/**
 * The link of the site in place of one that was written in a file of the repository. `undefined`: the site
 * has nothing to link.
 */
export function siteLink(from: string, link: string): string | undefined {
  if (/^[a-z]+:|^[#/]/.test(link)) return link
  const [path = '', fragment] = link.split('#')
  const file = shownFile(posix.join(posix.dirname(from), path))
  const tail = fragment === undefined ? '' : `#${fragment}`
  if (file === 'README.md') return `/${tail}`
  const page = REPOSITORY_PAGES.find((one) => one.file === file)
  if (page) return `/${page.folder}/${page.name.replace(/^index$/, '')}${tail}`
  if (file.startsWith('docs/') && file.endsWith('.md')) return `/${file.slice('docs/'.length)}${tail}`
  if (file === 'docs/openapi.yaml') return '/openapi.yaml'
  return SOURCES && new URL(file, SOURCES).href
}

/** Text of a file, with the links of the site. */
export function siteText(
  { file, page = (text) => text }: Pick<RepositoryPage, 'file' | 'page'>,
  write: (link: string) => string = (link) => link,
): string {
  const text = page(readFileSync(ROOT + file, 'utf8'))
  // Not inside of blocks of code.
  return text
    .split(/(^```[\s\S]*?^```$)/m)
    .map((part, index) =>
      index % 2 === 1
        ? part
        : part.replaceAll(/\[([^\]]*)\]\(([^)\s]+)\)/g, (_match, words: string, link: string) => {
            const target = siteLink(file, link)
            return target === undefined ? words : `[${words}](${write(target)})`
          }),
    )
    .join('')
}
