import { readFileSync } from 'node:fs'
import { expect, it } from 'vitest'
import { BENCHES, OTHERS } from '../../bench/report/benches.js'
import { formatPage } from '../../bench/report/formatPage.js'
import type { Ratio } from '../../bench/report/ratios.js'

const facts = {
  date: '2026-01-02',
  quick: false,
  cpus: 2,
  platform: 'linux x64',
  node: '20.19.0',
  versions: { express: '5.3.0' },
  notRun: [],
}
const of = (own: number, other: number): Ratio => ({
  what: 'ours',
  gets: 'More.',
  beside: 'theirs',
  own,
  other,
  unit: 'requests/s',
  aim: { atLeast: 0.7 },
})
const page = (...runs: Ratio[][]): string => formatPage(facts, [{ title: 'A race', form: '5 rounds', runs }])

it('a row has the median of the ratios, their range, and both values of that run', () => {
  expect(page([of(80, 100)], [of(900, 1_000)], [of(150, 200)])).toContain(
    '- _More._ ours beside theirs: **0.80** (0.75–0.90); ≥ 0.7; 80/100 requests/s',
  )
})

it('a row has the number of runs that missed its aim, or that there was one run', () => {
  expect(page([of(60, 100)], [of(80, 100)])).toContain('≥ 0.7, **missed** 1/2')
  expect(page([of(80, 100)])).toContain('**0.80**; ≥ 0.7')
})

it('the page names machine and versions, and whether the run was a quick one', () => {
  expect(page([of(1, 1)])).toContain('2026-01-02: 2 processors, linux x64, Node 20.19.0. express 5.3.0.')
  expect(page([of(1, 1)])).not.toContain('quick run')
  expect(formatPage({ ...facts, quick: true }, [])).toContain('**This page is from a quick run**')
})

it('each bench is on the page, or is listed as one without a ratio', () => {
  const { scripts } = JSON.parse(readFileSync('bench/package.json', 'utf8')) as { scripts: object }
  const known = [...BENCHES.map(({ script }) => script), ...OTHERS]
  expect(Object.keys(scripts).toSorted()).toEqual(known.toSorted())
})

it('docs/bench.md has a section for each bench or says that it was not run, and no row without a baseline', () => {
  const text = readFileSync('docs/bench.md', 'utf8')
  const notRun = /^Not run: (.+)\.$/m.exec(text)?.[1]?.split(', ') ?? []
  const sections = [...text.matchAll(/^## (.+)$/gm)].map(([, title = '']) => title)
  expect([...sections, ...notRun].toSorted()).toEqual(BENCHES.map(({ title }) => title).toSorted())
  const rows = text.split('\n').filter((line) => line.startsWith('- '))
  expect(rows.length).toBeGreaterThan(5)
  for (const row of rows)
    expect(row).toMatch(/^- .+ beside .+: \*\*[\d.]+\*\*(?: \(.+\))?; .*[\d.]+\/[\d.]+ .+$/)
})
