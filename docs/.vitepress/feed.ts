import { execFileSync } from 'node:child_process'
import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { Feed } from 'feed'
import { createMarkdownRenderer } from 'vitepress'

/*
 * The releases for readers of feeds. All packages have one version, and changesets writes a changelog into
 * each: `## 1.2.0`, and a list with the commit of each change. It writes no dates: those are of the commit that
 * brought the version.
 */

const FILE = 'CHANGELOG.md'

/** What changed, as items of Markdown, by version. A change of several packages is there once. */
function readReleases(root: string): Map<string, Set<string>> {
  const releases = new Map<string, Set<string>>()
  for (const name of readdirSync(join(root, 'packages'))) {
    const file = join(root, 'packages', name, FILE)
    if (!existsSync(file)) continue
    for (const section of readFileSync(file, 'utf8').split(/^## /m).slice(1)) {
      const [version = ''] = section.split('\n')
      const changes = releases.get(version) ?? new Set()
      for (const [, text = ''] of section.matchAll(/^- \w+: (.*(?:\n(?: .*)?)*)/gm))
        changes.add(`- ${text.trimEnd()}\n`)
      releases.set(version, changes)
    }
  }
  return releases
}

/** Undefined if no commit has it, or if there is no history. */
function dateOf(root: string, version: string): Date | undefined {
  const args = ['log', '--reverse', '--format=%cI', `-S## ${version}\n`, '--', `packages/*/${FILE}`]
  const [date = ''] = execFileSync('git', args, { cwd: root, encoding: 'utf8' }).split('\n')
  return date ? new Date(date) : undefined
}

/** An Atom feed of the releases, newest first. Before the first release: undefined. */
export async function releaseFeed(root: string, site: string): Promise<string | undefined> {
  const markdown = await createMarkdownRenderer(root)
  const items = [...readReleases(root)]
    .flatMap(([version, changes]) => {
      const date = dateOf(root, version)
      const title = `Stagepass ${version}`
      return date
        ? [
            {
              title,
              id: `${site}#${version}`,
              link: site,
              date,
              content: markdown.render([...changes].join('')),
            },
          ]
        : []
    })
    .toSorted((one, other) => other.date.getTime() - one.date.getTime())
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
