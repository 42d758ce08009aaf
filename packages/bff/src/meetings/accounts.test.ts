import type { RedisEval } from '@stagepass/budget'
import { respond } from '@stagepass/emulator'
import { startStack } from '@stagepass/testing'
import { virtualClock } from '@stagepass/testing/virtualClock'
import { expect, it } from 'vitest'
import type { BffOptions } from '../index.js'
import type { Clock } from '../base/platform.js'
import { readOptions } from '../settings/readOptions.js'
import { createBudgets } from './createBudgets.js'

it('S21 equal reads of two accounts share no page and no request', async () => {
  await using stack = await startStack()
  const { meetingsCredential: credential } = stack.upstream
  for (const account of ['one', 'other', 'one']) {
    stack.grant = { user: 'ada', meetings: { credential, account } }
    expect((await stack.fetch('/meetings')).status).toBe(200)
  }
  expect(stack.upstream.requests).toHaveLength(2)
})

it('a 429 pauses only its own account, and its event names the account', async () => {
  await using stack = await startStack({ bff: { deadlineMs: 2_000, meetings: { cacheMs: 0 } } })
  const { meetingsCredential: credential } = stack.upstream
  stack.upstream.use(respond({ status: 429, headers: { 'retry-after': '30' } }, { times: 1 }))
  stack.grant = { user: 'ada', meetings: { credential, account: 'one' } }
  expect((await stack.fetch('/meetings')).status).toBe(503)
  expect((await stack.fetch('/meetings')).status).toBe(503)
  stack.grant = { user: 'ada', meetings: { credential, account: 'other' } }
  expect((await stack.fetch('/meetings')).status).toBe(200)
  stack.grant = { user: 'ada', meetings: { credential } }
  expect((await stack.fetch('/meetings')).status).toBe(200)
  expect(stack.events).toContainEqual(
    expect.objectContaining({ type: 'budget.limit', reason: 'foreign-use', account: 'one' }),
  )
})

const NEVER = new AbortController().signal

const settingsWith = (clock: Clock, meetings?: BffOptions['meetings']) =>
  readOptions({
    apiKey: 'k',
    baseUrl: 'https://a.example',
    streamingUrl: 'wss://a.example',
    authorize: () => null,
    platform: { clock },
    meetings,
  })

it('an account that is idle for some minutes is forgotten, the common one is not', async () => {
  const clock = virtualClock()
  const budgets = createBudgets(settingsWith(clock), undefined, undefined)
  const common = budgets.of('main')
  const first = budgets.of('one')
  budgets.of('other')
  // Two minutes, and the deadline of a request.
  await clock.advance(129_000)
  expect(budgets.of('one')).toBe(first)
  await clock.advance(240_000)
  expect(budgets.gauge().accounts).toBe(1)
  expect(budgets.of('main')).toBe(common)
  expect(budgets.of('one')).not.toBe(first)
})

it('does not keep the process running to look for idle accounts', async () => {
  const clock = virtualClock()
  const looks: unknown[] = []
  const after: Clock['after'] = (delayMs, task, keepAlive) => {
    if (delayMs === 120_000) looks.push(keepAlive)
    return clock.after(delayMs, task)
  }
  const budgets = createBudgets(settingsWith({ ...clock, after }), undefined, undefined)
  budgets.of('one')
  await clock.advance(125_000)
  expect(looks).toEqual([false, false])
})

it.each([
  [0, 5],
  [10, 3],
  [24, 1],
])('with `strict` and a reserve of %i it gives %i slots in any second', async (reserve, limit) => {
  const clock = virtualClock()
  const budgets = createBudgets(settingsWith(clock, { strict: true, reserve }), undefined, undefined)
  const ask = () => budgets.of('main').acquire({ user: 'ada', signal: NEVER, deadlineMs: 10_000 })
  const slots = Array.from({ length: limit }, ask)
  const next = ask()
  await clock.advance(2_000)
  expect(budgets.gauge()).toMatchObject({ limit, used: limit, waiting: 1 })
  for (const slot of await Promise.all(slots)) slot.release('answered')
  // Without `strict` it would wait for 5 s.
  await clock.advance(2_000)
  await next
  expect(budgets.gauge()).toMatchObject({ used: 1, waiting: 0 })
})

it('looks for idle accounts until there is none, and closes each', async () => {
  const clock = virtualClock()
  let asked = 0
  const redis = () => {
    asked += 1
    return Promise.reject(new Error('down'))
  }
  const budgets = createBudgets({ ...settingsWith(clock), redis }, redis, undefined)
  await clock.advance(1)
  const idle = clock.timers
  budgets.of('one')
  await clock.advance(100_000)
  budgets.of('one')
  // The first look found it in use.
  await clock.advance(400_000)
  expect(budgets.gauge().accounts).toBe(1)
  expect(clock.timers).toBe(idle)
  await budgets.close()
  const before = asked
  await clock.advance(100_000)
  expect(asked).toBe(before)
})

it('an event names its account, unless that is the common one', async () => {
  const clock = virtualClock()
  const events: object[] = []
  const budgets = createBudgets(settingsWith(clock), undefined, (event) => events.push(event))
  for (const account of ['main', 'one']) {
    const budget = budgets.of(account)
    budget.rateLimited(2_000, await budget.acquire({ user: 'ada', signal: NEVER, deadlineMs: 1_000 }))
  }
  expect(events.length).toBeGreaterThanOrEqual(2)
  expect(events.map((event) => (event as { account?: string }).account)).toEqual([
    ...Array.from({ length: events.length / 2 }, () => undefined),
    ...Array.from({ length: events.length / 2 }, () => 'one'),
  ])
  await budgets.close()
})

it('S27 of 30,000 accounts the last 20,000 are kept, and the common one', () => {
  const clock = virtualClock()
  const budgets = createBudgets(settingsWith(clock), undefined, undefined)
  for (let account = 0; account < 30_000; account += 1) budgets.of(`account-${account}`)
  expect(budgets.gauge().accounts).toBe(20_001)
  const first = budgets.of('account-10000')
  budgets.of('one-more')
  expect(budgets.gauge().accounts).toBe(20_001)
  expect(budgets.of('account-10000')).toBe(first)
})

it('sums what the accounts use, with the longest freeze', async () => {
  const clock = virtualClock()
  const budgets = createBudgets(settingsWith(clock), undefined, undefined)
  const ask = (account: string) =>
    budgets.of(account).acquire({ user: 'ada', signal: NEVER, deadlineMs: 10_000 })
  await Promise.all(['one', 'one', 'other'].map(ask))
  expect(budgets.gauge()).toMatchObject({ accounts: 3, limit: 75, used: 3, frozenMs: 0 })
  budgets.of('other').rateLimited(2_000, await ask('other'))
  const { foreignUse, frozenMs } = budgets.gauge()
  expect(frozenMs).toBeGreaterThanOrEqual(2_000)
  expect(foreignUse).toBe(budgets.of('other').gauge().foreignUse)
  const late = ask('other')
  expect(budgets.gauge().waiting).toBe(1)
  await clock.advance(8_000)
  await late
  expect(budgets.isDegraded()).toBe(false)
})

it('is degraded if Redis does not respond, for one account or for all', async () => {
  const clock = virtualClock()
  const down = () => Promise.reject(new Error('down'))
  const budgets = createBudgets({ ...settingsWith(clock), redis: down }, down, undefined)
  expect(budgets.isDegraded()).toBe(false)
  void budgets
    .of('one')
    .acquire({ user: 'ada', signal: NEVER, deadlineMs: 1_000 })
    .catch(() => {})
  await clock.advance(30_000)
  expect(budgets.isDegraded()).toBe(true)
  // A new account has not called Redis yet. The others still count.
  budgets.of('new')
  expect(budgets.isDegraded()).toBe(true)
  await budgets.close()
})

it('S27 an account that is in use refuses no other one while there is one that was not used for minutes', async () => {
  const clock = virtualClock()
  const budgets = createBudgets(settingsWith(clock), undefined, undefined, 5)
  budgets.of('unused')
  await clock.advance(125_000)
  await budgets.of('busy').acquire({ user: 'ada', signal: NEVER, deadlineMs: 1_000 })
  for (let account = 2; account < 5; account += 1) budgets.of(`account-${account}`)
  await clock.advance(6_000)
  expect(budgets.of('one-more')).toBeDefined()
  await budgets.close()
})

it.each([
  [['lost-1'], false],
  [['lost-1', 'lost-2'], true],
  [['main'], true],
] as const)(
  'is degraded if the common account or half of the others lost Redis: %j',
  async (lost, isDegraded) => {
    const clock = virtualClock()
    const redis: RedisEval = (_script, keys) =>
      lost.some((account) => keys.join().includes(account))
        ? Promise.reject(new Error('down'))
        : Promise.resolve([1, 1, 1, 0, 0, 1e6, 0, 0, 0])
    const budgets = createBudgets({ ...settingsWith(clock), redis }, redis, undefined)
    for (const account of ['lost-1', 'lost-2', 'well-1', 'well-2']) budgets.of(account)
    await clock.advance(1_500)
    expect(budgets.isDegraded()).toBe(isDegraded)
    await budgets.close()
  },
)

it('S27 the budget of an account that is in use is not closed for another one', async () => {
  const clock = virtualClock()
  const budgets = createBudgets(settingsWith(clock), undefined, undefined, 5)
  const slot = await budgets.of('busy').acquire({ user: 'ada', signal: NEVER, deadlineMs: 1_000 })
  slot.release('answered')
  for (let account = 1; account < 5; account += 1) budgets.of(`account-${account}`)
  expect(() => budgets.of('one-more')).toThrow(
    expect.objectContaining({
      code: 'BUDGET_EXHAUSTED',
      retryAfterMs: 5_000,
      details: { seen: { cause: 'accounts' } },
    }),
  )
  // The service counts a request for five seconds.
  await clock.advance(5_500)
  expect(budgets.of('one-more')).toBeDefined()
  expect(budgets.gauge().accounts).toBe(6)
  await budgets.close()
})

it('S27 an account that the service has paused is in use until the pause ends', async () => {
  const clock = virtualClock()
  const budgets = createBudgets(settingsWith(clock), undefined, undefined, 5)
  const paused = budgets.of('paused')
  paused.rateLimited(20_000, await paused.acquire({ user: 'ada', signal: NEVER, deadlineMs: 1_000 }))
  for (let account = 1; account < 5; account += 1) budgets.of(`account-${account}`)
  await clock.advance(15_000)
  expect(() => budgets.of('one-more')).toThrow(expect.objectContaining({ code: 'BUDGET_EXHAUSTED' }))
  await budgets.close()
})
