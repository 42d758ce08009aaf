import { expect, it } from 'vitest'
import { setUpInstances as setUp } from './coreRedis.test.kit.js'
import type { BudgetEvent } from './core/events.js'

const types = (events: readonly BudgetEvent[]): string[] => events.map(({ type }) => type)

it.each(['refusing', 'silent'] as const)(
  'Redis is %s: nothing for one window, then a share of the slots, and it says so',
  async (behaviour) => {
    const test = setUp()
    const budget = test.join()
    test.join()
    await test.clock.advance(100)
    expect(budget.degraded()).toBeUndefined()
    // The other has heard of this one, and this one of the other at its next call.
    test.ask(budget, 'ada', 1)
    await test.clock.advance(100)
    test.redis.behaves = behaviour
    const lostAt = test.clock.now()
    test.ask(budget, 'ada', 20)
    await test.clock.advance(1_500)
    expect(budget.degraded()).toContain('Redis does not answer.')
    expect(test.events).toContainEqual({ type: 'budget.store-lost', limit: 12 })
    await test.clock.advance(4_400)
    expect(test.grants.filter(({ at }) => at > lostAt)).toEqual([])
    await test.clock.advance(14_000)
    expect(budget.degraded()).toBe('Redis does not answer. This instance uses 12 of 25 slots on its own.')
    const own = test.grants.map(({ at }) => at).filter((at) => at > lostAt)
    expect(own.length).toBeGreaterThan(15)
    for (const from of own)
      expect(own.filter((at) => at >= from && at < from + 5_000).length).toBeLessThanOrEqual(12)
  },
)

it('has at least one slot in a window, however many instances there are', async () => {
  const test = setUp()
  test.redis.behaves = 'refusing'
  const budget = test.join({ instances: 40 })
  test.ask(budget, 'ada', 5)
  await test.clock.advance(17_500)
  expect(test.grants).toHaveLength(3)
})

it('expects four instances where Redis could not be asked even once', async () => {
  const test = setUp()
  test.redis.behaves = 'refusing'
  test.join()
  await test.clock.advance(0)
  expect(test.events).toEqual([{ type: 'budget.store-lost', limit: 6 }])
})

it('when Redis is back after slots were spent without it, all wait for one window', async () => {
  const test = setUp()
  const budget = test.join()
  test.ask(budget, 'ada', 1)
  await test.clock.advance(100)
  test.redis.behaves = 'refusing'
  test.ask(budget, 'ada', 20)
  test.ask(budget, 'bob', 20)
  await test.clock.advance(8_000)
  expect(test.grants.length).toBeGreaterThan(1)
  test.redis.behaves = 'well'
  await test.clock.advance(2_000)
  expect(budget.degraded()).toBeUndefined()
  expect(types(test.events)).toContain('budget.store-back')
  const backAt = test.clock.now()
  const before = test.grants.length
  await test.clock.advance(3_900)
  expect(test.grants).toHaveLength(before)
  await test.clock.advance(10_000)
  expect(test.grants.length).toBeGreaterThan(before)
  expect(test.grants[before]?.at).toBeGreaterThan(backAt + 3_900)
})

it('an instance that was idle through an outage waits for the others, although it asks first', async () => {
  const test = setUp()
  const busy = test.join()
  const idle = test.join()
  test.ask(busy, 'ada', 1)
  await test.clock.advance(100)
  test.redis.behaves = 'refusing'
  test.ask(busy, 'ada', 20)
  await test.clock.advance(7_000)
  expect(test.grants.length).toBeGreaterThan(1)
  test.redis.behaves = 'well'
  const granted = test.ask(idle, 'bob', 10)
  await test.clock.advance(5_900)
  expect(granted).toEqual([])
  await test.clock.advance(5_000)
  expect(granted).not.toEqual([])
})

it('a short silence costs no window', async () => {
  const test = setUp()
  const budget = test.join()
  await test.clock.advance(100)
  test.redis.behaves = 'refusing'
  test.ask(budget, 'ada', 2)
  await test.clock.advance(2_000)
  test.redis.behaves = 'well'
  await test.clock.advance(1_000)
  expect(test.grants).toHaveLength(2)
  expect(budget.gauge().frozenMs).toBe(0)
})

it('Redis has lost everything: all wait for one window, and is then served in order', async () => {
  const test = setUp()
  const budget = test.join()
  test.ask(budget, 'ada', 15)
  await test.clock.advance(100)
  expect(test.grants).toHaveLength(10)
  test.redis.state = undefined
  await test.clock.advance(1_000)
  expect(types(test.events)).toContain('budget.state-lost')
  expect(budget.gauge().frozenMs).toBeGreaterThan(4_000)
  await test.clock.advance(4_900)
  expect(test.grants).toHaveLength(10)
  await test.clock.advance(4_000)
  expect(test.grants).toHaveLength(15)
})

it('Redis was restored from an old copy: the state counts as lost', async () => {
  const test = setUp()
  const budget = test.join()
  await test.clock.advance(100)
  const copy = structuredClone(test.redis.state)
  test.ask(budget, 'ada', 15)
  await test.clock.advance(100)
  test.redis.state = copy
  await test.clock.advance(1_000)
  expect(types(test.events)).toContain('budget.state-lost')
  expect(test.grants).toHaveLength(10)
})

it('an instance that has never seen the account does not take its beginning for a loss', async () => {
  const test = setUp()
  test.ask(test.join(), 'ada')
  await test.clock.settle()
  expect(test.grants).toHaveLength(1)
  expect(test.events).toEqual([])
})

it('what made Redis fail is there for code, and for no logger', async () => {
  const test = setUp()
  test.redis.behaves = 'refusing'
  test.join()
  await test.clock.advance(0)
  const [lost] = test.events
  expect(JSON.stringify(lost)).not.toContain('ECONNREFUSED')
  expect(lost).toHaveProperty('cause.message', 'connect ECONNREFUSED')
})

it('gives back a slot that reached a process after a pause', async () => {
  const test = setUp()
  let stoodStillMs = 0
  const clock = { ...test.clock, now: () => test.clock.now() + stoodStillMs }
  const budget = test.join({ clock })
  test.ask(budget, 'ada')
  // Redis has granted the slot; before its answer is read, the process is stopped for some seconds.
  stoodStillMs = 4_000
  await test.clock.settle()
  const granted = test.redis.state?.slots.map(({ id }) => id)
  expect(test.grants).toHaveLength(1)
  // It is the slot of a second request: the first was given back unsent.
  expect(granted).toHaveLength(1)
  expect(granted?.[0]).toMatch(/:2$/)
})
