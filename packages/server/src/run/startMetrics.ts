import type { Meter } from '@opentelemetry/api'
import { PrometheusExporter } from '@opentelemetry/exporter-prometheus'
import { MeterProvider } from '@opentelemetry/sdk-metrics'

export interface Metrics {
  readonly meter: Meter
  close(): Promise<void>
}

/** Metrics for Prometheus, at `/metrics` of a port of their own. Rejects if the port is in use. */
export async function startMetrics(host: string, port: number): Promise<Metrics> {
  const exporter = new PrometheusExporter({ host, port, preventServerStart: true })
  const provider = new MeterProvider({ readers: [exporter] })
  await exporter.startServer()
  return { meter: provider.getMeter('@stagepass/bff'), close: () => provider.shutdown() }
}
