import { respond, hang } from '@stagepass/emulator'
import { startStack } from '@stagepass/testing'
import { describe, expect, it, vi } from 'vitest'
import { virtualClock } from '@stagepass/testing/virtualClock'
import { type RawAnswer, rawRequest } from '../../rawRequest.test.kit.js'

const MINT = { json: { usage_type: 'stt' } }

describe('close', () => {
  it('refuses new work, finishes the requests in progress, and reports it in health', async () => {
    let release = (): void => undefined
    const held = new Promise<void>((resolve) => (release = resolve))
    await using stack = await startStack({ bff: { authorize: () => held.then(() => ({ user: 'ada' })) } })
    const running = stack.fetch('/session-token', MINT)
    await vi.waitFor(() => expect(stack.bff.gauge().inFlight).toBe(1))
    const closed = stack.bff.close()

    const refused = await stack.fetch('/session-token', MINT)
    expect(await refused.json()).toMatchObject({ status: 503, error_code: 'SHUTTING_DOWN', retryable: true })
    expect(refused.headers.get('retry-after')).toBe('1')
    expect(refused.headers.get('connection')).toBe('close')
    const health = await stack.fetch('/health')
    expect([health.status, await health.json()]).toEqual([
      503,
      { status: 'draining', reason: 'The server is shutting down.' },
    ])

    release()
    expect((await running).status).toBe(200)
    await closed
    expect(stack.events).toContainEqual({ type: 'drain.started', inFlight: 1 })
    expect(stack.events.at(-1)).toMatchObject({ type: 'drain.finished', aborted: 0 })
  })

  it('does not call authorize while it drains, and the gate still works', async () => {
    let asked = 0
    await using stack = await startStack({ bff: { authorize: () => ((asked += 1), null) } })
    await stack.bff.close()
    expect((await stack.fetch('/tags')).status).toBe(503)
    expect((await stack.fetch('/tags', { headers: { 'x-stagepass': '0' } })).status).toBe(403)
    expect(asked).toBe(0)
  })

  it('refuses requests that wait for a slot', async () => {
    await using stack = await startStack({ bff: { meetings: { reserve: 24 } } })
    await stack.fetch('/meetings')
    const waiting = stack.fetch('/meetings?limit=1')
    await vi.waitFor(() => expect(stack.bff.gauge().waiting).toBe(1))
    await stack.bff.close()
    expect(await (await waiting).json()).toMatchObject({ status: 503, error_code: 'SHUTTING_DOWN' })
  })

  it('cancels requests that do not finish within the deadline', async () => {
    const clock = virtualClock()
    await using stack = await startStack({ bff: { deadlineMs: 5_000, platform: { clock } } })
    stack.upstream.use(hang())
    const stuck = stack.fetch('/session-token', MINT)
    await vi.waitFor(() => expect(stack.upstream.requests).toHaveLength(1))
    clock.jump(1)
    // A request that arrived after the beginning of the drain would end after it; this one ends with it.
    const closed = stack.bff.close()
    await vi.waitFor(() => expect(stack.events.at(-1)).toMatchObject({ type: 'drain.started' }))
    await new Promise(setImmediate)
    clock.jump(5_000)
    await closed
    expect((await stuck).status).toBeGreaterThanOrEqual(503)
    await vi.waitFor(() => expect(stack.upstream.requests[0]?.aborted).toBe(true))
  })

  it('returns the same promise again, also with await using', async () => {
    await using stack = await startStack()
    const first = stack.bff.close()
    expect(stack.bff.close()).toBe(first)
    await first
    await stack.bff[Symbol.asyncDispose]()
  })
})

describe('events', () => {
  it('report a request, its upstream call and its user', async () => {
    await using stack = await startStack()
    await stack.fetch('/session-token', MINT)
    const requestId = expect.stringMatching(/^[\da-f-]{36}$/)
    expect(stack.events).toEqual([
      {
        type: 'upstream.called',
        requestId,
        operation: 'session-token',
        status: 200,
        durationMs: expect.any(Number),
      },
      {
        type: 'token.minted',
        requestId,
        user: 'ada',
        product: 'stt',
        minutes: 180,
        reqId: expect.any(String),
        keyId: expect.any(Number),
      },
      {
        type: 'request.finished',
        requestId,
        route: 'session-token',
        method: 'POST',
        status: 200,
        durationMs: expect.any(Number),
        user: 'ada',
      },
    ])
  })

  it('report which field was refused and which upstream request failed', async () => {
    await using stack = await startStack()
    await stack.fetch('/session-token', { json: { usage_type: 'x' } })
    expect(stack.events.at(-1)).toMatchObject({
      status: 400,
      errorCode: 'VALIDATION_ERROR',
      field: 'usage_type',
    })
    const ID = '0b9c2a54-1d3e-4f60-8a71-92b3c4d5e6f7'
    stack.upstream.use(respond({ status: 403, body: { error_code: 'BALANCE_EXHAUSTED', req_id: ID } }))
    await stack.fetch('/session-token', MINT)
    expect(stack.events.at(-1)).toMatchObject({ status: 403, errorCode: 'BALANCE_EXHAUSTED', reqId: ID })
  })

  it.each([
    [
      'throws',
      () => {
        throw new Error('logger down')
      },
    ],
    ['rejects', () => Promise.reject(new Error('logger down'))],
  ])('an onEvent that %s harms nothing', async (_what, onEvent) => {
    await using stack = await startStack({ bff: { onEvent } })
    expect((await stack.fetch('/session-token', MINT)).status).toBe(200)
    expect((await stack.fetch('/meetings')).status).toBe(200)
    expect((await stack.fetch('/nowhere')).status).toBe(404)
    await new Promise(setImmediate)
  })

  it('a fault of our own is 500 without details, and its cause is in the event', async () => {
    const broken = () => {
      throw new RangeError('clock broke: vk_secret')
    }
    let armed = false
    await using stack = await startStack({
      bff: { platform: { wallNow: () => (armed ? broken() : Date.now()) } },
    })
    armed = true
    stack.upstream.use(
      respond({ status: 503, body: { error_code: 'CACHE_UNAVAILABLE' }, headers: { date: 'never' } }),
    )
    const response = await stack.fetch('/session-token', MINT)
    const body = await response.text()
    expect(response.status).toBe(500)
    expect(JSON.parse(body)).toMatchObject({ error_code: 'INTERNAL_ERROR', retryable: false })
    expect(body).not.toContain('secret')
    const event = stack.events.at(-1)
    expect(event).toHaveProperty('cause.message', 'clock broke: vk_secret')
    expect(JSON.stringify(event)).not.toContain('secret')
  })
})

it('a response that the host sent itself is not changed', async () => {
  await using stack = await startStack({
    app: (app) =>
      app.use((_req, res, next) => {
        next()
        res.status(503).end('too slow')
      }),
    bff: { deadlineMs: 200 },
  })
  stack.upstream.use(hang())
  const response = await stack.fetch('/session-token', MINT)
  expect([response.status, await response.text()]).toEqual([503, 'too slow'])
  await vi.waitFor(() => expect(stack.events.at(-1)).toMatchObject({ type: 'request.abandoned' }))
  await vi.waitFor(() => expect(stack.bff.gauge().inFlight).toBe(0))
  expect((await stack.fetch('/health')).status).toBe(503)
})

describe('health', () => {
  it.each([
    ['healthy', 200],
    ['draining', 503],
  ])('answers HEAD like GET without a body: %s', async (state, status) => {
    await using stack = await startStack()
    if (state === 'draining') await stack.bff.close()
    const ask = (method: string) =>
      rawRequest(stack.origin, { method, path: '/api/voice/health', headers: { connection: 'close' } })
    const [get, head] = [await ask('GET'), await ask('HEAD')]
    const withoutDate = ({ headers: { date: _date, ...rest } }: RawAnswer) => rest
    expect([get.status, head.status, head.text]).toEqual([status, status, ''])
    expect(withoutDate(head)).toEqual(withoutDate(get))
    expect(head.headers['content-length']).toBe(String(Buffer.byteLength(get.text)))
  })

  it.each(['POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS'])('answers %s with 405', async (method) => {
    await using stack = await startStack()
    const { status, headers } = await rawRequest(stack.origin, { method, path: '/api/voice/health' })
    expect([status, headers.allow]).toEqual([405, 'GET, HEAD'])
  })
})

it('the gauge shows the budget, the saved requests and the requests in progress', async () => {
  await using stack = await startStack()
  await stack.fetch('/tags')
  expect(stack.bff.gauge()).toMatchObject({
    limit: 25,
    used: 1,
    waiting: 0,
    frozenMs: 0,
    inFlight: 0,
    saved: { shared: 0 },
  })
})
