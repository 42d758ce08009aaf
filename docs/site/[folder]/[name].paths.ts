import { existsSync } from 'node:fs'
import { REPOSITORY_PAGES, ROOT, siteText } from '../../.vitepress/repositoryPages.js'

/** A guide links the reference of its package, as the reference links the guide. */
const reference = (name: string): string =>
  existsSync(`${ROOT}docs/api/@stagepass/${name}.md`) ? `\n[API reference](/api/@stagepass/${name})\n` : ''

export default {
  watch: REPOSITORY_PAGES.map(({ file }) => ROOT + file),
  paths: () =>
    REPOSITORY_PAGES.map((page) => ({
      params: { folder: page.folder, name: page.name },
      content: siteText(page) + (page.folder === 'packages' ? reference(page.name) : ''),
    })),
}
