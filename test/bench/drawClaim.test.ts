import { readFileSync } from 'node:fs'
import { JSDOM } from 'jsdom'
import { describe, expect, it } from 'vitest'
import { CLAIMS, provenClaims } from '../../bench/report/claims.js'
import { drawClaim } from '../../bench/report/drawClaim.js'
import type { Figures, Row } from '../../bench/report/figures.js'

const [CLAIM] = CLAIMS
const MARGIN = 16

const rowOf = (change: Partial<Row> = {}): Row => ({
  what: 'ours',
  beside: 'theirs',
  own: 80,
  other: 100,
  unit: 'requests/s',
  ratio: 0.8,
  least: 0.75,
  most: 0.9,
  runs: 3,
  aim: { atLeast: 0.7 },
  missed: 0,
  ...change,
})

function parse(text: string): Document {
  return new JSDOM(text, { contentType: 'image/svg+xml' }).window.document
}

function draw(...rows: Row[]): Document {
  if (!CLAIM) throw new Error('There is no claim.')
  return parse(drawClaim({ claim: CLAIM, rows }))
}

const numberOf = (element: Element | null, name: string): number => Number(element?.getAttribute(name))
const startOf = (element: Element | null): number =>
  Number(/^M([\d.]+) /.exec(element?.getAttribute('d') ?? '')?.[1])

/** The lengths of the bars, in their order. */
const barsOf = (svg: Document): number[] =>
  [...svg.querySelectorAll('rect.own, rect.peer')].map((bar) => numberOf(bar, 'width'))

/** All that is drawn is inside of the picture, and each line of text has room. */
function expectRoom(svg: Document): void {
  const [width, height] = ['width', 'height'].map((name) => numberOf(svg.documentElement, name))
  if (width === undefined || height === undefined) throw new Error('It has no size.')
  expect(svg.documentElement.outerHTML).not.toMatch(/NaN|Infinity|undefined/)
  for (const bar of svg.querySelectorAll('rect.own, rect.peer')) {
    expect(numberOf(bar, 'x') + numberOf(bar, 'width')).toBeLessThanOrEqual(width - MARGIN)
    expect(numberOf(bar, 'y') + numberOf(bar, 'height')).toBeLessThan(height)
  }
  for (const path of svg.querySelectorAll('path')) {
    const numbers = (/^M([\d.]+) [\d.]+(?:H([\d.]+))?/.exec(path.getAttribute('d') ?? '') ?? []).slice(1)
    for (const x of numbers.filter(Boolean)) expect(Number(x)).toBeLessThanOrEqual(width - MARGIN)
  }
  for (const text of svg.querySelectorAll('text')) {
    expect(text.textContent.length).toBeLessThanOrEqual(50)
    expect(numberOf(text, 'y')).toBeLessThan(height)
  }
}

it('a bar is as long as its value, with the range of the runs and the aim at its ratio', () => {
  const svg = draw(rowOf())
  const [own = 0, other = 0] = barsOf(svg)
  expect(own / other).toBeCloseTo(0.8, 2)
  const range = svg.querySelector('path.range')
  expect((startOf(range) - MARGIN) / other).toBeCloseTo(0.75, 2)
  expect((Number(/H([\d.]+)/.exec(range?.getAttribute('d') ?? '')?.[1]) - MARGIN) / other).toBeCloseTo(0.9, 2)
  expect((startOf(svg.querySelector('path.aim')) - MARGIN) / other).toBeCloseTo(0.7, 2)
  expect(svg.querySelector('.missed')).toBeNull()
  expect(svg.documentElement.textContent).toContain('Ratio 0.80 (0.75 to 0.90); aim at least 0.7: reached')
})

it('a missed aim is drawn and said as missed', () => {
  const svg = draw(rowOf({ aim: { atLeast: 1 }, missed: 2 }))
  for (const element of ['rect.own.missed', 'path.aim.missed', 'text.missed'])
    expect(svg.querySelector(element)).not.toBeNull()
  const words = [...svg.querySelectorAll('text.missed')].map(({ textContent }) => textContent).join(' ')
  expect(words).toContain('MISSED in 2 of 3 runs')
})

it('has colours for both schemes, and the numbers for who does not see it', () => {
  const svg = draw(rowOf())
  expect(svg.querySelector('style')?.textContent).toContain('@media (prefers-color-scheme: dark)')
  expect(svg.documentElement.getAttribute('role')).toBe('img')
  expect(svg.querySelector('title')?.textContent).toContain('ours: 80, theirs: 100 requests/s.')
})

it('a tiny value is not shown as zero', () => {
  const svg = draw(rowOf({ own: 0.001, ratio: 0.00001, least: 0.00001, most: 0.000025, aim: undefined }))
  expect(svg.querySelector('text.value')?.textContent).toBe('0.001')
  expect(svg.documentElement.textContent).toContain('Ratio 0.00001 (0.00001 to 0.000025)')
})

const LONG = 'a name that nobody would choose, but a bench may have, <with> "every" & sign, '
it.each<readonly [string, Partial<Row>]>([
  ['zeros', { own: 0, other: 0, ratio: 0, least: 0, most: 0 }],
  ['a value of zero', { own: 0, other: 1_000, ratio: 0, least: 0, most: 0 }],
  ['a tiny value beside a huge one', { own: 0.001, other: 1e9, ratio: 1e-12, least: 1e-13, most: 1e-11 }],
  ['a huge value beside a tiny one', { own: 1e9, other: 0.001, ratio: 1e12, least: 1e11, most: 1e13 }],
  ['a range far beyond both', { least: 0.01, most: 40 }],
  ['an aim far beyond both', { aim: { atLeast: 100 }, missed: 3 }],
  ['an aim of zero', { aim: { atMost: 0 }, missed: 1, runs: 1 }],
  ['names and units of many words', { what: LONG.repeat(3), beside: LONG, unit: LONG }],
  ['a name of one word', { what: 'x'.repeat(200) }],
])('%s: everything is inside of the picture', (_what, change) => {
  const svg = draw(rowOf(change), rowOf())
  expectRoom(svg)
  const [own = 0] = barsOf(svg)
  expect(own > 0).toBe((change.own ?? 80) > 0)
})

describe('the committed figures', () => {
  const figures = JSON.parse(readFileSync('docs/bench/figures.json', 'utf8')) as Figures
  it.each(provenClaims(figures).map((proven) => [proven.id, proven] as const))(
    '%s is inside of its picture',
    (_id, proven) => {
      const svg = parse(drawClaim(proven))
      expectRoom(svg)
      expect(barsOf(svg).length).toBeGreaterThan(1)
    },
  )
})
