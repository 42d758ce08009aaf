import { type Meter, metrics, trace, type Tracer } from '@opentelemetry/api'
import type { CommonOptions } from '../settings/BffOptions.js'
import { createMetrics } from './createMetrics.js'
import { createTracing } from './createTracing.js'

/** Second argument of `instrument`. */
export interface InstrumentOptions {
  /** Default: the tracer `@stagepass/bff` of the global provider. */
  readonly tracer?: Tracer | undefined
  /** Default: the meter `@stagepass/bff` of the global provider. */
  readonly meter?: Meter | undefined
  /**
   * `true`: anyone can send a `traceparent`, so the span of a request is linked to it, and your sampler alone
   * decides if it is recorded. `false`: the span is its child. Use that only if nothing but your own systems
   * can send it. Default true. Has no effect if the host is instrumented: the span is then a child of the
   * host's span.
   */
  readonly publicEndpoint?: boolean | undefined
  /**
   * Sends `traceparent` with requests to the voice service: our own span, nothing that the browser sent.
   * Default false: a trace id tells another company which of your requests belong together.
   */
  readonly propagate?: boolean | undefined
}

const NAME = '@stagepass/bff'

/**
 * The options of a BFF, with traces and metrics by OpenTelemetry: `createBff(instrument({ … }))`. It needs
 * `@opentelemetry/api`, and shows nothing until the application has started an SDK. `docs/observability.md`
 * lists spans and metrics. None has a user, a key or a query.
 */
export function instrument<TRequest>(
  options: CommonOptions<TRequest>,
  {
    tracer = trace.getTracer(NAME),
    meter = metrics.getMeter(NAME),
    publicEndpoint = true,
    propagate = false,
  }: InstrumentOptions = {},
): CommonOptions<TRequest> {
  const recorded = createMetrics(meter)
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
