import { readFileSync } from 'node:fs'
import { expect, it } from 'vitest'
import { BENCHES, OTHERS } from '../../bench/report/benches.js'
import { type Figures, summarize } from '../../bench/report/figures.js'
import { formatPage, pictureLine } from '../../bench/report/formatPage.js'
import type { Ratio } from '../../bench/report/ratios.js'
import { PICTURE_PAGES, reportFiles, withPictures } from '../../bench/report/writeReport.js'

const FACTS = {
  date: '2026-01-02',
  quick: false,
  cpus: 2,
  platform: 'linux x64',
  node: '20.19.0',
  versions: { express: '5.3.0' },
  notRun: [],
}
const of = (own: number, other: number, change: Partial<Ratio> = {}): Ratio => ({
  what: 'Stagepass in Express',
  gets: 'More.',
  beside: 'theirs',
  own,
  other,
  unit: 'requests/s',
  aim: { atLeast: 0.7 },
  ...change,
})
const figuresOf = (...runs: Ratio[][]): Figures => ({
  ...FACTS,
  benches: [summarize({ title: 'A race', form: '5 rounds', runs })],
})
const committed = JSON.parse(readFileSync('docs/bench/figures.json', 'utf8')) as Figures

it('a row has the median of the ratios, their range, the aim, and both values of that run', () => {
  expect(formatPage(figuresOf([of(80, 100)], [of(900, 1_000)], [of(150, 200)]))).toContain(
    '| _More._ Stagepass in Express | theirs | **0.80** (0.75–0.90) | at least 0.7 | 80 / 100 requests/s |',
  )
})

it('a row has the number of runs that missed its aim, or that there was one run', () => {
  const missed = formatPage(figuresOf([of(60, 100)], [of(80, 100)]))
  expect(missed).toContain('| at least 0.7, **missed** 1/2 |')
  // The first sentence says it too.
  expect(missed).toContain('theirs (the aim, at least 0.7, was missed in 1 of 2 runs).')
  expect(formatPage(figuresOf([of(80, 100)]))).toContain('| **0.80** | at least 0.7 |')
})

it('the benefit of several rows is written once', () => {
  const text = formatPage(figuresOf([of(80, 100), of(70, 100, { beside: 'a proxy' })]))
  expect(text.match(/_More\._/g)).toHaveLength(1)
  expect(text).toContain('\n| Stagepass in Express | a proxy | **0.70** |')
})

it('the CPU time of a row is in that row', () => {
  const cpu = of(3, 2, { what: 'Stagepass in Express, by CPU', unit: 'µs of CPU a request' })
  const text = formatPage(figuresOf([of(80, 100), cpu]))
  expect(text).toContain('| 80 / 100 requests/s; **1.50**, 3 / 2 µs of CPU a request |')
  expect(text).not.toContain('| Stagepass in Express, by CPU |')
})

it('a ratio that is no number is an error that names the row', () => {
  expect(() => figuresOf([of(80, 0)])).toThrow(
    'Failed to summarize "Stagepass in Express": a value of it is Infinity.',
  )
})

it('the page names machine and versions, and whether the run was a quick one', () => {
  const page = formatPage(figuresOf([of(1, 1)]))
  expect(page).toContain('2026-01-02: 2 processors, linux x64, Node 20.19.0. express 5.3.0.')
  expect(page).not.toContain('quick run')
  expect(formatPage({ ...FACTS, quick: true, benches: [] })).toContain('**This page is from a quick run**')
})

it('a row whose unit is that of no claim is an error that says where to add one', () => {
  expect(() => formatPage(figuresOf([of(1, 2, { unit: 'parsecs' })]))).toThrow(
    'no claim has rows in "parsecs". Add one to bench/report/claims.ts.',
  )
})

it('paid minutes have a sentence and a picture as soon as there are figures', () => {
  const { benches } = figuresOf([of(2, 1)])
  expect(pictureLine({ ...FACTS, benches }, 'bench').match(/\w+\.svg/g)).toEqual(['requests.svg'])
  const row = of(12, 60, {
    what: 'useVoiceSession',
    beside: 'an open stream',
    unit: 'paid minutes of an hour',
    aim: { atMost: 0.3 },
  })
  const silence = summarize({ title: 'Silence', form: 'an hour', runs: [[row]] })
  const figures = { ...FACTS, benches: [silence, ...benches] }
  expect(pictureLine(figures, 'bench').match(/\w+\.svg/g)).toEqual(['requests.svg', 'minutes.svg'])
  expect(formatPage(figures)).toContain('costs 12 minutes in place of 60.')
  expect(reportFiles(figures).get('bench/minutes.svg')).toContain('<title>Paid minutes.')
})

it('each bench is on the page, or is listed as one without a ratio', () => {
  const { scripts } = JSON.parse(readFileSync('bench/package.json', 'utf8')) as { scripts: object }
  const known = [...BENCHES.map(({ script }) => script), ...OTHERS]
  expect(Object.keys(scripts).toSorted()).toEqual(known.toSorted())
})

it('the figures have rows of each bench, or say that it was not run', () => {
  const titles = [...committed.benches.map(({ title }) => title), ...committed.notRun]
  expect(titles.toSorted()).toEqual(BENCHES.map(({ title }) => title).toSorted())
  expect(committed.benches.flatMap(({ rows }) => rows).length).toBeGreaterThan(5)
})

it('page and pictures are those of the figures, and the page begins with four sentences', () => {
  for (const [path, text] of reportFiles(committed))
    expect(readFileSync(`docs/${path}`, 'utf8'), 'Run: npm run bench -- --draw').toBe(text)
  for (const [page, folder] of PICTURE_PAGES)
    expect(readFileSync(page, 'utf8'), 'Run: npm run bench -- --draw').toBe(
      withPictures(page, folder, committed),
    )
  const [, , , , beginning = ''] = formatPage(committed).split('\n')
  expect(beginning.match(/\.(?= |$)/g)).toHaveLength(4)
})
