import {
  type Context,
  context as active,
  type Link,
  propagation,
  ROOT_CONTEXT,
  type Span,
  SpanKind,
  type SpanOptions,
  SpanStatusCode,
  trace,
  type Tracer,
} from '@opentelemetry/api'
import type { UpstreamOperation } from '../events/events.js'
import type {
  ObservedRequest,
  PartResult,
  PartSpan,
  RequestResult,
  RequestSpan,
  Telemetry,
  TelemetrySource,
} from '../events/Telemetry.js'
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

/** What is the same in each request of an operation. */
interface OperationSpan {
  readonly name: string
  readonly options: { readonly kind: SpanKind; readonly attributes: Attributes }
}

interface TracingOptions {
  readonly publicEndpoint: boolean
  readonly propagate: boolean
}

/**
 * A server span for each request, and in it a client span for each upstream request and a span for each wait
 * for the budget.
 */
export function createTracing(
  tracer: Tracer,
  recorder: Recorder,
  { publicEndpoint, propagate }: TracingOptions,
): Telemetry {
  let source: TelemetrySource | undefined
  const operations = new Map<UpstreamOperation, OperationSpan>()

  const spanOf = (operation: UpstreamOperation): OperationSpan => {
    let known = operations.get(operation)
    if (!known) {
      const method = METHODS[operation]
      const address = source?.addressOf(operation)
      const attributes: Attributes = {
        'http.request.method': method,
        'stagepass.operation': operation,
        ...(address && { 'server.address': address.hostname, 'server.port': portOf(address) }),
      }
      known = { name: `${method} ${operation}`, options: { kind: SpanKind.CLIENT, attributes } }
      operations.set(operation, known)
    }
    return known
  }

  const beginPart = (
    part: 'budget' | UpstreamOperation,
    startSpan: (name: string, options: SpanOptions) => Span,
  ): PartSpan => {
    const startedAt = performance.now()
    if (part === 'budget') {
      const span = startSpan('budget wait', {})
      return {
        end() {
          recorder.waited(secondsSince(startedAt))
          span.end()
        },
      }
    }
    const { name, options } = spanOf(part)
    const span = startSpan(name, options)
    return {
      headers: propagate ? traceparentOf(span) : undefined,
      end({ status, failure }: PartResult) {
        const error = failure ?? (status !== undefined && status >= 400 ? `${status}` : undefined)
        const attributes = { ...options.attributes }
        addResult(span, attributes, status, error)
        recorder.called(secondsSince(startedAt), attributes)
        finish(span, error !== undefined)
      },
    }
  }

  const requestSpan = (span: Span, within: Context, method: string): RequestSpan => {
    const startedAt = performance.now()
    // In a trace that is not recorded this span stands for its parts, which would cost an id and a question
    // to the sampler each.
    const startSpan = span.isRecording()
      ? (name: string, options: SpanOptions): Span => tracer.startSpan(name, options, within)
      : (): Span => span
    return {
      begin: (part) => beginPart(part, startSpan),
      end({ requestId, route, status, errorCode }: RequestResult) {
        const attributes: Attributes = { 'http.request.method': method }
        const path = PATHS[route] ?? (route === 'unknown' ? undefined : `/${route}`)
        if (path !== undefined) {
          attributes['http.route'] = path
          span.updateName(`${method} ${path}`).setAttribute('http.route', path)
        }
        addResult(span, attributes, status, errorCode ?? (status === undefined ? 'abandoned' : undefined))
        recorder.answered(secondsSince(startedAt), attributes)
        span.setAttribute('stagepass.request_id', requestId)
        // What the client did wrong is no error of the server.
        finish(span, status !== undefined && status >= 500)
      },
    }
  }

  return {
    start(bff) {
      source = bff
      recorder.observe(bff)
    },
    observe(request, run) {
      const method = KNOWN_METHODS.has(request.method) ? request.method : '_OTHER'
      const { parent, links } = callerOf(request, publicEndpoint)
      const options = { kind: SpanKind.SERVER, attributes: { 'http.request.method': method }, links }
      const span = tracer.startSpan(method, options, parent)
      const within = trace.setSpan(parent, span)
      return active.with(within, run, undefined, requestSpan(span, within, method))
    },
  }
}

/** What the request's span is a child of, and what it is linked to. */
function callerOf(request: ObservedRequest, publicEndpoint: boolean): { parent: Context; links: Link[] } {
  const parent = active.active()
  const traceparent = request.header('traceparent')
  // An instrumented host has a span already, and has read the headers.
  if (traceparent === undefined || trace.getSpan(parent)) return { parent, links: [] }
  const headers = { traceparent, tracestate: publicEndpoint ? undefined : request.header('tracestate') }
  const remote = propagation.extract(parent, headers, READ_HEADERS)
  if (!publicEndpoint) return { parent: remote, links: [] }
  // The span comes before the gate. As its parent, anyone could decide that it is recorded.
  const context = trace.getSpanContext(remote)
  return { parent, links: context ? [{ context }] : [] }
}

const READ_HEADERS = {
  get: (carrier: Readonly<Record<string, string | undefined>>, name: string) => carrier[name],
  keys: (carrier: object) => Object.keys(carrier),
}

/** The header of this name alone: `tracestate` and `baggage` may come from the browser. */
function traceparentOf(span: Span): { traceparent: string } | undefined {
  const headers: Record<string, string> = {}
  propagation.inject(trace.setSpan(ROOT_CONTEXT, span), headers)
  const { traceparent } = headers
  return traceparent === undefined ? undefined : { traceparent }
}

/** Adds the result to a span and to the attributes of its metric. */
function addResult(
  span: Span,
  attributes: Attributes,
  status: number | undefined,
  error: string | undefined,
): void {
  if (status !== undefined) {
    attributes['http.response.status_code'] = status
    span.setAttribute('http.response.status_code', status)
  }
  if (error !== undefined) {
    attributes['error.type'] = error
    span.setAttribute('error.type', error)
  }
}

function finish(span: Span, isError: boolean): void {
  if (isError) span.setStatus({ code: SpanStatusCode.ERROR })
  span.end()
}

const secondsSince = (startedAt: number): number => (performance.now() - startedAt) / 1_000

const portOf = ({ port, protocol }: URL): number =>
  port === '' ? (protocol === 'https:' || protocol === 'wss:' ? 443 : 80) : Number(port)
