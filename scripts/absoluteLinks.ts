import { readFileSync } from 'node:fs'
import { join, posix, resolve } from 'node:path'

const ROOT = resolve(import.meta.dirname, '..')

/** The address of the repository in a browser, if the package has one: the release writes it. */
export function readRepository(name: string): string | undefined {
  const text = readFileSync(join(ROOT, 'packages', name, 'package.json'), 'utf8')
  const { repository } = JSON.parse(text) as { readonly repository?: { readonly url: string } }
  return repository?.url.replaceAll(/^git\+|\.git$/g, '')
}

/**
 * Changes the links of a page that lead out of its folder, because a package holds nothing else: they become
 * addresses in the repository. If it has none, their words are left, and nothing of a link that stands alone
 * in brackets.
 *
 * @param page Markdown
 * @param file path of the page in the repository
 * @param folder path of the folder that is published
 * @param repository its address in a browser
 */
export function absoluteLinks(
  page: string,
  file: string,
  folder: string,
  repository: string | undefined,
): string {
  return page.replaceAll(
    /(\s*\()?\[([^\]]+)\]\((\.\.?\/[^)\s]*)\)(\))?/g,
    (link, before: string | undefined, words: string, target: string, after: string | undefined) => {
      const path = posix.join(posix.dirname(file), target)
      if (path.startsWith(`${folder}/`)) return link
      if (!repository && before && after) return ''
      const text = repository ? `[${words}](${repository}/blob/main/${path})` : words
      return `${before ?? ''}${text}${after ?? ''}`
    },
  )
}
