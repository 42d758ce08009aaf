import { existsSync } from 'node:fs'
import { posix } from 'node:path'
import { expect, it } from 'vitest'
import { fragmentsOf, linksOf } from './markdown.js'
import { filesEndingIn, readText } from './repositoryFiles.js'

const ROOT = new URL('../../', import.meta.url)
const pages = filesEndingIn(/\.md$/)

function problemOf(page: string, target: string): string[] {
  if (/^(?:https?|mailto):/.test(target)) return []
  const [path = '', fragment] = target.split('#')
  const file = path === '' ? page : posix.join(posix.dirname(page), path)
  if (file.startsWith('..') || !existsSync(new URL(file, ROOT))) return [`${page}: no file ${target}`]
  if (fragment === undefined) return []
  return file.endsWith('.md') && fragmentsOf(readText(file)).has(fragment)
    ? []
    : [`${page}: no heading ${target}`]
}

it('every relative link of a page leads to a file, and its fragment to a heading', () => {
  const links = pages.flatMap((page) => linksOf(readText(page)).map((target) => ({ page, target })))
  expect(links.length).toBeGreaterThanOrEqual(50)
  expect(links.flatMap(({ page, target }) => problemOf(page, target))).toEqual([])
})

it('every picture of a page has an alternative text', () => {
  const pictures = pages.flatMap((page) =>
    [...readText(page).matchAll(/!\[([^\]]*)\]\(|<img [^>]*?alt="([^"]*)"/g)].map(([, text, alt]) => ({
      page,
      text: text ?? alt ?? '',
    })),
  )
  expect(pictures.length).toBeGreaterThanOrEqual(3)
  expect(pictures.filter(({ text }) => text === '')).toEqual([])
})

/** Files of a numbered list: `react/token/renewal.ts` is `packages/react/src/token/renewal.ts`. */
const stepsOf = (text: string): string[] =>
  [...text.matchAll(/^\d+\. (.+?): /gm)].flatMap(([, files = '']) =>
    [...files.matchAll(/`([a-z]+)\/([^`]+)`/g)].map(([, name, path]) => `packages/${name}/src/${path}`),
  )

/**
 * Files and folders of the table "Where a change begins". Paths without a package are those of the
 * repository.
 */
const beginningsOf = (text: string): string[] =>
  [
    ...(text.split('\n## Where a change begins\n')[1]?.split('\n## ')[0] ?? '').matchAll(
      /`([a-z]+\/[^`\s]+)`/g,
    ),
  ].map(([, path = '']) => path.replace(/^(?!registry|test|docs|scripts)([a-z]+)\//, 'packages/$1/src/'))

it('each file on the ways and in the tables of docs/architecture.md exists', () => {
  const text = readText('docs/architecture.md')
  const paths = [...stepsOf(text), ...beginningsOf(text)]
  expect(paths.length).toBeGreaterThanOrEqual(45)
  expect(paths.filter((path) => !existsSync(new URL(path, ROOT)))).toEqual([])
})
