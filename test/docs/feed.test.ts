import { execFileSync } from 'node:child_process'
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { JSDOM } from 'jsdom'
import { afterEach, beforeEach, expect, it } from 'vitest'
import { releaseFeed } from '../../docs/.vitepress/feed.js'

const SITE = 'https://docs.example.com/kit/'

let root: string
beforeEach(() => {
  root = mkdtempSync(join(tmpdir(), 'stagepass-feed-'))
  git('init', '--quiet')
})
afterEach(() => rmSync(root, { recursive: true }))

function git(...args: string[]): void {
  execFileSync('git', ['-c', 'user.name=Ada', '-c', 'user.email=ada@example.com', ...args], { cwd: root })
}

function writeChangelog(name: string, text: string): void {
  mkdirSync(join(root, 'packages', name), { recursive: true })
  writeFileSync(join(root, 'packages', name, 'CHANGELOG.md'), text)
}

function commit(date: string): void {
  git('add', '.')
  process.env['GIT_COMMITTER_DATE'] = date
  git('commit', '--quiet', '--message', 'release')
  delete process.env['GIT_COMMITTER_DATE']
}

/** A changelog in the format of changesets. */
const FIRST = '## 0.1.0\n\n### Minor Changes\n\n- 1a2b3c4: The first release to a registry.\n'
const SECOND = '## 0.1.1\n\n### Patch Changes\n\n- 5d6e7f8: `useStream` is back at once after a sleep.\n\n'
const DEPENDENT =
  '## 0.1.1\n\n### Patch Changes\n\n- Updated dependencies [5d6e7f8]\n  - @stagepass/contract@0.1.1\n\n'

it('has each release with its changes and the day of its version, newest first', async () => {
  writeChangelog('bff', `# @stagepass/bff\n\n${FIRST}`)
  writeChangelog('react', `# @stagepass/react\n\n${FIRST}`)
  commit('2026-12-01T10:00:00+01:00')
  writeChangelog('bff', `# @stagepass/bff\n\n${DEPENDENT}${FIRST}`)
  writeChangelog('react', `# @stagepass/react\n\n${SECOND}${FIRST}`)
  commit('2026-12-08T10:00:00+01:00')

  const feed = (await releaseFeed(root, SITE)) ?? ''
  const xml = new JSDOM(feed, { contentType: 'application/xml' }).window.document
  const textsOf = (name: string) =>
    [...xml.querySelectorAll(`entry > ${name}`)].map((node) => node.textContent)
  expect(textsOf('title')).toEqual(['Stagepass 0.1.1', 'Stagepass 0.1.0'])
  expect(textsOf('updated')).toEqual(['2026-12-08T09:00:00.000Z', '2026-12-01T09:00:00.000Z'])
  expect(new Set(textsOf('id')).size).toBe(2)
  const [newest, first] = textsOf('content')
  expect(newest).toContain('is back at once after a sleep.')
  expect(newest).not.toContain('Updated dependencies')
  // Both packages have this change.
  expect(first?.split('The first release')).toHaveLength(2)
})

it('is empty before the first release, and if a release has no commit', async () => {
  mkdirSync(join(root, 'packages/bff'), { recursive: true })
  git('commit', '--quiet', '--allow-empty', '--message', 'empty')
  expect(await releaseFeed(root, SITE)).toBeUndefined()
  writeChangelog('bff', `# @stagepass/bff\n\n${FIRST}`)
  expect(await releaseFeed(root, SITE)).toBeUndefined()
})
