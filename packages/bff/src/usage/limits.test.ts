import type { RedisEval } from '@stagepass/budget'
import { startStack } from '@stagepass/testing'
import { virtualClock } from '@stagepass/testing/virtualClock'
import { expect, it } from 'vitest'
import { ask, ROUTE_BODIES } from '../ask.test.kit.js'
import type { BffOptions } from '../index.js'
import { ROUTES } from '../front/routes/matchRoute.js'
import type { BffError } from '../base/BffError.js'
import { type Clock, systemPlatform } from '../base/platform.js'
import { RequestContext } from '../request/RequestContext.js'
import { readOptions } from '../settings/readOptions.js'
import { createBreaker } from './createBreaker.js'
import { createLimits, type LimitName, type Limits, MAX_COUNTED_USERS } from './createLimits.js'

it('S27 each user has a number of requests of each kind per minute, and the refusal says when to try again', async () => {
  await using stack = await startStack({ bff: { limits: { tokensPerMinute: 2, meetingsPerMinute: 1 } } })
  const mint = () => stack.fetch('/session-token', { json: { usage_type: 'stt' } })
  const statusOf = async (path: string) => (await stack.fetch(path)).status
  expect([(await mint()).status, (await mint()).status]).toEqual([200, 200])
  const refused = await mint()
  expect(refused.status).toBe(429)
  expect(await refused.json()).toMatchObject({ error_code: 'RATE_LIMITED' })
  expect(Number(refused.headers.get('retry-after'))).toBeGreaterThan(0)
  expect(Number(refused.headers.get('retry-after'))).toBeLessThanOrEqual(60)

  // The three meetings routes share one count.
  expect([await statusOf('/meetings'), await statusOf('/tags'), await statusOf('/meetings/x')]).toEqual([
    200, 429, 429,
  ])
  const exceeded = stack.events.filter(({ type }) => type === 'limit.exceeded')
  expect(exceeded).toMatchObject([
    { user: 'ada', limit: 'tokensPerMinute' },
    { user: 'ada', limit: 'meetingsPerMinute' },
    { user: 'ada', limit: 'meetingsPerMinute' },
  ])
  for (const event of exceeded) {
    const { retryAfterMs = 0 } = event as { retryAfterMs?: number }
    // The rest of the minute.
    expect(retryAfterMs).toBeGreaterThan(1)
    expect(retryAfterMs).toBeLessThanOrEqual(60_000)
  }

  stack.grant = { ...stack.grant, user: 'bob' }
  expect([(await mint()).status, await statusOf('/meetings')]).toEqual([200, 200])
})

it('S27 without limits nothing is counted', async () => {
  await using stack = await startStack()
  for (let request = 0; request < 30; request += 1)
    expect((await stack.fetch('/session-token', { json: { usage_type: 'stt' } })).status).toBe(200)
  expect(stack.events.filter(({ type }) => type === 'limit.exceeded')).toEqual([])
})

function limitsWith(clock: Clock, options: Partial<BffOptions>): Limits['count'] {
  const settings = readOptions({
    apiKey: 'k',
    baseUrl: 'https://a.example',
    streamingUrl: 'wss://a.example',
    authorize: () => null,
    platform: { clock },
    ...options,
  })
  const created = createLimits({
    settings,
    breaker: createBreaker(clock, 1_000),
    userName: ({ user }) => user,
    register: { isSuspect: () => false },
    onForgotten: () => undefined,
  })
  return (...args) => created.count(...args)
}

it('S27 counts a limited number of users, and beyond it the least recent user begins again', async () => {
  const clock = virtualClock()
  const count = limitsWith(clock, { limits: { tokensPerMinute: 1 } })
  // Without a listener.
  const context = new RequestContext('r', 1_000, systemPlatform, undefined)
  const ask = async (user: string): Promise<unknown> =>
    count('tokensPerMinute', { user }, context).catch((thrown: unknown) => thrown)
  const limited: unknown = expect.objectContaining({ code: 'RATE_LIMITED' })
  for (let user = 1; user <= MAX_COUNTED_USERS; user += 1) await ask(`${user}`)
  expect([await ask('1'), await ask('2')]).toEqual([limited, limited])
  await ask('one more')
  expect([await ask('1'), await ask('3')]).toEqual([limited, false])
  clock.jump(59_999)
  expect(await ask('3')).toMatchObject({ code: 'RATE_LIMITED', details: { retryAfterMs: 1 } })
  clock.jump(2)
  expect(await ask('3')).toBe(false)
})

it('S27 counts in Redis by account and limit, alone while Redis does not answer, and nothing without a limit', async () => {
  const asked: string[] = []
  let isDown = false
  const counts = new Map<string, number>()
  const redis: RedisEval = (_script, [key = '']) => {
    asked.push(key)
    if (isDown) return Promise.reject(new Error('down'))
    // Others have counted one request before.
    counts.set(key, (counts.get(key) ?? 1) + 1)
    return Promise.resolve([counts.get(key), 30_000, 0, 0])
  }
  const clock = virtualClock()
  const count = limitsWith(clock, { limits: { tokensPerMinute: 2 }, meetings: { account: 'acme' }, redis })
  const context = new RequestContext('r', 1_000, systemPlatform, undefined)
  const codeOf = async (limit: LimitName): Promise<unknown> =>
    count(limit, { user: 'ada' }, context).then(
      () => 'counted',
      ({ code, details }: BffError) => [code, details.retryAfterMs],
    )
  expect(await codeOf('tokensPerMinute')).toBe('counted')
  expect(await codeOf('tokensPerMinute')).toEqual(['RATE_LIMITED', 30_000])
  isDown = true
  expect([await codeOf('tokensPerMinute'), await codeOf('tokensPerMinute')]).toEqual(['counted', 'counted'])
  expect(await codeOf('tokensPerMinute')).toEqual(['RATE_LIMITED', 60_000])
  expect(asked.length).toBeGreaterThanOrEqual(3)
  expect(new Set(asked)).toEqual(new Set(['stagepass:{acme}:tokensPerMinute:ada']))
  const before = asked.length
  expect(await codeOf('meetingsPerMinute')).toBe('counted')
  expect(asked).toHaveLength(before)
})

it.each(ROUTES.map((route) => [route.name, route] as const))(
  'S54 requests to %s that are refused count in a limit of their user',
  async (name, { method, path }) => {
    const limits = { tokensPerMinute: 5, meetingsPerMinute: 5, vitalsPerMinute: 5, sessionsPerMinute: 5 }
    await using stack = await startStack({ bff: { limits, vitals: true, sessions: {} } })
    const body = ROUTE_BODIES[name]
    const to = path.replace(':id', '%2e%2e')
    const refused = [
      () => ask(stack, `${to}?nothing=1`, { method, body }),
      () => ask(stack, to, { method: 'PUT' }),
      () => ask(stack, to, { method: 'PATCH' }),
      () => (method === 'POST' ? ask(stack, to, { method, body: '{' }) : ask(stack, `${to}?nothing=1`)),
      () =>
        method === 'POST'
          ? ask(stack, to, { method, body, headers: { 'content-type': 'text/plain' } })
          : ask(stack, `${to}?x`),
    ]
    for (const send of refused) expect([400, 405, 415]).toContain((await send()).status)
    for (const send of refused) expect((await send()).code).toBe('RATE_LIMITED')
    stack.grant = { user: 'bob' }
    expect((await refused[0]!()).code).toBe('VALIDATION_ERROR')
  },
)

it('S54 requests to paths without a route count too', async () => {
  await using stack = await startStack({ bff: { limits: { meetingsPerMinute: 1 } } })
  expect([(await ask(stack, '/nothing')).status, (await ask(stack, '/nothing')).status]).toEqual([404, 429])
  expect((await ask(stack, '/tags')).status).toBe(429)
})
