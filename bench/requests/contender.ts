import { Agent, type RequestListener } from 'node:http'
import { getRequestListener } from '@hono/node-server'
import { type Meter, SpanKind, trace } from '@opentelemetry/api'
import { MeterProvider, PeriodicExportingMetricReader } from '@opentelemetry/sdk-metrics'
import { BatchSpanProcessor, NodeTracerProvider } from '@opentelemetry/sdk-trace-node'
import {
  type CommonOptions,
  createBff,
  type PartSpan,
  type RequestResult,
  type Telemetry,
} from '@stagepass/bff'
import { createBff as createFetchBff } from '@stagepass/bff/fetch'
import { instrument } from '@stagepass/bff/otel'
import express from 'express'
import { Hono } from 'hono'
import { createProxyMiddleware } from 'http-proxy-middleware'
import { Pool } from 'undici'
import { serve } from './serve.js'

/*
 * One way to keep a key on the server, in a separate process: `contender.ts <name> <upstream>`. Each responds
 * to POST /session-token.
 */

const KEY = 'sk_0123456789abcdef'
const TOKEN_PATH = '/v2/sdk/tokens/session'

const [name = '', upstream = ''] = process.argv.slice(2)

interface Envelope {
  data: { session_key: string; expires_at: string; usage_type: string; type: string; status: string }
}

/**
 * Stagepass as in its README: with gate, grant, limits and validation. Each request has another user, so that
 * no response can be shared.
 */
function voiceOptions(): CommonOptions<unknown> {
  let users = 0
  return {
    apiKey: KEY,
    baseUrl: upstream,
    streamingUrl: upstream.replace('http', 'ws'),
    authorize: async () => ({
      user: `user-${(users += 1) % 1_000}`,
      products: ['stt', 'vt'],
      maxTtlMinutes: 60,
    }),
    limits: { tokensPerMinute: 1_000_000 },
  }
}

const createVoice = () => createBff(voiceOptions())

const stagepass = (): RequestListener => createVoice()

// Exported data is discarded, because another process would handle it.
const done = (_: unknown, report: (result: { code: number }) => void): void => report({ code: 0 })

/** The real SDK for traces, started as in an application, with default settings. */
function startTraces(): void {
  const spanProcessors = [new BatchSpanProcessor({ export: done, shutdown: async () => {} })]
  new NodeTracerProvider({ spanProcessors }).register()
}

/** The real SDK for metrics, with a reader. */
function startMetrics(): Meter {
  const exporter = { export: done, shutdown: async () => {}, forceFlush: async () => {} }
  const reader = new PeriodicExportingMetricReader({
    exporter,
    exportIntervalMillis: 1_000,
    exportTimeoutMillis: 1_000,
  })
  return new MeterProvider({ readers: [reader] }).getMeter('bench')
}

function instrumented(): RequestListener {
  startTraces()
  return createBff(instrument(voiceOptions(), { meter: startMetrics() }))
}

/**
 * The same spans and durations with the least possible code for this one route, to measure the cost of the
 * SDK itself.
 */
function byHand(): RequestListener {
  startTraces()
  const meter = startMetrics()
  const tracer = trace.getTracer('bench')
  const server = meter.createHistogram('http.server.request.duration', { unit: 's' })
  const client = meter.createHistogram('http.client.request.duration', { unit: 's' })
  const tokens = meter.createCounter('stagepass.tokens.minted')
  const served = { 'http.request.method': 'POST', 'http.route': '/session-token' }
  const called = {
    'http.request.method': 'POST',
    'stagepass.operation': 'session-token',
    'server.address': '127.0.0.1',
    'server.port': Number(new URL(upstream).port),
  }
  const status = { 'http.response.status_code': 200 }

  const begin = (): PartSpan => {
    const startedAt = performance.now()
    const span = tracer.startSpan('POST session-token', { kind: SpanKind.CLIENT, attributes: called })
    return {
      end() {
        client.record((performance.now() - startedAt) / 1_000, { ...called, ...status })
        span.setAttributes(status).end()
      },
    }
  }
  const telemetry: Telemetry = {
    start: () => {},
    observe(_request, run) {
      const startedAt = performance.now()
      const options = { kind: SpanKind.SERVER, attributes: served }
      return tracer.startActiveSpan('POST /session-token', options, (span) => {
        const end = ({ requestId }: RequestResult): void => {
          tokens.add(1)
          server.record((performance.now() - startedAt) / 1_000, { ...served, ...status })
          span.setAttributes({ ...status, 'stagepass.request_id': requestId }).end()
        }
        return run({ begin, end })
      })
    },
  }
  return createBff({ ...voiceOptions(), telemetry })
}

const stagepassInExpress = (): RequestListener => express().use(createVoice())

function stagepassInHono(): RequestListener {
  const voice = createFetchBff(voiceOptions())
  return listenerOf(new Hono().all('/*', (context) => voice.fetch(context.req.raw)))
}

/** Hono's own server, as its `serve` starts it. */
const listenerOf = (app: Hono): RequestListener => {
  const listener = getRequestListener(app.fetch)
  return (req, res) => void listener(req, res)
}

/** The code that a developer would write by hand. */
function handWritten(): RequestListener {
  const app = express()
  app.use(express.json())
  app.post('/session-token', async (req, res) => {
    const { usage_type, expiration_ttl } = req.body as { usage_type: string; expiration_ttl: number }
    const response = await fetch(upstream + TOKEN_PATH, {
      method: 'POST',
      headers: { authorization: `api-key ${KEY}`, 'content-type': 'application/json' },
      body: JSON.stringify({ usage_type, expiration_ttl }),
    })
    const { data } = (await response.json()) as Envelope
    res.status(response.status).json({ session_key: data.session_key, expires_at: data.expires_at })
  })
  return app
}

function proxy(): RequestListener {
  const app = express()
  app.use(
    '/session-token',
    createProxyMiddleware({
      target: upstream + TOKEN_PATH,
      ignorePath: true,
      agent: new Agent({ keepAlive: true, maxSockets: 128 }),
      headers: { authorization: `api-key ${KEY}` },
    }),
  )
  return app
}

/** Sends a body to the upstream, and returns the text of the answer. */
function createBare(): (body: Buffer | string) => Promise<{ status: number; answer: string }> {
  const pool = new Pool(upstream, { connections: 128 })
  const headers = { authorization: `api-key ${KEY}`, 'content-type': 'application/json' }
  return async (sent) => {
    const { statusCode, body } = await pool.request({ method: 'POST', path: TOKEN_PATH, headers, body: sent })
    const { data } = (await body.json()) as Envelope
    const answer = JSON.stringify({ session_key: data.session_key, expires_at: data.expires_at })
    return { status: statusCode, answer }
  }
}

/** The practical limit: no framework, no check, no mapping. */
function bare(): RequestListener {
  const ask = createBare()
  return (req, res) => {
    const chunks: Buffer[] = []
    req.on('data', (chunk: Buffer) => chunks.push(chunk))
    req.on('end', () => {
      void ask(Buffer.concat(chunks)).then(({ status, answer }) => {
        res.writeHead(status, {
          'content-type': 'application/json',
          'content-length': Buffer.byteLength(answer),
        })
        res.end(answer)
      })
    })
  }
}

/** The practical limit of any handler of Hono's server. */
function bareInHono(): RequestListener {
  const ask = createBare()
  return listenerOf(
    new Hono().all('/*', async ({ req }) => {
      const { status, answer } = await ask(await req.raw.text())
      return new Response(answer, { status, headers: { 'content-type': 'application/json' } })
    }),
  )
}

const contenders: Record<string, () => RequestListener> = {
  stagepass,
  instrumented,
  byHand,
  stagepassInExpress,
  bareInExpress: () => express().use(bare()),
  stagepassInHono,
  handWritten,
  proxy,
  bare,
  bareInHono,
}
const listener = contenders[name]?.()
if (!listener) throw new Error(`There is no contender "${name}".`)
serve(listener)
