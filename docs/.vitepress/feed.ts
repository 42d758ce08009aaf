import { execFileSync } from 'node:child_process'
import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { Feed } from 'feed'
import { createMarkdownRenderer } from 'vitepress'

/*
 * The releases for readers of feeds: the sections of CHANGELOG.md, such as `## 1.2.0`. They have no dates:
 * those are of the commit that brought the version.
 */

const FILE = 'CHANGELOG.md'

/** Undefined if no commit has it, or if there is no history. */
function dateOf(root: string, version: string): Date | undefined {
  const args = ['log', '--reverse', '--format=%cI', `-S## ${version}\n`, '--', FILE]
  const [date = ''] = execFileSync('git', args, { cwd: root, encoding: 'utf8' }).split('\n')
  return date ? new Date(date) : undefined
}

/** An Atom feed of the releases, newest first. Without a release: undefined. */
export async function releaseFeed(root: string, site: string): Promise<string | undefined> {
  const file = join(root, FILE)
  const [, ...sections] = existsSync(file) ? readFileSync(file, 'utf8').split(/^## /m) : []
  const markdown = await createMarkdownRenderer(root)
  const items = sections.flatMap((section) => {
    const [version = '', ...lines] = section.split('\n')
    const date = dateOf(root, version)
    if (!date) return []
    const content = markdown.render(lines.join('\n'))
    return [{ title: `Stagepass ${version}`, id: `${site}#${version}`, link: site, date, content }]
  })
  if (!items[0]) return undefined
  const feed = new Feed({
    title: 'Releases of Stagepass',
    id: site,
    link: site,
    updated: items[0].date,
    copyright: '',
  })
  for (const item of items) feed.addItem(item)
  return feed.atom1()
}
