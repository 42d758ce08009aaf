import { codesOf, LOST_REASONS, metricOfFigure, PAGE_FIGURES, PRODUCT_NAMES } from '@stagepass/contract'
import {
  AggregationTemporality,
  type Histogram,
  InMemoryMetricExporter,
  MeterProvider,
  PeriodicExportingMetricReader,
} from '@opentelemetry/sdk-metrics'
import { startStack } from '@stagepass/testing'
import { describe, expect, it } from 'vitest'
import type { CommonOptions } from '../../settings/BffOptions.js'
import { instrument, type PageObjectives } from '../../otel.js'
import { startInstrumented } from './startInstrumented.test.kit.js'
import type { Request } from 'express'

const report = (products: object) => ({ engine: 'blink', network: '4g', products })
const NAMES = codesOf(PAGE_FIGURES)

it('each figure is a histogram in seconds, by product, engine and network', async () => {
  await using stack = await startInstrumented({ vitals: true })
  await stack.fetch('/vitals', { json: report({ stt: { firstText: [300, 900], open: [20] } }) })
  const labels = { product: 'stt', engine: 'blink', network: '4g' }
  expect(await stack.pointsOf('stagepass.page.first_text')).toEqual([[labels, 2]])
  expect(await stack.pointsOf('stagepass.page.open')).toEqual([[labels, 1]])
})

it('counts lost connections by product and reason, from 0', async () => {
  await using stack = await startInstrumented({ vitals: true })
  const all = await stack.pointsOf('stagepass.page.drops')
  expect(all).toHaveLength(PRODUCT_NAMES.length * LOST_REASONS.length)
  expect(all.every(([, count]) => count === 0)).toBe(true)
  await stack.fetch('/vitals', { json: report({ vt: { drops: { stall: 2 } } }) })
  const counted = (await stack.pointsOf('stagepass.page.drops')).filter(([, count]) => count > 0)
  expect(counted).toEqual([[{ product: 'vt', reason: 'stall' }, 2]])
})

it('an account is a label only if the host has listed it', async () => {
  await using stack = await startInstrumented({ vitals: true }, { accounts: ['acme'] })
  const apiKey = 'a key of a customer with 40 characters'
  for (const account of ['acme', 'globex']) {
    stack.grant = { user: 'ada', account, apiKey }
    await stack.fetch('/vitals', { json: report({ stt: { open: [20] } }) })
  }
  const labels = { product: 'stt', engine: 'blink', network: '4g' }
  expect(await stack.pointsOf('stagepass.page.open')).toEqual([
    [{ ...labels, account: 'acme' }, 1],
    [labels, 1],
  ])
})

it('S68 1,000 reports that lie move no histogram beyond its bounds, and make no new series', async () => {
  const exporter = new InMemoryMetricExporter(AggregationTemporality.CUMULATIVE)
  const reader = new PeriodicExportingMetricReader({ exporter, exportIntervalMillis: 3_600_000 })
  const meter = new MeterProvider({ readers: [reader] }).getMeter('test')
  const bff = { vitals: true, limits: { vitalsPerMinute: Infinity } } as unknown as CommonOptions<Request>
  await using stack = await startStack({ bff: instrument(bff, { meter }) })
  const lies = [-1e300, 1e300, 1e-300, -1, Number.MAX_SAFE_INTEGER, 12_345_678, 0.5, 31_000]
  const figures = Object.fromEntries(NAMES.map((name, nth) => [name, [lies[nth % 8], lies[(nth + 1) % 8]]]))
  const sent = { json: report({ stt: { ...figures, drops: { close: 1e300 } } }) }
  const REPORTS = 1_000
  for (let left = REPORTS; left > 0; left -= 50)
    await Promise.all(Array.from({ length: 50 }, () => stack.fetch('/vitals', sent)))
  await reader.forceFlush()
  const all = exporter.getMetrics().flatMap(({ scopeMetrics }) => scopeMetrics.flatMap((one) => one.metrics))
  for (const name of NAMES) {
    const mostS = (PAGE_FIGURES[name].boundsMs.at(-1) ?? 0) / 1_000
    const points = all.find(({ descriptor }) => descriptor.name === metricOfFigure(name))?.dataPoints ?? []
    expect([name, points.length]).toEqual([name, 1])
    for (const { value } of points) {
      const { min = NaN, max = NaN, sum = NaN, count, buckets } = value as Histogram
      expect([name, count, buckets.counts.at(-1)]).toEqual([name, 2 * REPORTS, 0])
      expect([min >= 0, max <= mostS, sum <= count * mostS]).toEqual([true, true, true])
    }
  }
})

describe('objectives', () => {
  const vitals = { firstText: { p95Ms: 800, target: 0.99 } }

  it('count the reports that meet them, and those that do not, from 0', async () => {
    await using stack = await startInstrumented({ vitals: true }, { vitals })
    const counts = async () =>
      (await stack.pointsOf('stagepass.page.objective.reports')).map(([labels, count]) => [labels, count])
    const [met, missed] = [true, false].map((met) => ({ figure: 'firstText', met }))
    expect(await counts()).toEqual([
      [met, 0],
      [missed, 0],
    ])
    for (const firstText of [[800], [100, 200, 801], [100, 200, 300]])
      await stack.fetch('/vitals', { json: report({ stt: { firstText } }) })
    // A report without the figure says nothing about it.
    await stack.fetch('/vitals', { json: report({ stt: { open: [9_000] } }) })
    expect(await counts()).toEqual([
      [met, 2],
      [missed, 1],
    ])
    expect(await stack.pointsOf('stagepass.page.objective.target')).toEqual([[{ figure: 'firstText' }, 0.99]])
  })

  it.each([
    [{ firstWord: { p95Ms: 800, target: 0.99 } }, '"vitals" has no figure "firstWord". Use only: open,'],
    [{ firstText: { p95Ms: 800, target: 1 } }, '"vitals.firstText" is not an objective.'],
    [{ firstText: { p95Ms: 0, target: 0.9 } }, '"vitals.firstText" is not an objective.'],
    [{ firstText: { p95Ms: '800', target: Number.NaN } }, '"vitals.firstText" is not an objective.'],
  ])('%j throws a sentence with its remedy', (wrong, sentence) => {
    const given = wrong as unknown as PageObjectives
    const options = {} as CommonOptions<Request>
    expect(() => instrument(options, { vitals: given })).toThrow(`Failed to instrument the BFF: ${sentence}`)
  })
})
