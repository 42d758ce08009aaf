import { codesOf, metricOfFigure, PAGE_FIGURES } from '@stagepass/contract'
import {
  AggregationTemporality,
  type Histogram,
  InMemoryMetricExporter,
  MeterProvider,
  PeriodicExportingMetricReader,
} from '@opentelemetry/sdk-metrics'
import { startStack } from '@stagepass/testing'
import type { Request } from 'express'
import { expect, it } from 'vitest'
import { instrument } from '../../otel.js'
import type { CommonOptions } from '../../settings/BffOptions.js'

const REPORTS = 10_000
const AT_ONCE = 50
/** One report in ten has a label of its own, and is refused. */
const REFUSED = REPORTS / 10

const NAMES = codesOf(PAGE_FIGURES)
const LIES = [-1e300, 1e300, 1e-300, -1, Number.MAX_SAFE_INTEGER, 12_345_678, 0.5, 31_000]

/** The nth report: two lies for each figure, others than those of the report before. */
function reportOf(nth: number): object {
  const lie = (index: number): number => LIES[index % LIES.length] ?? 0
  const figures = Object.fromEntries(
    NAMES.map((name, place) => [name, [lie(nth + place), lie(nth * 3 + place)]]),
  )
  return {
    engine: nth % 10 === 9 ? `engine ${nth}` : 'blink',
    network: '4g',
    products: { stt: { ...figures, drops: { close: 1e300 } } },
  }
}

it('S68 10,000 reports that lie move no histogram beyond its bounds, and make no new series', async () => {
  const exporter = new InMemoryMetricExporter(AggregationTemporality.CUMULATIVE)
  const reader = new PeriodicExportingMetricReader({ exporter, exportIntervalMillis: 3_600_000 })
  const meter = new MeterProvider({ readers: [reader] }).getMeter('test')
  const bff = { vitals: true, limits: { vitalsPerMinute: Infinity } } as unknown as CommonOptions<Request>
  await using stack = await startStack({ bff: instrument(bff, { meter }) })
  const statuses = new Map<number, number>()
  for (let first = 0; first < REPORTS; first += AT_ONCE)
    await Promise.all(
      Array.from({ length: AT_ONCE }, async (_, index) => {
        const { status } = await stack.fetch('/vitals', { json: reportOf(first + index) })
        statuses.set(status, (statuses.get(status) ?? 0) + 1)
      }),
    )
  expect(Object.fromEntries(statuses)).toEqual({ 204: REPORTS - REFUSED, 400: REFUSED })
  await reader.forceFlush()
  const all = exporter.getMetrics().flatMap(({ scopeMetrics }) => scopeMetrics.flatMap((one) => one.metrics))
  for (const name of NAMES) {
    const mostS = (PAGE_FIGURES[name].boundsMs.at(-1) ?? 0) / 1_000
    const points = all.find(({ descriptor }) => descriptor.name === metricOfFigure(name))?.dataPoints ?? []
    expect([name, points.length]).toEqual([name, 1])
    for (const { value } of points) {
      const { min = NaN, max = NaN, sum = NaN, count, buckets } = value as Histogram
      expect([name, count, buckets.counts.at(-1)]).toEqual([name, 2 * (REPORTS - REFUSED), 0])
      expect([min >= 0, max <= mostS, sum <= count * mostS]).toEqual([true, true, true])
    }
  }
})
