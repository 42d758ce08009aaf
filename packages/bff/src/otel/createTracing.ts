import {
  context as active,
  propagation,
  type Span,
  SpanKind,
  SpanStatusCode,
  trace,
  type Tracer,
} from '@opentelemetry/api'
import type { UpstreamOperation } from '../context/events.js'
import type {
  PartResult,
  PartSpan,
  RequestResult,
  RequestSpan,
  Telemetry,
  TelemetrySource,
} from '../context/Telemetry.js'
import type { Recorder } from './createMetrics.js'

/** Paths of the routes whose name is not their path. */
const PATHS: Readonly<Record<string, string>> = { meeting: '/meetings/:id' }

const METHODS: Readonly<Record<UpstreamOperation, string>> = {
  'session-token': 'POST',
  meetings: 'GET',
  meeting: 'GET',
  tags: 'GET',
  handshake: 'GET',
}

/** The names of HTTP's methods. A span has no other: anyone can invent one. */
const KNOWN_METHODS = new Set([
  'GET',
  'HEAD',
  'POST',
  'PUT',
  'DELETE',
  'OPTIONS',
  'PATCH',
  'TRACE',
  'CONNECT',
])

type Attributes = Record<string, string | number>

/** A server span for each request, and in it a client span for each upstream request and a span for each wait for the budget. */
export function createTracing(tracer: Tracer, recorder: Recorder, propagate: boolean): Telemetry {
  let source: TelemetrySource | undefined

  const beginPart = (part: 'budget' | UpstreamOperation, parent: Span): PartSpan => {
    const within = trace.setSpan(active.active(), parent)
    const startedAt = performance.now()
    if (part === 'budget') {
      const span = tracer.startSpan('budget wait', {}, within)
      return {
        end() {
          recorder.waited(secondsSince(startedAt))
          span.end()
        },
      }
    }
    const address = source?.addressOf(part)
    const attributes: Attributes = {
      'http.request.method': METHODS[part],
      'stagepass.operation': part,
      ...(address && { 'server.address': address.hostname, 'server.port': portOf(address) }),
    }
    const span = tracer.startSpan(`${METHODS[part]} ${part}`, { kind: SpanKind.CLIENT, attributes }, within)
    return {
      headers: propagate ? headersOf(trace.setSpan(within, span)) : undefined,
      end({ status, failure }: PartResult) {
        const results = resultsOf(
          status,
          failure ?? (status !== undefined && status >= 400 ? `${status}` : undefined),
        )
        recorder.called(secondsSince(startedAt), { ...attributes, ...results })
        finish(span, results)
      },
    }
  }

  const requestSpan = (span: Span, method: string): RequestSpan => {
    const startedAt = performance.now()
    return {
      begin: (part) => beginPart(part, span),
      end({ requestId, route, status, errorCode }: RequestResult) {
        const path = PATHS[route] ?? (route === 'unknown' ? undefined : `/${route}`)
        if (path !== undefined) span.updateName(`${method} ${path}`)
        const results: Attributes = {
          ...(path !== undefined && { 'http.route': path }),
          ...resultsOf(status, errorCode ?? (status === undefined ? 'abandoned' : undefined)),
        }
        recorder.answered(secondsSince(startedAt), { 'http.request.method': method, ...results })
        span.setAttribute('stagepass.request_id', requestId)
        // What the client did wrong is no error of the server.
        finish(span, results, status !== undefined && status >= 500)
      },
    }
  }

  return {
    start(bff) {
      source = bff
      recorder.observe(bff)
    },
    observe(request, run) {
      const carrier = { traceparent: request.header('traceparent'), tracestate: request.header('tracestate') }
      const method = KNOWN_METHODS.has(request.method) ? request.method : '_OTHER'
      // An instrumented host has a span already, and has read the headers.
      const parent = trace.getActiveSpan()
        ? active.active()
        : propagation.extract(active.active(), carrier, READ_HEADERS)
      const options = { kind: SpanKind.SERVER, attributes: { 'http.request.method': method } }
      return tracer.startActiveSpan(method, options, parent, (span) => run(requestSpan(span, method)))
    },
  }
}

const READ_HEADERS = {
  get: (carrier: Readonly<Record<string, string | undefined>>, name: string) => carrier[name],
  keys: (carrier: object) => Object.keys(carrier),
}

function headersOf(within: ReturnType<typeof active.active>): Record<string, string> {
  const headers: Record<string, string> = {}
  propagation.inject(within, headers)
  return headers
}

const resultsOf = (status: number | undefined, failure: string | undefined): Attributes => ({
  ...(status !== undefined && { 'http.response.status_code': status }),
  ...(failure !== undefined && { 'error.type': failure }),
})

function finish(span: Span, results: Attributes, isError = results['error.type'] !== undefined): void {
  span.setAttributes(results)
  if (isError) span.setStatus({ code: SpanStatusCode.ERROR })
  span.end()
}

const secondsSince = (startedAt: number): number => (performance.now() - startedAt) / 1_000

const portOf = ({ port, protocol }: URL): number =>
  port === '' ? (protocol === 'https:' || protocol === 'wss:' ? 443 : 80) : Number(port)
