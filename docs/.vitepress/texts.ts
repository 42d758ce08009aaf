import { mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import type { SiteConfig } from 'vitepress'
import { groups } from './navigation.js'
import { SITE } from './pages.js'

/*
 * The site for programs that read (https://llmstxt.org): each page as `.md` beside its HTML, `llms.txt` with
 * the list of the menu, and `llms-full.txt` with the guides, the READMEs and the errors in one file, in less
 * than 60,000 tokens.
 */

/** Groups and pages that a program can look up later, and does not need at first. */
const LOOKED_UP =
  /^\/(?:api|components|examples|project|decisions|architecture|assumptions|bench|compare|contract|customers|from|observability|packages\/(?:budget|contract|create-stagepass|doctor|emulator|server)|scaling|security|support|vitals|why)\b/

/** They are in the packages, so that they fit the version that is installed. */
const SKILLS =
  'For single tasks the packages have skills: `node_modules/@stagepass/bff/skills` and `node_modules/@stagepass/react/skills`.'

/** Without code that runs only in a page, and without comments. */
const textOf = (path: string): string =>
  readFileSync(SITE + path, 'utf8').replaceAll(/^<\/?(?:div|Live|details|summary|!--).*\n+/gm, '')

/** The first sentence of a page, without links and code. */
export function firstSentence(path: string): string {
  const plain = textOf(path)
    .replaceAll(/^```[\s\S]*?^```/gm, '')
    .replaceAll(/\[([^\]]*)\]\([^)]*\)/g, '$1')
  const paragraph = plain.split('\n\n').find((part) => /^[A-Z`]/.test(part)) ?? ''
  const [sentence = ''] = /^.*?(?:\.(?=\s|$)|:$)/.exec(paragraph.replaceAll('\n', ' ')) ?? []
  return sentence.replace(/:$/, '.')
}

/** Writes the files beside the pages. */
export function writeTexts({ outDir, pages, site: { base, title, description } }: SiteConfig): void {
  const texts = new Map<string, string>()
  for (const path of pages) {
    const text = textOf(path).replaceAll(/\]\(\/(?=[^)]*\.md)/g, `](${base}`)
    texts.set(path, text)
    mkdirSync(dirname(join(outDir, path)), { recursive: true })
    writeFileSync(join(outDir, path), text)
  }
  const list = [`# ${title}`, `> ${description}`, SKILLS]
  const whole = [...list, 'Each part begins with the address of its page.']
  for (const { text: group, items } of groups) {
    const paths = items.map(({ link }) => link.slice(1).replace(/(^|\/)$/, '$1index') + '.md')
    const lines = items.map(({ text }, at) => {
      const about = firstSentence(paths[at] ?? '')
      return `- [${text}](${base}${paths[at]})${about && `: ${about}`}`
    })
    list.push(`## ${group}`, lines.join('\n'))
    for (const [at, path] of paths.entries())
      if (!LOOKED_UP.test(items[at]?.link ?? '')) whole.push(`<!-- ${base}${path} -->\n\n${texts.get(path)}`)
  }
  writeFileSync(join(outDir, 'llms.txt'), `${list.join('\n\n')}\n`)
  writeFileSync(join(outDir, 'llms-full.txt'), `${whole.join('\n\n')}\n`)
}
