import { expect, it } from 'vitest'
import { proseOf } from './markdown.js'
import { filesEndingIn, readText } from './repositoryFiles.js'

const GLOSSARY = 'docs/glossary.md'
const lines = proseOf(readText(GLOSSARY))
  .split('\n')
  .filter((line) => line.startsWith('- '))
const words = lines.map((line) => /^- \*\*([^*]+)\*\*/.exec(line)?.[1] ?? line)

/** Every word that a line of the glossary names after "Not:". */
const NOT = lines.flatMap((line) => (/Not: (.+)\.$/.exec(line)?.[1] ?? '').split(', ').filter(Boolean))

/** Uses of a word that stand for something else, or that quote another's word. */
const EXCEPTIONS: readonly RegExp[] = [
  /\(also called master token\)/, // docs/contract.md quotes the service
]

const ANY = new RegExp(
  `\\b(?:${NOT.map((word) => word.replaceAll(' ', '[ -]')).join('|')})(?:s|es)?\\b`,
  'gi',
)

function found(text: string, path: string): string[] {
  const searched = EXCEPTIONS.reduce((left, exception) => left.replace(exception, ''), text)
  return [...searched.matchAll(ANY)].map(([word]) => `${path}: ${word}`)
}

/** All comments, each on one line. */
function commentsOf(text: string): string {
  const comments = text.matchAll(/\/\*[\s\S]*?\*\/|(?<=^|\s)\/\/.*$/gm)
  return [...comments].map(([comment]) => comment.replaceAll(/\n\s*\*?\s*/g, ' ')).join('\n')
}

/**
 * `TokenWish` as `Token Wish`: the words of each name that a source exports, and of the members of what it
 * exports.
 */
function namesOf(text: string): string {
  const exported = text.matchAll(/^export (?:declare )?(?:class|const|function|interface|type) (\w+)/gm)
  const members = text.matchAll(/^ {2}(?:readonly )?(\w+)\??(?:\(.*\))?: /gm)
  return [...exported, ...members]
    .map(([, name = '']) => name.replaceAll(/([a-z])([A-Z])/g, '$1 $2').replaceAll('_', ' '))
    .join('\n')
}

it('the words of the glossary are unique and in alphabetical order', () => {
  const sorted = words.toSorted((a, b) => a.localeCompare(b, 'en', { sensitivity: 'base' }))
  expect(words).toEqual(sorted)
  expect(new Set(words.map((word) => word.toLowerCase())).size).toBe(words.length)
})

it('the glossary has at most 65 lines', () => {
  expect(readText(GLOSSARY).trimEnd().split('\n').length).toBeLessThanOrEqual(65)
})

it('every line of the glossary is one word and its definition', () => {
  for (const line of lines) expect(line).toMatch(/^- \*\*[^*]+\*\*: \S.{10,}[.)]$/)
})

it('README and CONTRIBUTING link the glossary', () => {
  for (const page of ['README.md', 'CONTRIBUTING.md']) expect(readText(page)).toContain(`(${GLOSSARY})`)
})

it('no page uses a word that the glossary rules out', () => {
  expect(NOT.length).toBeGreaterThanOrEqual(18)
  const pages = filesEndingIn(/\.md$/).filter((path) => path !== GLOSSARY)
  expect(pages.flatMap((path) => found(readText(path).replaceAll(/`[^`\n]*`/g, ''), path))).toEqual([])
})

// The comparison itself holds the words in its own text.
const sources = filesEndingIn(/\.(?:tsx?|mjs)$/).filter((path) => !path.endsWith('glossary.test.ts'))

it('no comment uses a word that the glossary rules out', () => {
  const comments = sources.map((path) => ({ path, text: commentsOf(readText(path)) }))
  expect(comments.filter(({ text }) => text !== '').length).toBeGreaterThan(300)
  expect(comments.flatMap(({ path, text }) => found(text.replaceAll(/`[^`\n]*`/g, ''), path))).toEqual([])
})

it('no exported name, and no member of one, holds a word that the glossary rules out', () => {
  const own = sources.filter((path) => /^packages\/\w+\/src\//.test(path) && !/\.test/.test(path))
  const names = own.map((path) => ({ path, text: namesOf(readText(path)) }))
  expect(names.flatMap(({ text }) => text.split('\n')).length).toBeGreaterThan(1_000)
  expect(names.flatMap(({ path, text }) => found(text, path))).toEqual([])
})
