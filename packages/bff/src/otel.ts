/**
 * Traces and metrics of the BFF, with OpenTelemetry.
 *
 * @module @stagepass/bff/otel
 */
import { type Meter, metrics, trace, type Tracer } from '@opentelemetry/api'
import type { CommonOptions } from './settings/BffOptions.js'
import { createMetrics } from './telemetry/otel/createMetrics.js'
import type { PageObjectives } from './telemetry/otel/createObjectives.js'
import { createTracing } from './telemetry/otel/createTracing.js'

export type { PageObjective, PageObjectives } from './telemetry/otel/createObjectives.js'

/** Second argument of `instrument`. */
export interface InstrumentOptions {
  /** Default: the tracer `@stagepass/bff` of the global provider. */
  readonly tracer?: Tracer | undefined
  /** Default: the meter `@stagepass/bff` of the global provider. */
  readonly meter?: Meter | undefined
  /**
   * `true`: anyone can send a `traceparent`, so the span of a request is only linked to it, and your sampler
   * decides whether it is recorded. `false`: the span is a child of it. Use `false` only if no one but your
   * own systems can send the header. Default true. No effect if the host is instrumented: then the span is a
   * child of the host's span.
   */
  readonly publicEndpoint?: boolean | undefined
  /**
   * Sends `traceparent` with requests to the voice service. It contains the BFF's own span and no data from
   * the browser. Default false, because a trace id tells another company which of your requests belong
   * together.
   */
  readonly propagate?: boolean | undefined
  /**
   * Accounts of grants whose names are a label of the metrics of requests, tokens, minutes and pages. Each
   * multiplies the series. Default: none.
   */
  readonly accounts?: readonly string[] | undefined
  /**
   * Objectives for the figures of pages, by figure: `{ firstText: { p95Ms: 800, target: 0.99 } }`. Counted are
   * the reports that meet them and those that do not, for alerts (docs/vitals.md). Default: none.
   */
  readonly vitals?: PageObjectives | undefined
}

const NAME = '@stagepass/bff'

/**
 * Adds traces and metrics of OpenTelemetry to the options of a BFF: `createBff(instrument({ … }))`. Needs
 * `@opentelemetry/api`. Records nothing until the application has started an SDK. `docs/observability.md`
 * lists the spans and metrics. None of them contains a user, a key or a query.
 */
export function instrument<TRequest>(
  options: CommonOptions<TRequest>,
  {
    tracer = trace.getTracer(NAME),
    meter = metrics.getMeter(NAME),
    publicEndpoint = true,
    propagate = false,
    accounts = [],
    vitals = {},
  }: InstrumentOptions = {},
): CommonOptions<TRequest> {
  const recorded = createMetrics(meter, { accounts, objectives: vitals })
  const { onEvent } = options
  return {
    ...options,
    telemetry: createTracing(tracer, recorded, { publicEndpoint, propagate }),
    onEvent: (event) => {
      recorded.count(event)
      return onEvent?.(event)
    },
  }
}
