import { mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import type { SiteConfig } from 'vitepress'
import { pageGroups } from './navigation.js'
import { REPOSITORY_PAGES, type RepositoryPage, ROOT, siteText } from './repositoryPages.js'

/*
 * The site for programs that read (https://llmstxt.org): each page as `.md` beside its HTML,
 * `llms.txt` with the list of the menu, and `llms-full.txt` with what a user of the packages needs in one file.
 */

/** Groups and pages that a program can look up later, and does not need at first. */
const LOOKED_UP = new Set([
  'Components',
  'Examples',
  'Contribute',
  'api/index.md',
  'assumptions.md',
  'bench.md',
  'contract.md',
  'security.md',
  'why.md',
])

/** They are in the packages, so that they fit the version that is installed. */
const SKILLS =
  'For single tasks the packages have skills: `node_modules/@stagepass/bff/skills` and `node_modules/@stagepass/react/skills`.'

interface TextPage extends Pick<RepositoryPage, 'file' | 'page'> {
  /** Path in the site. */
  readonly path: string
}

/** It is nothing without its scripts, so there is no text of it. */
const PLAYGROUND = 'playground.md'

const textPages = (pages: readonly string[]): TextPage[] => [
  ...pages
    .filter((path) => !path.startsWith('site/') && path !== PLAYGROUND)
    .map((path) => ({ file: `docs/${path}`, path })),
  ...REPOSITORY_PAGES.map((page) => ({ ...page, path: `${page.folder}/${page.name}.md` })),
]

/** The text of the page of a link of the site: `/streams` and `/streams.md` are `streams.md`. */
const textPath = (link: string): string =>
  link
    .replace(/^\//, '')
    .replace(/(^|\/)$/, '$1index')
    .replace(/(?:\.md)?$/, '.md')

/** `/streams#states` as `<base>streams.md#states`: the text, not the page. */
function textLink(base: string, link: string): string {
  if (!link.startsWith('/')) return link
  if (link.endsWith('.yaml') || link.startsWith('/r/')) return base + link.slice(1)
  const [page = '', fragment] = link.split('#')
  if (textPath(page) === PLAYGROUND) return `${base}playground.html`
  return base + textPath(page) + (fragment === undefined ? '' : `#${fragment}`)
}

/**
 * Of the reference: each name with its form and the first part of its docstring. The rest, and the end of a
 * long form, such as that of a table of codes, is in `.md`.
 */
const namesOf = (reference: string): string =>
  reference
    .split(/^(?=#{1,3} )/m)
    .map((section) => section.split(/^(?:#### |\*\*\*)/m)[0] ?? '')
    .join('')
    .replaceAll(/^(```ts\n(?:(?!```).*\n){6})(?:(?!```).*\n){4,}```$/gm, '$1…\n```')

/** The command of `AddLine` in a page. */
const addCommand = (address: string): string => `\`\`\`sh\nnpx shadcn@latest add ${address}\n\`\`\``

/** With the files that a page includes, and without what only a browser shows. */
const plainText = (file: string, text: string, root: string): string =>
  text
    .replaceAll(/^<\/?(?:div|Live)\b.*\n+|^:::.*\n+/gm, '')
    .replaceAll(/^<AddLine path="(.+)" \/>$/gm, (_line, path: string) => addCommand(root + path))
    .replaceAll(/^<<< (\S+) \[(.+)\]$/gm, (_line, path: string, name: string) => {
      const code = readFileSync(join(ROOT, dirname(file), path), 'utf8')
      return `\`\`\`${name.split('.').at(-1)}\n// ${name}\n${code}\`\`\``
    })

/** The first sentence of the page, without links and code. */
function firstSentence(text: string): string {
  const plain = text.replaceAll(/^```[\s\S]*?^```/gm, '').replaceAll(/\[([^\]]*)\]\([^)]*\)/g, '$1')
  const paragraph = plain.split('\n\n').find((part) => /^[A-Z`]/.test(part)) ?? ''
  const [sentence = ''] = /^.*?(?:\.(?=\s|$)|:$)/.exec(paragraph.replaceAll('\n', ' ')) ?? []
  return sentence.replace(/:$/, '.')
}

/** The subject of a page, for search engines and previews of its link. `undefined` for the reference. */
export function descriptionOf(path: string): string | undefined {
  const page = textPages([path]).findLast((one) => one.path === path)
  if (!page || path.startsWith('api/')) return undefined
  return firstSentence(siteText(page)).replaceAll(/[`*]/g, '') || undefined
}

/** Writes the files beside the pages. */
export function writeTexts(
  { outDir, pages, site: { base, title, description } }: SiteConfig,
  origin: string,
): void {
  const texts = new Map<string, string>()
  for (const page of textPages(pages)) {
    const { file, path } = page
    const text = plainText(
      file,
      siteText(page, (link) => textLink(base, link)),
      (origin || '<address of this site>') + base,
    )
    texts.set(path, text)
    mkdirSync(dirname(join(outDir, path)), { recursive: true })
    writeFileSync(join(outDir, path), text)
  }
  const list = [`# ${title}`, `> ${description}`, SKILLS]
  const whole = [...list, 'Each part begins with the address of its page.']
  for (const { text: group = '', items = [] } of pageGroups()) {
    const lines = items.flatMap(({ text: name, link = '' }) => {
      const path = textPath(link)
      if (path === PLAYGROUND) return []
      const text = texts.get(path) ?? ''
      if (!LOOKED_UP.has(group) && !LOOKED_UP.has(path))
        whole.push(`<!-- ${base}${path} -->\n\n${path.startsWith('api/') ? namesOf(text) : text}`)
      const about = path.startsWith('api/') ? '' : firstSentence(text)
      return [`- [${name}](${base}${path})${about && `: ${about}`}`]
    })
    list.push(`## ${group}`, lines.join('\n'))
  }
  writeFileSync(join(outDir, 'llms.txt'), `${list.join('\n\n')}\n`)
  writeFileSync(join(outDir, 'llms-full.txt'), `${whole.join('\n\n')}\n`)
}
