import {
  type Attributes,
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
import type { UpstreamOperation } from '../events.js'
import type { ObservedRequest, PartSpan, RequestSpan, Telemetry } from '../Telemetry.js'
import type { Metrics } from './createMetrics.js'
import { describeOperations, methodOf, type Operations, pathOf, viaLabel } from './labels.js'

interface TracingOptions {
  readonly publicEndpoint: boolean
  readonly propagate: boolean
}

/**
 * Creates a server span for each request, with a client span for each upstream request and a span for each
 * wait for the budget.
 */
export function createTracing(
  tracer: Tracer,
  metrics: Metrics,
  { publicEndpoint, propagate }: TracingOptions,
): Telemetry {
  let operations: Operations | undefined

  const beginPart = (
    part: 'budget' | UpstreamOperation,
    account: string | undefined,
    startSpan: (name: string, options: SpanOptions) => Span,
  ): PartSpan => {
    if (part === 'budget') {
      const startedAt = performance.now()
      const span = startSpan('budget wait', { attributes: accountAttribute(account) })
      return {
        end() {
          metrics.waited((performance.now() - startedAt) / 1_000)
          span.end()
        },
      }
    }
    const { name, attributes } = operations?.[part] ?? { name: part, attributes: {} }
    const span = startSpan(name, {
      kind: SpanKind.CLIENT,
      attributes: { ...attributes, ...accountAttribute(account) },
    })
    return {
      headers: propagate ? traceparentOf(span) : undefined,
      end({ status, failure }) {
        const error = failure ?? (status !== undefined && status >= 400 ? `${status}` : undefined)
        finish(span, status, error, error !== undefined)
      },
    }
  }

  const requestSpan = (span: Span, within: Context, method: string): RequestSpan => {
    // If the trace is not recorded, this span is also used for its parts. Otherwise each part would cost an
    // id and a call of the sampler.
    const startSpan = span.isRecording()
      ? (name: string, options: SpanOptions): Span => tracer.startSpan(name, options, within)
      : (): Span => span
    return {
      begin: (part, account) => beginPart(part, account, startSpan),
      end({ requestId, route, account, status, errorCode }) {
        const path = pathOf(route)
        if (path !== undefined) span.updateName(`${method} ${path}`).setAttribute('http.route', path)
        span.setAttributes({ 'stagepass.request_id': requestId, ...accountAttribute(account) })
        const error = errorCode ?? (status === undefined ? 'abandoned' : undefined)
        // A mistake of the client is not an error of the server.
        finish(span, status, error, status !== undefined && status >= 500)
      },
    }
  }

  return {
    start(bff) {
      operations = describeOperations(bff)
      metrics.observe(bff)
    },
    observe(request, run) {
      const method = methodOf(request.method)
      const { parent, links } = callerOf(request, publicEndpoint)
      const options = {
        // A call of server code has no HTTP. Its span is a child of the one that is active there.
        kind: request.via === 'server' ? SpanKind.INTERNAL : SpanKind.SERVER,
        attributes: { 'http.request.method': method, ...viaLabel(request) },
        links,
      }
      const span = tracer.startSpan(method, options, parent)
      const within = trace.setSpan(parent, span)
      return active.with(within, run, undefined, requestSpan(span, within, method))
    },
  }
}

const accountAttribute = (account: string | undefined): Attributes =>
  account === undefined ? {} : { 'stagepass.account': account }

/** The parent of the request's span, and its links. */
function callerOf(request: ObservedRequest, publicEndpoint: boolean): { parent: Context; links: Link[] } {
  const parent = active.active()
  const traceparent = request.header('traceparent')
  // An instrumented host already has a span and has read the headers.
  if (traceparent === undefined || trace.getSpan(parent)) return { parent, links: [] }
  const headers = { traceparent, tracestate: publicEndpoint ? undefined : request.header('tracestate') }
  const remote = propagation.extract(parent, headers)
  if (!publicEndpoint) return { parent: remote, links: [] }
  // The span begins before the gate. If the given context were its parent, any client could decide that it is
  // recorded.
  const context = trace.getSpanContext(remote)
  return { parent, links: context ? [{ context }] : [] }
}

/** Only this header, because `tracestate` and `baggage` may come from the browser. */
function traceparentOf(span: Span): { traceparent: string } | undefined {
  const headers: Record<string, string> = {}
  propagation.inject(trace.setSpan(ROOT_CONTEXT, span), headers)
  const { traceparent } = headers
  return traceparent === undefined ? undefined : { traceparent }
}

function finish(span: Span, status: number | undefined, error: string | undefined, isError: boolean): void {
  const attributes: Attributes = {}
  if (status !== undefined) attributes['http.response.status_code'] = status
  if (error !== undefined) attributes['error.type'] = error
  span.setAttributes(attributes)
  if (isError) span.setStatus({ code: SpanStatusCode.ERROR })
  span.end()
}
