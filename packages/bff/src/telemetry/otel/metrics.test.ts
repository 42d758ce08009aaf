import { respond, fail, hang } from '@stagepass/emulator'
import { startRedis, startStack } from '@stagepass/testing'
import { describe, expect, it, vi } from 'vitest'
import { virtualClock } from '@stagepass/testing/virtualClock'
import { instrument } from '../../otel.js'
import { startInstrumented, startMeters } from './startInstrumented.test.kit.js'
import { rawRequest } from '../../rawRequest.test.kit.js'

const MINT = { json: { usage_type: 'stt' } }

const OPTIONS = {
  baseUrl: 'https://api.example.com',
  streamingUrl: 'wss://stream.example.com',
  authorize: () => null,
}

/** The points that are not zero. */
const counted = (points: readonly [Record<string, unknown>, number][]) =>
  points.filter(([, count]) => count > 0)

it('counts requests without a slot, by reason', async () => {
  const clock = virtualClock()
  await using stack = await startInstrumented({
    meetings: { reserve: 24 },
    deadlineMs: 3_000,
    platform: { clock },
  })
  expect((await stack.fetch('/meetings')).status).toBe(200)
  // The next slot is free after five seconds.
  expect((await stack.fetch('/meetings?limit=1')).status).toBe(503)
  expect(counted(await stack.pointsOf('stagepass.budget.refused'))).toEqual([[{ reason: 'too-late' }, 1]])
})

it('counts the pauses after a 429', async () => {
  await using stack = await startInstrumented({ deadlineMs: 1_000 })
  stack.upstream.use(respond({ status: 429, headers: { 'retry-after': '60' } }, { on: 'meetings' }))
  expect((await stack.fetch('/meetings')).status).toBe(503)
  expect(await stack.pointsOf('stagepass.budget.freezes')).toEqual([[{}, 1]])
})

it('counts the secrets that the service refused, by secret and reason', async () => {
  await using stack = await startInstrumented()
  stack.upstream.use(fail('AUTH_API_KEY_EXPIRED', { on: 'token', times: 1 }))
  await stack.fetch('/session-token', MINT)
  stack.grant = { user: 'ada', meetings: { credential: 'an old one' } }
  await stack.fetch('/meetings')
  expect(counted(await stack.pointsOf('stagepass.secrets.rejected'))).toEqual([
    [{ secret: 'apiKey', 'error.type': 'AUTH_API_KEY_EXPIRED' }, 1],
    [{ secret: 'meetings.credential', 'error.type': 'MEETINGS_CREDENTIAL_REJECTED' }, 1],
  ])
})

it('a refused secret is 1 until the service accepts it again', async () => {
  await using stack = await startInstrumented()
  const refused = () => stack.pointsOf('stagepass.secrets.refused')
  const [none, key, both] = [
    [0, 0],
    [1, 0],
    [1, 1],
  ].map(([apiKey, credential]) => [
    [{ secret: 'apiKey' }, apiKey],
    [{ secret: 'meetings.credential' }, credential],
  ])
  expect(await refused()).toEqual(none)
  stack.upstream.use(fail('AUTH_API_KEY_INVALID', { on: 'token', times: 1 }))
  await stack.fetch('/session-token', MINT)
  expect(await refused()).toEqual(key)
  const { grant } = stack
  stack.grant = { user: 'ada', meetings: { credential: 'an old one' } }
  await stack.fetch('/meetings')
  expect(await refused()).toEqual(both)
  stack.grant = grant
  await stack.fetch('/meetings')
  expect(await refused()).toEqual(key)
  await stack.fetch('/session-token', MINT)
  expect(await refused()).toEqual(none)
})

it('counts the handshake checks, by the result of the service', async () => {
  await using stack = await startInstrumented()
  const token = (await (await stack.fetch('/session-token', MINT)).json()) as { session_key: string }
  for (const session_key of [token.session_key, 'not-a-token'])
    await stack.fetch('/handshake-check', { json: { usage_type: 'stt', session_key } })
  expect(await stack.pointsOf('stagepass.handshakes.checked')).toEqual([
    [{ result: 'ok' }, 1],
    [{ result: 'unauthorized' }, 1],
  ])
})

it('S46 counts the minutes of users by product, and never by user', async () => {
  await using stack = await startInstrumented()
  stack.grant = { user: 'ada', usage: { minutesPerDay: 10 } }
  const { usage_receipt } = (await (await stack.fetch('/session-token', MINT)).json()) as {
    usage_receipt: string
  }
  expect((await stack.fetch('/session-token', MINT)).status).toBe(403)
  await stack.fetch('/usage', { json: { receipt: usage_receipt, used_ms: 0 } })
  for (const [labels] of await stack.pointsOf('stagepass.usage.used'))
    expect(Object.keys(labels).toSorted()).toEqual(['by', 'product'])
  expect(counted(await stack.pointsOf('stagepass.usage.exhausted'))).toEqual([[{ product: 'stt' }, 1]])
})

it('counters exist from the start, so that their first increase can be seen', async () => {
  await using stack = await startInstrumented()
  const names = ['stagepass.tokens.minted', 'stagepass.budget.freezes', 'stagepass.budget.refused']
  for (const name of [...names, 'stagepass.secrets.rejected']) {
    const points = await stack.pointsOf(name)
    expect([name, points.length > 0, counted(points)]).toEqual([name, true, []])
  }
})

it('the gauge of a lost Redis is 1 until it responds again', async () => {
  await using server = await startRedis()
  const redis = await server.connect()
  await using stack = await startInstrumented({ redis })
  expect(await stack.pointsOf('stagepass.budget.store_lost')).toEqual([[{}, 0]])
  process.kill(server.pid, 'SIGSTOP')
  await vi.waitFor(
    async () => expect(await stack.pointsOf('stagepass.budget.store_lost')).toEqual([[{}, 1]]),
    {
      timeout: 20_000,
    },
  )
  process.kill(server.pid, 'SIGCONT')
  await vi.waitFor(
    async () => expect(await stack.pointsOf('stagepass.budget.store_lost')).toEqual([[{}, 0]]),
    {
      timeout: 20_000,
    },
  )
})

describe('requests', () => {
  it('without a response, because the client has left, are abandoned', async () => {
    await using stack = await startInstrumented()
    stack.upstream.use(hang())
    const leaving = new AbortController()
    const left = stack.fetch('/session-token', { ...MINT, signal: leaving.signal }).catch(() => 'left')
    await vi.waitFor(() => expect(stack.upstream.requests).toHaveLength(1))
    expect(await stack.pointsOf('stagepass.requests.in_flight')).toEqual([[{}, 1]])
    leaving.abort()
    expect(await left).toBe('left')
    const labels = {
      'http.request.method': 'POST',
      'http.route': '/session-token',
      'error.type': 'abandoned',
    }
    await vi.waitFor(async () =>
      expect(await stack.pointsOf('http.server.request.duration')).toEqual([[labels, 1]]),
    )
    expect(await stack.pointsOf('stagepass.requests.in_flight')).toEqual([[{}, 0]])
  })

  it('with an unknown method share one label', async () => {
    await using stack = await startInstrumented()
    const { pathname } = new URL(stack.url)
    // Node knows this method, and the semantic conventions do not.
    await rawRequest(stack.origin, {
      method: 'PROPFIND',
      path: `${pathname}/tags`,
      headers: { 'x-stagepass': '1' },
    })
    const [[labels] = []] = await stack.pointsOf('http.server.request.duration')
    expect(labels).toMatchObject({ 'http.request.method': '_OTHER', 'http.response.status_code': 405 })
  })
})

it('shows the duration of a drain, and 0 after it', async () => {
  let release = (): void => undefined
  const held = new Promise<void>((resolve) => (release = resolve))
  await using stack = await startInstrumented({ authorize: () => held.then(() => ({ user: 'ada' })) })
  expect(await stack.pointsOf('stagepass.drain.seconds')).toEqual([[{}, 0]])
  const running = stack.fetch('/session-token', MINT)
  await vi.waitFor(() => expect(stack.bff.gauge().inFlight).toBe(1))
  const closed = stack.bff.close()
  const [[, first] = [{}, 0]] = await stack.pointsOf('stagepass.drain.seconds')
  await vi.waitFor(async () => {
    const [[, later] = [{}, 0]] = await stack.pointsOf('stagepass.drain.seconds')
    expect(later).toBeGreaterThan(first)
  })
  release()
  await running
  await closed
  expect(await stack.pointsOf('stagepass.drain.seconds')).toEqual([[{}, 0]])
  expect(await stack.pointsOf('stagepass.tokens.minted')).toEqual([[{}, 1]])
})

it('reads a BFF once more after its drain, and then no longer', async () => {
  const { meter, pointsOf } = startMeters()
  await using stack = await startStack()
  let reads = 0
  const options = instrument({ ...OPTIONS, apiKey: stack.upstream.apiKey }, { meter })
  options.telemetry?.start({
    gauge: () => ((reads += 1), stack.bff.gauge()),
    isDegraded: () => false,
    addressOf: () => new URL(stack.url),
  })
  await pointsOf('stagepass.budget.limit')
  expect(reads).toBe(1)
  options.onEvent?.({ type: 'drain.finished', durationMs: 1, aborted: 0 })
  await pointsOf('stagepass.budget.limit')
  await pointsOf('stagepass.budget.limit')
  expect(reads).toBe(2)
})
