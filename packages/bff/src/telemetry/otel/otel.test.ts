import { context, propagation, SpanKind, trace } from '@opentelemetry/api'
import {
  AlwaysOffSampler,
  InMemorySpanExporter,
  NodeTracerProvider,
  ParentBasedSampler,
  type ReadableSpan,
  SimpleSpanProcessor,
} from '@opentelemetry/sdk-trace-node'
import { fail } from '@stagepass/emulator'
import type { Stack } from '@stagepass/testing'
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { startInstrumented } from './startInstrumented.test.kit.js'

// A real SDK, as an application would start it, with exporters that keep what they get.
const spans = new InMemorySpanExporter()
const provider = new NodeTracerProvider({ spanProcessors: [new SimpleSpanProcessor(spans)] })

beforeAll(() => provider.register())
beforeEach(() => spans.reset())
afterAll(async () => {
  await provider.shutdown()
  for (const api of [trace, context, propagation]) api.disable()
})

const named = (name: string): ReadableSpan => {
  const found = spans.getFinishedSpans().filter((span) => span.name === name)
  expect(found).toHaveLength(1)
  return found[0] as ReadableSpan
}
const idOf = (span: ReadableSpan): string => span.spanContext().spanId

it('a request is a span, with its upstream request and its wait for the budget in it', async () => {
  await using stack = await startInstrumented()
  expect((await stack.fetch('/meetings')).status).toBe(200)
  const [request, wait, call] = [named('GET /meetings'), named('budget wait'), named('GET meetings')]
  expect([wait.parentSpanContext?.spanId, call.parentSpanContext?.spanId]).toEqual([
    idOf(request),
    idOf(request),
  ])
  expect(request.attributes).toEqual({
    'http.request.method': 'GET',
    'http.route': '/meetings',
    'http.response.status_code': 200,
    'stagepass.request_id': expect.any(String),
  })
  const { hostname, port } = new URL(stack.upstream.meetingsUrl)
  expect(call.attributes).toMatchObject({
    'http.response.status_code': 200,
    'server.address': hostname,
    'server.port': Number(port),
  })
})

it('a call of server code is a span in the one that is active there', async () => {
  await using stack = await startInstrumented()
  const tracer = trace.getTracer('host')
  const user = stack.bff.as({ user: 'ada', meetings: stack.grant?.meetings })
  const job = await tracer.startActiveSpan('job', async (span) => {
    await user.meetings()
    span.end()
    return span
  })
  const [call, sent] = [named('GET /meetings'), named('GET meetings')]
  expect(call.kind).toBe(SpanKind.INTERNAL)
  expect(call.parentSpanContext?.spanId).toBe(job.spanContext().spanId)
  expect(sent.parentSpanContext?.spanId).toBe(idOf(call))
  expect(call.attributes).toMatchObject({ 'http.route': '/meetings', 'stagepass.via': 'server' })
  expect(await stack.pointsOf('http.server.request.duration')).toEqual([
    [expect.objectContaining({ 'http.route': '/meetings', 'stagepass.via': 'server' }), 1],
  ])
})

it('the work of authorize belongs to the request', async () => {
  const tracer = trace.getTracer('host')
  await using stack = await startInstrumented({
    authorize: () => tracer.startActiveSpan('look up the session', (span) => (span.end(), { user: 'ada' })),
  })
  await stack.fetch('/session-token', { json: { usage_type: 'stt' } })
  const lookup = named('look up the session')
  expect(lookup.parentSpanContext?.spanId).toBe(idOf(named('POST /session-token')))
})

describe('a traceparent that came with the request', () => {
  const TRACE_ID = '0af7651916cd43dd8448eb211c80319c'
  const SPAN_ID = 'b7ad6b7169203331'
  const RECORDED = `00-${TRACE_ID}-${SPAN_ID}-01`
  const NOT_RECORDED = `00-${TRACE_ID}-${SPAN_ID}-00`
  const mint = (traceparent: string, more: Record<string, string> = {}) => ({
    json: { usage_type: 'stt' },
    headers: { traceparent, ...more },
  })

  it('S52 is linked, and is not the parent', async () => {
    await using stack = await startInstrumented()
    await stack.fetch('/session-token', mint(RECORDED, { tracestate: 'vendor=of-the-browser' }))
    const request = named('POST /session-token')
    const { links, parentSpanContext } = request
    expect(links.map(({ context }) => [context.traceId, context.spanId])).toEqual([[TRACE_ID, SPAN_ID]])
    expect(links[0]?.context.traceState).toBeUndefined()
    expect(parentSpanContext).toBeUndefined()
    expect(request.spanContext().traceId).not.toBe(TRACE_ID)
  })

  it('S52 does not decide what is recorded, before or after the gate', async () => {
    const sampled = new InMemorySpanExporter()
    const quiet = new NodeTracerProvider({
      sampler: new ParentBasedSampler({ root: new AlwaysOffSampler() }),
      spanProcessors: [new SimpleSpanProcessor(sampled)],
    })
    await using silent = await startInstrumented({}, { tracer: quiet.getTracer('test') })
    for (const gate of ['0', '1']) await silent.fetch('/tags', mint(RECORDED, { 'x-stagepass': gate }))
    expect(sampled.getFinishedSpans()).toEqual([])

    await using stack = await startInstrumented()
    await stack.fetch('/session-token', mint(NOT_RECORDED))
    expect(named('POST /session-token').links).toHaveLength(1)
  })

  it('S52 is the parent if the host says that only its own systems can send it', async () => {
    await using stack = await startInstrumented({}, { publicEndpoint: false })
    await stack.fetch('/session-token', mint(RECORDED))
    expect(named('POST /session-token')).toMatchObject({
      links: [],
      parentSpanContext: { traceId: TRACE_ID, spanId: SPAN_ID, isRemote: true },
    })
    spans.reset()
    await stack.fetch('/session-token', mint(NOT_RECORDED))
    expect(spans.getFinishedSpans()).toEqual([])
    const [[labels, count] = []] = await stack.pointsOf('http.client.request.duration')
    expect([labels?.['http.response.status_code'], count]).toEqual([200, 2])
  })

  it('S52 changes nothing in an instrumented host, whose span is the parent', async () => {
    const tracer = trace.getTracer('host')
    await using stack = await startInstrumented()
    stack.intercept((_req, _res, next) => tracer.startActiveSpan('host', (span) => (next(), span.end())))
    await stack.fetch('/session-token', mint(RECORDED))
    expect(named('POST /session-token')).toMatchObject({
      links: [],
      parentSpanContext: { spanId: idOf(named('host')) },
    })
  })

  it.each(['no trace context', `00-${'0'.repeat(32)}-${SPAN_ID}-01`, ''])(
    'S52 %j is ignored',
    async (value) => {
      for (const publicEndpoint of [true, false]) {
        spans.reset()
        await using stack = await startInstrumented({}, { publicEndpoint })
        await stack.fetch('/session-token', mint(value))
        expect(named('POST /session-token')).toMatchObject({ links: [], parentSpanContext: undefined })
      }
    },
  )
})

describe('what the voice service gets', () => {
  const traceparent = '00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01'
  const fromPage = { traceparent, tracestate: 'vendor=of-the-browser', baggage: 'user.id=of-the-browser' }
  const sentTo = (stack: Stack) =>
    Object.entries(stack.upstream.requests.at(-1)?.headers ?? {}).filter(([name]) =>
      ['traceparent', 'tracestate', 'baggage'].includes(name),
    )

  it('S52 contains nothing of the trace, unless this is allowed', async () => {
    await using stack = await startInstrumented()
    await stack.fetch('/session-token', { json: { usage_type: 'stt' }, headers: fromPage })
    expect(sentTo(stack)).toEqual([])
  })

  it.each([
    ['a public endpoint', true, false],
    ['a parent', false, false],
    ['an instrumented host', true, true],
  ])('S52 is our traceparent alone: %s', async (_what, publicEndpoint, instrumented) => {
    await using stack = await startInstrumented({}, { publicEndpoint, propagate: true })
    // As with the instrumentation of a host, the context contains everything that the browser sent.
    if (instrumented)
      stack.intercept((req, _res, next) => {
        const remote = propagation.extract(context.active(), req.headers)
        trace.getTracer('host').startActiveSpan('host', {}, remote, (span) => (next(), span.end()))
      })
    await stack.fetch('/session-token', { json: { usage_type: 'stt' }, headers: fromPage })
    const call = named('POST session-token')
    expect(sentTo(stack)).toEqual([['traceparent', `00-${call.spanContext().traceId}-${idOf(call)}-01`]])
  })
})

it('an error has its code, and is an error of the server only from 500 on', async () => {
  await using stack = await startInstrumented()
  await stack.fetch('/session-token', { json: { usage_type: 'asr' } })
  expect(named('POST /session-token')).toMatchObject({
    status: { code: 0 },
    attributes: { 'error.type': 'VALIDATION_ERROR', 'http.response.status_code': 400 },
  })
  spans.reset()
  stack.upstream.use(fail('AUTH_NO_LICENSE', { on: 'token', times: 1 }))
  await stack.fetch('/session-token', { json: { usage_type: 'stt' } })
  expect(named('POST /session-token')).toMatchObject({
    status: { code: 2 },
    attributes: { 'error.type': 'AUTH_NO_LICENSE', 'http.response.status_code': 502 },
  })
})

it('counts requests, upstream requests, tokens, refusals and the budget', async () => {
  await using stack = await startInstrumented()
  await stack.fetch('/session-token', { json: { usage_type: 'stt' } })
  await stack.fetch('/meetings')
  await stack.fetch('/meetings')
  await stack.fetch('/tags', { headers: { 'x-stagepass': '0' } })
  const of = (name: string) => stack.pointsOf(name)
  expect(await of('http.server.request.duration')).toEqual([
    [{ 'http.request.method': 'POST', 'http.route': '/session-token', 'http.response.status_code': 200 }, 1],
    [{ 'http.request.method': 'GET', 'http.route': '/meetings', 'http.response.status_code': 200 }, 2],
    [
      { 'http.request.method': 'GET', 'http.response.status_code': 403, 'error.type': 'CROSS_SITE_BLOCKED' },
      1,
    ],
  ])
  expect(
    (await of('http.client.request.duration')).map(([labels, count]) => [
      labels['stagepass.operation'],
      count,
    ]),
  ).toEqual([
    ['session-token', 1],
    ['meetings', 1],
  ])
  expect(await of('stagepass.tokens.minted')).toEqual([[{}, 1]])
  expect(await of('stagepass.gate.blocked')).toEqual([[{ reason: 'header' }, 1]])
  expect(await of('stagepass.budget.limit')).toEqual([[{}, 25]])
  expect(await of('stagepass.budget.used')).toEqual([[{}, 1]])
  expect(await of('stagepass.meetings.saved')).toEqual([
    [{ how: 'shared' }, 0],
    [{ how: 'cached' }, 1],
  ])
})

it('no span and no label has a user, a key, a token or a query', async () => {
  await using stack = await startInstrumented({}, { propagate: true })
  stack.grant = { user: 'ada-the-user', meetings: { credential: stack.upstream.meetingsCredential } }
  const token = (await (await stack.fetch('/session-token', { json: { usage_type: 'stt' } })).json()) as {
    session_key: string
  }
  await stack.fetch('/meetings?q=a-secret-search')
  await stack.fetch('/handshake-check', { json: { usage_type: 'stt', session_key: token.session_key } })
  const seen = JSON.stringify([
    spans.getFinishedSpans().map(({ name, attributes, events }) => [name, attributes, events]),
    await stack.pointsOf('http.server.request.duration'),
    await stack.pointsOf('http.client.request.duration'),
    await stack.pointsOf('stagepass.handshakes.checked'),
  ])
  const { apiKey, meetingsCredential } = stack.upstream
  const secrets = [apiKey, meetingsCredential, token.session_key, 'ada-the-user', 'a-secret-search']
  expect(secrets.filter((secret) => seen.includes(secret))).toEqual([])
})
