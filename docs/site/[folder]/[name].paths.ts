import { REPOSITORY_PAGES, ROOT, siteText } from '../../.vitepress/repositoryPages.js'

export default {
  watch: REPOSITORY_PAGES.map(({ file }) => ROOT + file),
  paths: () =>
    REPOSITORY_PAGES.map((page) => ({
      params: { folder: page.folder, name: page.name },
      content: siteText(page),
    })),
}
