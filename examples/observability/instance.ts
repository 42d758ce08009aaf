import { metrics } from '@opentelemetry/api'
import { PrometheusExporter } from '@opentelemetry/exporter-prometheus'
import { MeterProvider } from '@opentelemetry/sdk-metrics'
import { createBff } from '@stagepass/bff'
import { instrument } from '@stagepass/bff/otel'
import express, { type Request } from 'express'
import { createClient } from 'redis'

/** One instance: a server with a BFF, and a port from which Prometheus reads its metrics. */
const { env } = process

// Anyone who reaches this port can read the metrics. Here that is this machine only.
const exporter = new PrometheusExporter({ host: '127.0.0.1', port: Number(env.METRICS_PORT) })
metrics.setGlobalMeterProvider(new MeterProvider({ readers: [exporter] }))

const redis = createClient({ url: env.REDIS_URL ?? 'redis://127.0.0.1', disableOfflineQueue: true })
// The event budget.store reports it.
redis.on('error', () => {})
await redis.connect()

const bff = createBff(
  instrument(
    {
      vitals: true,
      apiKey: env.VOICE_API_KEY,
      baseUrl: env.VOICE_BASE_URL,
      streamingUrl: env.VOICE_STREAMING_URL,
      meetings: { baseUrl: env.VOICE_MEETINGS_URL },
      // In place of a login, so that the load can come from many users.
      authorize: (req: Request) => ({
        user: req.get('x-user') ?? 'ada',
        meetings: { credential: env.VOICE_MEETINGS_TOKEN ?? '' },
      }),
      redis,
    },
    { vitals: { firstText: { p95Ms: 800, target: 0.99 } } },
  ),
)

const server = express().use('/api/voice', bff).listen(Number(env.PORT), '127.0.0.1')

process.once('SIGTERM', () => {
  void bff.close().finally(() => {
    server.close()
    redis.destroy()
    void exporter.shutdown()
  })
})
