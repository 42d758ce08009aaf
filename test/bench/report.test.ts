import { readFileSync } from 'node:fs'
import { expect, it } from 'vitest'
import { CLAIMS } from '../../bench/report/claims.js'
import { type Figures, isMissed, type Ratio, summarize } from '../../bench/report/figures.js'
import { formatPage, pictureLine } from '../../bench/report/formatPage.js'
import { PICTURE_PAGES, reportFiles, withPictures } from '../../bench/report/writeReport.js'

const FACTS = {
  date: '2026-01-02',
  cpus: 2,
  platform: 'linux x64',
  node: '20.19.0',
  versions: { express: '5.3.0' },
}
const of = (own: number, other: number, change: Partial<Ratio> = {}): Ratio => ({
  what: 'Stagepass in Express',
  beside: 'theirs',
  own,
  other,
  unit: 'requests/s',
  aim: { atLeast: 0.7 },
  ...change,
})
const figuresOf = (...runs: Ratio[][]): Figures => ({
  ...FACTS,
  claims: [{ id: 'requests', form: '5 rounds', rows: summarize(runs) }],
})
const committed = JSON.parse(readFileSync('docs/bench/figures.json', 'utf8')) as Figures

it('a row has the median of the ratios, their range, the aim, and both values of that run', () => {
  expect(formatPage(figuresOf([of(80, 100)], [of(900, 1_000)], [of(150, 200)]))).toContain(
    '| Stagepass in Express | theirs | **0.80** (0.75–0.90) | at least 0.7 | 80 / 100 requests/s |',
  )
})

it('a row has the number of runs that missed its aim, or that there was one run', () => {
  const missed = formatPage(figuresOf([of(60, 100)], [of(80, 100)]))
  expect(missed).toContain('| at least 0.7, **missed** 1/2 |')
  // The first sentence says it too.
  expect(missed).toContain('theirs (the aim, at least 0.7, was missed in 1 of 2 runs).')
  expect(formatPage(figuresOf([of(80, 100)]))).toContain('| **0.80** | at least 0.7 |')
})

it('a number that could not be measured misses its aim', () => {
  expect([isMissed(NaN, { atMost: 1 }), isMissed(NaN, { atLeast: 1 })]).toEqual([true, true])
  expect([isMissed(1, { atMost: 1 }), isMissed(1, { atLeast: 1 })]).toEqual([false, false])
})

it('a ratio that is no number is an error that names the row', () => {
  expect(() => figuresOf([of(80, 0)])).toThrow(
    'Failed to summarize "Stagepass in Express": a value of it is Infinity.',
  )
})

it('the page names machine and versions', () => {
  expect(formatPage(figuresOf([of(1, 1)]))).toContain(
    '2026-01-02: 2 processors, linux x64, Node 20.19.0. express 5.3.0.',
  )
})

it('a claim has a sentence and a picture as soon as there are figures', () => {
  const { claims } = figuresOf([of(2, 1)])
  const [silence] = figuresOf([of(12, 60, { beside: 'an open stream', aim: { atMost: 0.3 } })]).claims
  if (!silence) throw new Error('There are no figures.')
  const figures = { ...FACTS, claims: [{ ...silence, id: 'minutes' }, ...claims] }
  expect(formatPage({ ...FACTS, claims })).toContain('Not run: From press to open, Paid minutes, ')
  expect(pictureLine({ ...FACTS, claims }, 'bench').match(/\w+\.svg/g)).toEqual(['requests.svg'])
  expect(pictureLine(figures, 'bench').match(/\w+\.svg/g)).toEqual(['requests.svg', 'minutes.svg'])
  expect(formatPage(figures)).toContain('costs 12 minutes in place of 60.')
  expect(reportFiles(figures).get('bench/minutes.svg')).toContain('<title>Paid minutes.')
})

it('each claim has a script, and figures', () => {
  const { scripts } = JSON.parse(readFileSync('bench/package.json', 'utf8')) as { scripts: object }
  const ids = CLAIMS.map(({ id }) => id)
  expect(Object.keys(scripts)).toEqual(expect.arrayContaining(ids))
  expect(committed.claims.map(({ id }) => id)).toEqual(ids)
})

it('the rows that the table names are in the figures', () => {
  for (const { id, rows = [] } of CLAIMS) {
    const measured = committed.claims.find((one) => one.id === id)?.rows.map(({ what }) => what)
    expect(measured).toEqual(expect.arrayContaining([...rows]))
  }
})

it('page and pictures are those of the figures, and the page begins with a sentence for each claim', () => {
  for (const [path, text] of reportFiles(committed))
    expect(readFileSync(`docs/${path}`, 'utf8'), 'Run: npm run bench -- --draw').toBe(text)
  for (const [page, folder] of PICTURE_PAGES)
    expect(readFileSync(page, 'utf8'), 'Run: npm run bench -- --draw').toBe(
      withPictures(page, folder, committed),
    )
  const [, , , , beginning = ''] = formatPage(committed).split('\n')
  expect(beginning.match(/\.(?= |$)/g)).toHaveLength(CLAIMS.length)
})
