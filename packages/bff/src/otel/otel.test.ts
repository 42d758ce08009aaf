import { context, propagation, trace } from '@opentelemetry/api'
import {
  InMemorySpanExporter,
  NodeTracerProvider,
  type ReadableSpan,
  SimpleSpanProcessor,
} from '@opentelemetry/sdk-trace-node'
import { fail } from '@stagepass/emulator'
import { afterAll, beforeAll, beforeEach, expect, it } from 'vitest'
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

it('what authorize does belongs to the request', async () => {
  const tracer = trace.getTracer('host')
  await using stack = await startInstrumented({
    authorize: () => tracer.startActiveSpan('look up the session', (span) => (span.end(), { user: 'ada' })),
  })
  await stack.fetch('/session-token', { json: { usage_type: 'stt' } })
  const lookup = named('look up the session')
  expect(lookup.parentSpanContext?.spanId).toBe(idOf(named('POST /session-token')))
})

it('the trace of the page goes on, and is not sent to the service unless that is allowed', async () => {
  const traceparent = '00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01'
  for (const propagate of [false, true]) {
    spans.reset()
    await using stack = await startInstrumented({}, { propagate })
    await stack.fetch('/session-token', { json: { usage_type: 'stt' }, headers: { traceparent } })
    const request = named('POST /session-token')
    expect(request.spanContext().traceId).toBe('0af7651916cd43dd8448eb211c80319c')
    expect(request.parentSpanContext?.spanId).toBe('b7ad6b7169203331')
    const sent = stack.upstream.requests.at(-1)?.headers['traceparent']
    const call = named('POST session-token')
    expect(sent).toBe(propagate ? `00-${call.spanContext().traceId}-${idOf(call)}-01` : undefined)
  }
})

it('a trace that the page does not record is not recorded here either, and its requests are counted', async () => {
  await using stack = await startInstrumented({}, { propagate: true })
  const traceparent = '00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-00'
  await stack.fetch('/session-token', { json: { usage_type: 'stt' }, headers: { traceparent } })
  expect(spans.getFinishedSpans()).toEqual([])
  const sent = stack.upstream.requests.at(-1)?.headers['traceparent']
  expect(sent).toMatch(/^00-0af7651916cd43dd8448eb211c80319c-[0-9a-f]{16}-00$/)
  const [[labels, count] = []] = await stack.pointsOf('http.client.request.duration')
  expect([labels?.['http.response.status_code'], count]).toEqual([200, 1])
})

it('an error has its code, and is the fault of the server only from 500 on', async () => {
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
