import { describe, expect, it } from 'vitest'
import { codesOf } from './errors/ErrorRow.js'
import {
  boundFigure,
  LOST_REASONS,
  metricOfFigure,
  PAGE_FIGURES,
  type PageFigureName,
  VITALS_LIMITS,
} from './pageFigures.js'
import { PRODUCT_NAMES } from './service/products.js'
import { VitalsReport } from './schemas/vitals.js'

const NAMES = codesOf(PAGE_FIGURES)

it.each(NAMES)('the buckets of %s rise', (name) => {
  const bounds: readonly number[] = PAGE_FIGURES[name].boundsMs
  expect(bounds).toEqual([...new Set(bounds)].toSorted((a, b) => a - b))
})

it.each<[PageFigureName, number, number]>([
  ['firstText', 412.6, 413],
  ['firstText', -1, 0],
  ['firstText', 30_001, 30_000],
  ['queue', Infinity, 3_600_000],
  ['open', -Infinity, 0],
])('%s of %d ms counts as %d', (name, given, bounded) => {
  expect(boundFigure(name, given)).toBe(bounded)
})

it('names metrics as OpenTelemetry does', () => {
  expect(NAMES.map(metricOfFigure).join(' ')).toBe(
    'stagepass.page.open stagepass.page.open_to_text stagepass.page.first_text stagepass.page.final_text ' +
      'stagepass.page.heard stagepass.page.queue stagepass.page.resent stagepass.page.standstill',
  )
})

describe('S68 a report', () => {
  const report = (products: object, more: object = {}): unknown => ({
    engine: 'blink',
    network: '4g',
    products,
    ...more,
  })
  const accepts = (value: unknown): boolean => VitalsReport.safeParse(value).success

  it('has the numbers of products', () => {
    expect(accepts(report({}))).toBe(true)
    expect(accepts(report({ stt: { open: [120], firstText: [400.5, -3], drops: { stall: 1 } } }))).toBe(true)
  })

  it.each([
    ['text', report({ stt: { firstText: ['Hello'] } })],
    ['text as a reason', report({ stt: { drops: { 'Hello there': 1 } } })],
    ['text as a product', report({ 'Hello there': {} })],
    ['a text beside the numbers', report({ stt: { text: 'Hello' } })],
    ['an id', report({}, { user: 'ada' })],
    ['another engine', report({}, { engine: 'Mozilla/5.0' })],
    ['another network', report({}, { network: 'office' })],
    ['too many values', report({ stt: { open: Array.from({ length: VITALS_LIMITS.values + 1 }, () => 1) } })],
    ['no number', report({ stt: { open: [Infinity] } })],
  ])('has no %s', (_, value) => {
    expect(accepts(value)).toBe(false)
  })

  it('with all figures of a product is under 1 KB', () => {
    const figures = NAMES.map((name) => {
      const mostMs = PAGE_FIGURES[name].boundsMs.at(-1) ?? 0
      return [name, Array.from({ length: VITALS_LIMITS.values }, () => mostMs)]
    })
    const drops = Object.fromEntries(LOST_REASONS.map((reason) => [reason, VITALS_LIMITS.drops]))
    const full = report({ [PRODUCT_NAMES[0]]: { ...Object.fromEntries(figures), drops } })
    expect(accepts(full)).toBe(true)
    expect(JSON.stringify(full).length).toBeLessThan(VITALS_LIMITS.bytes)
  })
})
