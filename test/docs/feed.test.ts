import { execFileSync } from 'node:child_process'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { JSDOM } from 'jsdom'
import { afterEach, beforeEach, expect, it } from 'vitest'
import { releaseFeed } from '../../docs/.vitepress/feed.js'
import contract from '../../packages/contract/package.json' with { type: 'json' }
import { readText } from './repositoryFiles.js'

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

function writeChangelog(...sections: string[]): void {
  writeFileSync(join(root, 'CHANGELOG.md'), ['# Changelog\n\n', ...sections].join(''))
}

function commit(date: string): void {
  git('add', '.')
  process.env['GIT_COMMITTER_DATE'] = date
  git('commit', '--quiet', '--message', 'release')
  delete process.env['GIT_COMMITTER_DATE']
}

const FIRST = '## 0.1.0\n\nThe first release.\n\n'
const SECOND = '## 0.1.1\n\n- `useStream` is back at once after a sleep.\n\n'

it('has each release with its text and the day of its version, newest first', async () => {
  writeChangelog(FIRST)
  commit('2026-12-01T10:00:00+01:00')
  writeChangelog(SECOND, FIRST)
  commit('2026-12-08T10:00:00+01:00')

  const feed = (await releaseFeed(root, SITE)) ?? ''
  const xml = new JSDOM(feed, { contentType: 'application/xml' }).window.document
  const textsOf = (name: string) =>
    [...xml.querySelectorAll(`entry > ${name}`)].map((node) => node.textContent)
  expect(textsOf('title')).toEqual(['Stagepass 0.1.1', 'Stagepass 0.1.0'])
  expect(textsOf('updated')).toEqual(['2026-12-08T09:00:00.000Z', '2026-12-01T09:00:00.000Z'])
  expect(new Set(textsOf('id')).size).toBe(2)
  expect(textsOf('content')[0]).toContain('is back at once after a sleep.')
  expect(textsOf('content')[1]).toContain('The first release.')
})

it('is empty without a changelog, and if a release has no commit', async () => {
  git('commit', '--quiet', '--allow-empty', '--message', 'empty')
  expect(await releaseFeed(root, SITE)).toBeUndefined()
  writeChangelog(FIRST)
  expect(await releaseFeed(root, SITE)).toBeUndefined()
})

it('CHANGELOG.md begins with the version of the packages', () => {
  const [, version] = /^## (.+)$/m.exec(readText('CHANGELOG.md')) ?? []
  expect(version).toBe(contract.version)
})
