import { relative } from 'node:path'
import type { DefaultTheme } from 'vitepress'
import { fragmentOf } from './markdown.js'
import { pageGroups } from './navigation.js'
import { REPOSITORY_PAGES, ROOT, siteText } from './repositoryPages.js'

/*
 * The search of the site. The functions of `options` and `searchOptions` also run in the page, as text, so
 * they use nothing from outside of themselves.
 */

interface Section {
  anchor: string
  /** The heading, after those above it. */
  titles: string[]
  text: string
}

/** Pages for those who change Stagepass. A user does not look for them. */
const FOR_CONTRIBUTORS = pageGroups()
  .filter(({ text }) => text === 'Contribute')
  .flatMap(({ items = [] }) => items.map(({ link = '' }) => link))

const words = (text: string): string =>
  text.replaceAll(/\[([^\]]*)\]\([^)]*\)/g, '$1').replaceAll(/<[^>]*>|[`*|\\]/g, ' ')

/** Reads the Markdown, because VitePress skips the pages outside of docs/. */
function sectionsOf(text: string): Section[] {
  // A line of code may begin like a heading.
  const masked = text.replaceAll(/^```[\s\S]*?^```$/gm, (code) => code.replaceAll(/^#/gm, ' '))
  const above: string[] = []
  const seen = new Map<string, number>()
  return masked.split(/^(?=#{1,6} )/m).flatMap((part) => {
    const [, marks = '', heading = '', body = ''] = /^(#+) (.+)\n?([\s\S]*)$/.exec(part) ?? []
    if (!marks) return []
    above.length = marks.length - 1
    above.push(words(heading).trim())
    const fragment = fragmentOf(heading.replaceAll(/\[([^\]]*)\]\([^)]*\)/g, '$1'))
    const before = seen.get(fragment) ?? 0
    seen.set(fragment, before + 1)
    const anchor = before === 0 ? fragment : `${fragment}-${before}`
    return [{ anchor, titles: above.filter(Boolean), text: words(body) }]
  })
}

export const search: NonNullable<DefaultTheme.Config['search']> = {
  provider: 'local',
  options: {
    // Nothing of the HTML is used.
    _render: () => '',
    miniSearch: {
      _splitIntoSections(page) {
        const file = relative(ROOT, page)
        const outside = REPOSITORY_PAGES.find(({ folder, name }) => file === `docs/site/${folder}/${name}.md`)
        const path = outside ? `/${outside.folder}/${outside.name}` : file.slice('docs'.length, -'.md'.length)
        if (FOR_CONTRIBUTORS.some((link) => path === link || (link.endsWith('/') && path.startsWith(link))))
          return []
        const sections = sectionsOf(siteText(outside ?? { file }))
        // Only the names of the reference, because the guides explain them.
        return path.startsWith('/api/')
          ? sections.filter(({ titles }) => titles.length <= 3).map((section) => ({ ...section, text: '' }))
          : sections
      },
      options: {
        /** The parts of a name are words too: `toSrt` is found by "srt". */
        tokenize: (text) =>
          text.split(/[\n\r\p{Z}\p{P}\p{S}]+/u).flatMap((word) => {
            const parts = word.split(/(?<=[a-z])(?=[A-Z])/)
            return parts.length > 1 ? [word, ...parts] : parts
          }),
      },
      searchOptions: {
        /** Three letters match exactly: "csp" is not "cap", and "to" is not the beginning of "token". */
        fuzzy: (term) => (term.length > 3 ? 0.2 : false),
        prefix: (term) => term.length > 3,
        /** Guides come first. */
        boostDocument: (id) =>
          /\/(?:api|packages|components|examples|contract|assumptions)\b/.test(String(id)) ? 0.5 : 1,
      },
    },
  },
}
