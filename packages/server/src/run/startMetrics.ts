import type { CommonOptions } from '@stagepass/bff'
import type { PageObjectives } from '@stagepass/bff/otel'

export interface Metrics {
  /** The options of a BFF, with metrics. Throws if an objective is wrong. */
  readonly instrument: <TRequest>(
    options: CommonOptions<TRequest>,
    vitals: PageObjectives | undefined,
  ) => CommonOptions<TRequest>
  close(): Promise<void>
}

/** Serves metrics for Prometheus at `/metrics` on a separate port. Rejects if the port is in use. */
export async function startMetrics(host: string, port: number): Promise<Metrics> {
  // Loaded only if metrics are used.
  const [{ PrometheusExporter }, { MeterProvider }, { instrument }] = await Promise.all([
    import('@opentelemetry/exporter-prometheus'),
    import('@opentelemetry/sdk-metrics'),
    import('@stagepass/bff/otel'),
  ])
  const exporter = new PrometheusExporter({ host, port, preventServerStart: true })
  const provider = new MeterProvider({ readers: [exporter] })
  await exporter.startServer()
  const meter = provider.getMeter('@stagepass/bff')
  return {
    instrument: (options, vitals) => instrument(options, { meter, vitals }),
    close: () => provider.shutdown(),
  }
}
