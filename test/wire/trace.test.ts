import { context, propagation, trace } from '@opentelemetry/api'
import { InMemorySpanExporter, NodeTracerProvider, SimpleSpanProcessor } from '@opentelemetry/sdk-trace-node'
import type { BffOptions } from '@stagepass/bff'
import { instrument, type InstrumentOptions } from '@stagepass/bff/otel'
import { createVoiceClient, tagsOptions } from '@stagepass/react'
import { startStack } from '@stagepass/testing'
import { QueryClient } from '@tanstack/react-query'
import type { Request } from 'express'
import { afterAll, beforeAll, beforeEach, expect, it } from 'vitest'

// One SDK for both sides. They share only the header.
const spans = new InMemorySpanExporter()
const provider = new NodeTracerProvider({ spanProcessors: [new SimpleSpanProcessor(spans)] })
beforeAll(() => provider.register())
beforeEach(() => spans.reset())
afterAll(async () => {
  await provider.shutdown()
  for (const api of [trace, context, propagation]) api.disable()
})

/** The code of docs/observability.md. */
function traceHeaders(): Record<string, string> {
  const headers: Record<string, string> = {}
  propagation.inject(context.active(), headers)
  return headers
}

const startTraced = (options: InstrumentOptions = {}) =>
  startStack({ bff: instrument({} as BffOptions<Request>, options) })

/** Loads a list inside a span of the page. Resolves with that span, and with the BFF's. */
async function load(options?: InstrumentOptions) {
  await using stack = await startTraced(options)
  const voice = createVoiceClient({ url: stack.url, headers: traceHeaders })
  const page = await trace.getTracer('page').startActiveSpan('open the list', async (span) => {
    await new QueryClient().fetchQuery(tagsOptions(voice))
    span.end()
    return span.spanContext()
  })
  const request = spans.getFinishedSpans().find(({ name }) => name === 'GET /tags')
  expect(stack.upstream.requests).toHaveLength(1)
  expect(stack.upstream.requests[0]?.headers).not.toHaveProperty('traceparent')
  return { page, request }
}

it("the BFF links its span to the page's, and the voice service does not get it", async () => {
  const { page, request } = await load()
  expect(request?.links.map(({ context: { spanId } }) => spanId)).toEqual([page.spanId])
  expect(request?.spanContext().traceId).not.toBe(page.traceId)
})
