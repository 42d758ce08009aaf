import { fail, oddFields, respond } from '@stagepass/emulator'
import { InMemorySpanExporter, NodeTracerProvider, SimpleSpanProcessor } from '@opentelemetry/sdk-trace-node'
import { startStack, type Stack } from '@stagepass/testing'
import { expect, it } from 'vitest'
import { instrument } from '../otel.js'
import { startInstrumented } from './otel/startInstrumented.test.kit.js'

const MINT = { json: { usage_type: 'stt' } }
/** The list of `telemetry/events.ts`. */
const WITHOUT_GRANT = ['gate.blocked', 'authorize.failed', 'login.refused', 'drain.started', 'drain.finished']

const grantOf = (stack: Stack, account: string, user = 'ada') => ({
  user,
  account,
  apiKey: stack.upstream.apiKey,
  products: ['stt', 'vt'] as const,
  usage: { minutesPerDay: { stt: 20 } },
  meetings: { credential: stack.upstream.meetingsCredential, ownership: 'mine' as const },
})

it('every event of a customer names its account, and the events of another never do', async () => {
  await using stack = await startStack({
    bff: { vitals: true, limits: { tokensPerMinute: 5, meetingsPerMinute: 8 }, meetings: { cacheMs: 0 } },
  })
  for (const account of ['acme', 'globex']) {
    stack.events.length = 0
    stack.grant = grantOf(stack, account)
    const mint = async () => (await stack.fetch('/session-token', MINT)).json()
    stack.upstream.use(fail('CACHE_UNAVAILABLE', { on: 'token', times: 1 }))
    const { usage_receipt: receipt } = (await mint()) as { usage_receipt: string }
    await stack.fetch('/usage', { json: { receipt, used_ms: 1 } })
    stack.upstream.use(fail('AUTH_API_KEY_EXPIRED', { on: 'token', times: 1 }))
    for (let left = 5; left > 0; left -= 1) await mint()
    await stack.fetch('/session-token', { json: { usage_type: 'tts' } })
    stack.upstream.use(oddFields({ title: {} }, { on: 'list', times: 1 }))
    await stack.fetch('/meetings')
    await stack.fetch('/meetings?ownership=shared')
    stack.upstream.use(
      respond({ status: 429, headers: { 'retry-after': '0' } }, { on: 'meetings', times: 1 }),
    )
    await stack.fetch('/meetings?q=1')
    for (let left = 8; left > 0; left -= 1) await stack.fetch('/tags')
    await stack.fetch('/vitals', {
      json: { engine: 'blink', network: '4g', products: { stt: { open: [1] } } },
    })
    const named = stack.events.filter(({ type }) => !WITHOUT_GRANT.includes(type))
    expect(new Set(named.map((event) => event.account))).toEqual(new Set([account]))
    const types = new Set(named.map(({ type }) => type))
    for (const type of [
      'grant.refused',
      'limit.exceeded',
      'token.minted',
      'usage.settled',
      'usage.exhausted',
    ])
      expect([type, types.has(type as never)]).toEqual([type, true])
    for (const type of ['upstream.retried', 'upstream.rate-limited', 'meeting.unreadable', 'secret.rejected'])
      expect([type, types.has(type as never)]).toEqual([type, true])
  }
})

it('a token that was minted is an event, with the id of its request and the number of its key', async () => {
  await using stack = await startStack()
  stack.grant = grantOf(stack, 'acme')
  const answer = (await (await stack.fetch('/session-token', MINT)).json()) as Record<string, unknown>
  const [minted] = stack.events.filter(({ type }) => type === 'token.minted')
  expect(minted).toEqual({
    type: 'token.minted',
    account: 'acme',
    requestId: expect.any(String) as unknown,
    user: 'ada',
    product: 'stt',
    minutes: 10,
    reqId: answer['req_id'],
    keyId: expect.any(Number) as unknown,
  })
  expect(answer['req_id']).toEqual(expect.any(String))
  expect(JSON.stringify(answer)).not.toContain('key_id')
})

it.each(['see https://support.example.com', 'a'.repeat(31), 7, undefined])(
  'the id %j of a request has not the form of one: it reaches no event and no page',
  async (req_id) => {
    await using stack = await startStack()
    const data = {
      session_key: 'st_0123456789abcdef0123456789',
      expires_at: '2099-01-01T00:00:00Z',
      key_id: 'seven',
      status: 'LICENSE_VALID',
      type: 'session',
      usage_type: 'stt',
    }
    const body = { code: 0, message: 'Success', data, req_id }
    stack.upstream.use(respond({ status: 200, body }, { on: 'token' }))
    const response = await stack.fetch('/session-token', MINT)
    expect(response.status).toBe(200)
    expect(await response.json()).not.toHaveProperty('req_id')
    const [minted] = stack.events.filter(({ type }) => type === 'token.minted')
    expect(minted).toMatchObject({ reqId: undefined, keyId: undefined, account: undefined })
  },
)

it('every span of a customer names its account', async () => {
  const spans = new InMemorySpanExporter()
  const tracer = new NodeTracerProvider({ spanProcessors: [new SimpleSpanProcessor(spans)] }).getTracer(
    'test',
  )
  await using stack = await startStack({ bff: instrument({} as never, { tracer }) })
  stack.grant = grantOf(stack, 'acme')
  await stack.fetch('/session-token', MINT)
  await stack.fetch('/meetings')
  const all = spans.getFinishedSpans().map(({ name, attributes }) => [name, attributes['stagepass.account']])
  expect(new Map(all as [string, unknown][])).toEqual(
    new Map([
      ['GET /meetings', 'acme'],
      ['GET meetings', 'acme'],
      ['POST /session-token', 'acme'],
      ['POST session-token', 'acme'],
      ['budget wait', 'acme'],
    ]),
  )
})

it('metrics name only the accounts that the host has listed', async () => {
  await using stack = await startInstrumented({}, { accounts: ['acme'] })
  for (const account of ['acme', 'globex']) {
    stack.grant = grantOf(stack, account)
    await stack.fetch('/session-token', MINT)
    await stack.fetch('/session-token', MINT)
    await stack.fetch('/session-token', MINT)
  }
  const counted = async (name: string) => (await stack.pointsOf(name)).filter(([, count]) => count > 0)
  expect(await counted('stagepass.tokens.minted')).toEqual([
    [{}, 2],
    [{ account: 'acme' }, 2],
  ])
  expect(await counted('stagepass.usage.exhausted')).toEqual([
    [{ product: 'stt' }, 1],
    [{ product: 'stt', account: 'acme' }, 1],
  ])
  const accounts = (await counted('http.server.request.duration')).map(([labels]) => labels['account'])
  expect(new Set(accounts)).toEqual(new Set(['acme', undefined]))
})

it('a line for the operator names the account', async () => {
  const lines: string[] = []
  const print = (line: string): void => void lines.push(line)
  await using stack = await startStack({ bff: { logger: { warn: print, error: print } } })
  stack.grant = grantOf(stack, 'acme')
  stack.upstream.use(oddFields({ title: {} }, { on: 'list' }))
  await stack.fetch('/meetings')
  expect(lines).toEqual([expect.stringMatching(/meeting\.unreadable.+\(account acme\)$/)])
})
