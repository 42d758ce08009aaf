import { expect, it } from 'vitest'
import { headingsOf } from './markdown.js'
import { filesEndingIn, readText } from './repositoryFiles.js'

/*
 * A citation names a page and one of its headings, `(Contract: "Limits")`, or several: `(Contract: "Limits",
 * "Rate limit")`. A line of docs/security.md is cited by its number, `(security.md, S11)`; the name of a
 * test begins with only the number.
 */

const HEADINGS: Readonly<Record<string, readonly string[]>> = {
  Contract: headingsOf(readText('docs/contract.md')),
  Assumptions: headingsOf(readText('docs/assumptions.md')),
}
const REQUIREMENTS = new Set(
  [...readText('docs/security.md').matchAll(/^- \*\*(S\d+)\*\*/gm)].map(([, number]) => number),
)

/** Joins lines, because a citation may continue on the next line of its comment. */
const joined = (text: string): string => text.replaceAll(/\s*\n\s*(?:\*(?!\/)|\/\/)?[ \t]*/g, ' ')

// Without this file, which has examples of citations.
const files = filesEndingIn(/\.(?:[jt]sx?|css|html|md)$/)
  .filter((path) => !path.endsWith('citations.test.ts'))
  .map((path) => ({ path, text: readText(path) }))

const CITATION = /\b(Contract|Assumptions): ((?:"[^"]+"(?:, )?)+)/g

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

it('every number of a security requirement has its line in docs/security.md', () => {
  const numbers = files.flatMap(({ path, text }) =>
    [...text.matchAll(/\bS\d{1,2}\b/g)].map(([number]) => ({ path, number })),
  )
  expect(numbers.length).toBeGreaterThanOrEqual(100)
  expect(numbers.filter(({ number }) => !REQUIREMENTS.has(number))).toEqual([])
})
