import type { MarkdownOptions } from 'vitepress'
import { siteLink } from './repositoryPages.js'

/** The fragment of a heading, as GitHub makes it: a link works here and there. */
export const fragmentOf = (heading: string): string =>
  heading
    .toLowerCase()
    .replaceAll(/[^\p{L}\p{N}_ -]/gu, '')
    .replaceAll(' ', '-')

/** The first line of a block that has a name: `// server.ts`. */
const FIRST_LINE = /^\/\/ ([\w./[\]-]+\.\w+)\n/

const escape = (text: string): string => text.replaceAll('&', '&amp;').replaceAll('<', '&lt;')

/** In a table, a long name may be divided after an underscore. */
const divide = (text: string): string => escape(text).replaceAll(/(?<=\w_)(?=\w)/g, '<wbr>')

export const markdown: MarkdownOptions = {
  anchor: { slugify: fragmentOf },
  theme: { light: 'github-light-high-contrast', dark: 'github-dark-high-contrast' },
  // A block of code with the name of its file above it. Only the code is copied.
  config: (md) => {
    const fence = md.renderer.rules.fence
    md.renderer.rules.fence = (tokens, index, ...rest) => {
      const token = tokens[index]
      if (!token || !fence) return ''
      const name = /\[(.+)\]/.exec(token.info)?.[1] ?? FIRST_LINE.exec(token.content)?.[1]
      token.content = token.content.replace(FIRST_LINE, '')
      const code = fence(tokens, index, ...rest)
      return name === undefined
        ? code
        : `<div class="file"><p class="file-name">${escape(name)}</p>${code}</div>`
    }
  },
  // Before VitePress's own rule for links, which looks for dead ones. A link that leads nowhere becomes its
  // text.
  preConfig: (md) => {
    md.core.ruler.push('links-tables-examples', ({ tokens, env }) => {
      const from = `docs/${(env as { relativePath: string }).relativePath}`
      for (const [index, token] of tokens.entries()) {
        // An indented example in a docstring: as a fence it scrolls on a phone, and has colours.
        if (token.type === 'code_block') Object.assign(token, { type: 'fence', info: 'tsx', markup: '```' })
        // A column without a name, as in the tables of options: an empty header says nothing to a screen
        // reader.
        if (token.type === 'th_open' && tokens[index + 1]?.content === '') {
          token.tag = 'td'
          const end = tokens[index + 2]
          if (end) end.tag = 'td'
        }
        const open: boolean[] = []
        token.children = (token.children ?? []).filter((child) => {
          if (child.type === 'link_close') return open.pop()
          if (child.type !== 'link_open') return true
          const target = siteLink(from, child.attrGet('href') ?? '')
          if (target !== undefined) child.attrSet('href', target)
          open.push(target !== undefined)
          return target !== undefined
        })
        if (tokens[index - 1]?.type !== 'td_open') continue
        for (const child of token.children)
          if (child.type === 'text' && child.content.includes('_'))
            Object.assign(child, { type: 'html_inline', content: divide(child.content) })
      }
    })
  },
}
