import { expect, it } from 'vitest'
import { headingsOf } from './markdown.js'
import { filesEndingIn, readText } from './repositoryFiles.js'

/*
 * A citation names a page and a heading of it, `(Contract: "Limits")`, or more than one: `(Contract:
 * "Limits", "Rate limit")`. A line of SECURITY.md is cited by its number, `(SECURITY.md, S11)`; the name of a
 * test begins with the number alone.
 */

const HEADINGS: Readonly<Record<string, readonly string[]>> = {
  Contract: headingsOf(readText('docs/contract.md')),
  Assumptions: headingsOf(readText('docs/assumptions.md')),
}
const REQUIREMENTS = new Set(
  [...readText('SECURITY.md').matchAll(/^- \*\*(S\d+)\*\*/gm)].map(([, number]) => number),
)

const SOURCE = /\.(?:[jt]sx?|css|html)$/

/** One line in place of several: a citation may continue on the next line of its comment. */
const joined = (text: string): string => text.replaceAll(/\s*\n\s*(?:\*(?!\/)|\/\/)?[ \t]*/g, ' ')

// This file holds examples of what it looks for.
const files = filesEndingIn(/\.(?:[jt]sx?|css|html|md)$/)
  .filter((path) => !path.endsWith('citations.test.ts'))
  .map((path) => ({ path, text: readText(path) }))
const sources = files.filter(({ path }) => SOURCE.test(path))

/** Block comments, and runs of line comments, that begin a line. */
function commentsOf(text: string): string[] {
  const comments = text.matchAll(/^[ \t]*\/\*[\s\S]*?\*\/|(?:^[ \t]*\/\/.*\n)+/gm)
  return [...comments].map(([comment]) => joined(comment))
}

const CITATION = /\b(Contract|Assumptions): ((?:"[^"]+"(?:, )?)+)/g

/** Each place that a regular expression finds in a file, with the path in front. */
function found(pattern: RegExp, text: string, path: string): string[] {
  return [...text.matchAll(pattern)].map(([match]) => `${path}: ${match}`)
}

it('every citation of the contract and of the assumptions names a heading of its page', () => {
  const cited = files.flatMap(({ path, text }) =>
    [...joined(text).matchAll(CITATION)].flatMap(([, page = '', list = '']) =>
      [...list.matchAll(/"([^"]+)"/g)].map(([, heading = '']) => ({ path, page, heading })),
    ),
  )
  expect(cited.length).toBeGreaterThanOrEqual(40)
  expect(cited.filter(({ page, heading }) => !HEADINGS[page]?.includes(heading))).toEqual([])
})

it('no two headings of a cited page are the same', () => {
  for (const headings of Object.values(HEADINGS)) expect(new Set(headings).size).toBe(headings.length)
})

it('every assumption says its default, its confidence and what overrides it', () => {
  const sections = readText('docs/assumptions.md').split(/^## /m).slice(1)
  expect(sections.length).toBeGreaterThanOrEqual(15)
  for (const section of sections) {
    expect(section).toMatch(/^- Default: \S/m)
    expect(section).toMatch(/^- Confidence: (?:high|medium|low|open)/m)
    expect(section).toMatch(/^- Override: \S/m)
  }
})

it('a comment that speaks of the contract or of an assumption cites a heading', () => {
  const vague = sources
    .flatMap(({ path, text }) => commentsOf(text).map((comment) => ({ path, comment })))
    .filter(({ comment }) => /\bthe contract(?! package)|\bassum(?:ed|ptions?)\b/i.test(comment))
    .filter(({ comment }) => comment.search(CITATION) < 0)
  expect(vague).toEqual([])
})

it('the contract is cited in one form', () => {
  const other = sources.flatMap(({ path, text }) =>
    found(
      /\b(?:Contract|Assumptions): (?!")[^;]{0,40}|\(?contract[,:] "?[A-Z/][^\n]{0,40}/g,
      joined(text),
      path,
    ),
  )
  expect(other).toEqual([])
})

it('every number of a security requirement has its line in SECURITY.md', () => {
  const numbers = files.flatMap(({ path, text }) =>
    [...text.matchAll(/\bS\d{1,2}\b/g)].map(([number]) => ({ path, number })),
  )
  expect(numbers.length).toBeGreaterThanOrEqual(100)
  expect(numbers.filter(({ number }) => !REQUIREMENTS.has(number))).toEqual([])
})

it('a comment that cites a requirement names its page', () => {
  const bare = sources.flatMap(({ path, text }) =>
    commentsOf(text).flatMap((comment) =>
      found(/\bS\d{1,2}\b.{0,20}/g, comment.replaceAll(/SECURITY\.md(?:, S\d{1,2})+/g, ''), path),
    ),
  )
  expect(bare).toEqual([])
})

it('no page is cited that is not in the repository', () => {
  const unknown = /\b(?:DESIGN|the design|beyond-the-contract|upstream-contract)\b/g
  expect(files.flatMap(({ path, text }) => found(unknown, joined(text), path))).toEqual([])
})
