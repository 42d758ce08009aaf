import { expect, it } from 'vitest'
import { setUpInstances } from './coreRedis.test.kit.js'
import type { Budget, Slot } from './waiting/Budget.js'

/*
 * Many requests of one call. The state keeps four of them; the others are covered, and wait in their
 * instances.
 */

interface Asked {
  readonly user: string
  readonly controller: AbortController
  /** `waits`, `slot`, `shared`, `aborted`, or the reason of a refusal. */
  result: string
}

function setUp(count: number) {
  const test = setUpInstances()
  const instances = Array.from({ length: count }, () => test.join({ timeoutMs: 2_000, maxWaiting: 30 }))
  const grants: string[] = []
  const asks: Asked[] = []
  return {
    ...test,
    instances,
    grants,
    asks,
    waiting: () => test.redis.state?.waiters ?? [],
    results: () => asks.map(({ result }) => result),
    /** Fills the account with the slots of another user. No request waits afterwards. */
    async fill(budget: Budget) {
      await test.hold(budget, 'filler', 10)
      test.ask(budget, 'filler', 1)
      await test.clock.settle()
    },
    want(budget: Budget | undefined, user: string, call: string, deadlineMs = 9_000): Asked {
      const controller = new AbortController()
      const asked: Asked = { user, controller, result: 'waits' }
      asks.push(asked)
      budget?.acquire({ user, call, deadlineMs, signal: controller.signal }).then(
        (slot) => {
          asked.result = slot === 'shared' ? 'shared' : 'slot'
          if (slot === 'shared') return
          grants.push(call)
          test.clock.after(20, () => slot.release('answered'))
        },
        (error: { reason?: string }) => {
          asked.result = error.reason ?? 'aborted'
        },
      )
      return asked
    },
  }
}

it('S27 1,000 users on 20 calls: four requests of each in the state, one slot each, and all have a result', async () => {
  const { instances, ...test } = setUp(4)
  await test.fill(instances[0] as Budget)
  let most = 0
  for (let user = 0; user < 1_000; user += 1)
    test.want(instances[user % 4], `user ${user}`, `page ${user % 20}`)
  for (let step = 0; step < 160; step += 1) {
    await test.clock.advance(50)
    most = Math.max(most, test.waiting().length)
  }
  expect(test.results().filter((result) => result !== 'slot' && result !== 'shared')).toEqual([])
  expect(test.grants.length).toBe(20)
  expect(most).toBeLessThanOrEqual(81)
})

it('S40 a better placed request takes the place of the worst of its call', async () => {
  const { instances, ...test } = setUp(2)
  const [first, second] = instances as [Budget, Budget]
  await test.fill(first)
  // Each of these users waits for two other pages first.
  for (const user of ['a', 'b', 'c', 'd', 'e'])
    for (const page of ['one', 'two']) test.want(first, user, `page ${page} of ${user}`)
  for (const user of ['a', 'b', 'c', 'd', 'e']) test.want(first, user, 'page')
  await test.clock.settle()
  const light = test.want(second, 'light', 'page')
  await test.clock.settle()
  const kept = test.waiting().filter(({ call }) => call === 'page')
  expect(kept.map(({ instance }) => instance === kept[0]?.instance)).toEqual([true, true, true, false])
  await test.clock.advance(6_000)
  expect(light.result).toBe('slot')
  expect(test.grants.indexOf('page')).toBeLessThan(test.grants.indexOf('page two of a'))
})

it('offers covered requests at once if those that were kept leave', async () => {
  const { instances, ...test } = setUp(1)
  await test.fill(instances[0] as Budget)
  for (let user = 0; user < 10; user += 1) test.want(instances[0], `user ${user}`, 'page')
  await test.clock.settle()
  for (const { controller } of test.asks.slice(0, 4)) controller.abort(new Error('gone'))
  await test.clock.settle()
  expect(test.waiting().filter(({ call }) => call === 'page')).toHaveLength(4)
  await test.clock.advance(1_500)
  expect(test.results().slice(4).toSorted()).toEqual([...Array(5).fill('shared'), 'slot'])
})

it('a covered request takes the place of those whose instance died, within two polls', async () => {
  const { instances, ...test } = setUp(2)
  const [first, second] = instances as [Budget, Budget]
  await test.fill(second)
  for (let user = 0; user < 4; user += 1) test.want(first, `user ${user}`, 'page')
  await test.clock.settle()
  const other = test.want(second, 'other', 'page')
  await test.clock.settle()
  expect(test.waiting().filter(({ call }) => call === 'page')).toHaveLength(4)
  test.kill(first)
  await test.clock.advance(2_000)
  expect(other.result).toBe('slot')
})

it('a covered request hears that its call was made, although the call is over when it is offered again', async () => {
  const { instances, ...test } = setUp(2)
  const [first, second] = instances as [Budget, Budget]
  await test.fill(first)
  for (let user = 0; user < 5; user += 1) test.want(first, `user ${user}`, 'page')
  await test.clock.settle()
  const other = test.want(second, 'other', 'page')
  await test.clock.advance(2_500)
  expect(other.result).toBe('shared')
  expect(test.grants).toEqual(['page'])
})

it('covered requests are on their own if the slot of their call was given up', async () => {
  const { instances, ...test } = setUp(2)
  const [first, second] = instances as [Budget, Budget]
  await test.fill(first)
  const leaders: Slot[] = []
  const lead = (user: string): void =>
    void first
      .acquire({ user, call: 'page', deadlineMs: 9_000, signal: new AbortController().signal })
      .then((slot) => {
        if (slot !== 'shared') leaders.push(slot)
      })
  for (let user = 0; user < 5; user += 1) lead(`user ${user}`)
  await test.clock.settle()
  const other = test.want(second, 'other', 'page')
  while (leaders.length === 0) await test.clock.advance(5)
  expect(other.result).toBe('waits')
  leaders[0]?.release('aborted')
  await test.clock.advance(3_000)
  expect(other.result).toBe('slot')
})

it('all requests of a call hear that there is no room for it', async () => {
  const { instances, ...test } = setUp(1)
  await test.fill(instances[0] as Budget)
  // The least weight: these are the last in the queue.
  for (let user = 0; user < 12; user += 1) test.want(instances[0], 'heavy', `page ${user}`)
  for (let user = 0; user < 12; user += 1) test.want(instances[0], 'heavy', 'page 11')
  for (let user = 0; user < 40; user += 1) test.want(instances[0], `user ${user}`, `call ${user}`)
  await test.clock.advance(12_000)
  expect(test.results()).not.toContain('waits')
})

it('refuses a user who asks again at once for a queue that is full, without a call', async () => {
  const { instances, ...test } = setUp(1)
  const [budget] = instances as [Budget]
  await test.fill(budget)
  for (let request = 0; request < 21; request += 1) test.want(budget, 'ada', `page ${request}`)
  await test.clock.settle()
  expect(test.results().at(-1)).toBe('user-queue-full')
  const before = test.redis.calls
  const again = test.want(budget, 'ada', 'page 20')
  const other = test.want(budget, 'bob', 'page 20')
  await test.clock.settle()
  expect([again.result, other.result]).toEqual(['user-queue-full', 'waits'])
  expect(test.redis.calls - before).toBe(1)
  const refusals = test.events.flatMap((event) =>
    event.type === 'budget.refused' ? [event.retryAfterMs] : [],
  )
  expect(refusals[1]).toBe(refusals[0])
  await test.clock.advance(100)
  test.want(budget, 'ada', 'page 21')
  const calls = test.redis.calls
  await test.clock.settle()
  expect(test.redis.calls - calls).toBe(1)
})

it('a request that was covered without Redis is not told of a call from before it came', async () => {
  const { instances, ...test } = setUp(2)
  const [first, second] = instances as [Budget, Budget]
  await test.hold(first, 'filler', 1)
  test.want(second, 'ada', 'page')
  await test.clock.advance(100)
  test.redis.behaves = 'refusing'
  await test.clock.advance(3_000)
  expect(first.degraded()).toBeDefined()
  for (let user = 0; user < 6; user += 1) test.want(first, `user ${user}`, 'page')
  await test.clock.advance(300)
  test.redis.behaves = 'well'
  await test.clock.advance(1_000)
  expect(first.degraded()).toBeUndefined()
  // One of them makes a call of its own.
  expect(test.results().toSorted()).toEqual([...Array.from({ length: 5 }, () => 'shared'), 'slot', 'slot'])
})
