import { expect, it } from 'vitest'
import { linksOf } from './markdown.js'
import { filesEndingIn, readText } from './repositoryFiles.js'

const PAGE = 'docs/security.md'

/** A line of the page. */
interface Requirement {
  readonly number: number
  readonly planned: boolean
  readonly tests: readonly string[]
}

const requirements: Requirement[] = [...readText(PAGE).matchAll(/^- \*\*S(\d+)\*\* (.+)$/gm)].map(
  ([, number = '', line = '']) => ({
    number: Number(number),
    planned: line.includes('*Planned'),
    tests: linksOf(line)
      .filter((target) => /\.test\.tsx?$/.test(target))
      .map((target) => target.slice('../'.length)),
  }),
)

/** The numbers with which test names start, and the files of each. */
const tested = new Map<number, Set<string>>()
for (const file of filesEndingIn(/\.test(?:\.support)?\.tsx?$/)) {
  for (const [, number = ''] of readText(file).matchAll(/['"`]S(\d+) /g))
    tested.set(Number(number), (tested.get(Number(number)) ?? new Set()).add(file))
}
const filesOf = (number: number): string[] => [...(tested.get(number) ?? [])]

it('the page has one line for a number, in their order', () => {
  const numbers = requirements.map(({ number }) => number)
  expect(numbers).toEqual([...new Set(numbers)].toSorted((a, b) => a - b))
})

it.each(requirements.filter(({ planned }) => !planned))(
  'the page names tests of S$number that exist',
  ({ number, tests }) => {
    expect(tests).not.toEqual([])
    expect(filesOf(number)).toEqual(expect.arrayContaining([...tests]))
  },
)

it.each(requirements.filter(({ planned }) => planned))(
  'the page calls S$number planned only while it has no test',
  ({ number, tests }) => {
    expect([...tests, ...filesOf(number)]).toEqual([])
  },
)
