import type { Meter } from '@opentelemetry/api'
import {
  AggregationTemporality,
  InMemoryMetricExporter,
  MeterProvider,
  PeriodicExportingMetricReader,
} from '@opentelemetry/sdk-metrics'
import { type Stack, startStack, type StackOptions } from '@stagepass/testing'
import type { Request } from 'express'
import type { CommonOptions } from '../../settings/BffOptions.js'
import { instrument, type InstrumentOptions } from '../../otel.js'

interface Meters {
  readonly meter: Meter
  /** The points of a metric: its labels with its value, or with the count of a histogram. */
  readonly pointsOf: (name: string) => Promise<[Record<string, unknown>, number][]>
}

export function startMeters(): Meters {
  const exporter = new InMemoryMetricExporter(AggregationTemporality.CUMULATIVE)
  const reader = new PeriodicExportingMetricReader({ exporter, exportIntervalMillis: 3_600_000 })
  return {
    meter: new MeterProvider({ readers: [reader] }).getMeter('test'),
    async pointsOf(name) {
      exporter.reset()
      await reader.forceFlush()
      const all = exporter
        .getMetrics()
        .flatMap(({ scopeMetrics }) => scopeMetrics.flatMap(({ metrics }) => metrics))
      const points = all.find(({ descriptor }) => descriptor.name === name)?.dataPoints ?? []
      return points.map(({ attributes, value }): [Record<string, unknown>, number] => [
        attributes,
        typeof value === 'number' ? value : value.count,
      ])
    },
  }
}

/** A stack with metrics of a real SDK. */
export async function startInstrumented(
  bff: StackOptions['bff'] = {},
  options: InstrumentOptions = {},
): Promise<Stack & Pick<Meters, 'pointsOf'>> {
  const { meter, pointsOf } = startMeters()
  // The stack adds the rest of the options.
  const partial = bff as CommonOptions<Request>
  const stack = await startStack({ bff: instrument(partial, { meter, ...options }) })
  return Object.assign(stack, { pointsOf })
}
