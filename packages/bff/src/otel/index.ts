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
   * Sends the trace's context (`traceparent`) with requests to the voice service. Default false: a trace id tells another company which of your
   * requests belong together.
   */
  readonly propagate?: boolean | undefined
}

const NAME = '@stagepass/bff'

/**
 * The options of a BFF, with traces and metrics by OpenTelemetry: `createBff(instrument({ … }))`. It needs `@opentelemetry/api`, and shows nothing
 * until the application has started an SDK. `docs/observability.md` lists spans and metrics. None has a user, a key or a query.
 */
export function instrument<TRequest>(
  options: CommonOptions<TRequest>,
  {
    tracer = trace.getTracer(NAME),
    meter = metrics.getMeter(NAME),
    propagate = false,
  }: InstrumentOptions = {},
): CommonOptions<TRequest> {
  const recorder = createMetrics(meter)
  const { onEvent } = options
  return {
    ...options,
    telemetry: createTracing(tracer, recorder, propagate),
    onEvent: (event) => {
      recorder.count(event)
      return onEvent?.(event)
    },
  }
}
