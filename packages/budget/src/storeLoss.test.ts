import { expect, it } from 'vitest'
import { type Instances, setUpInstances as setUp } from './coreRedis.test.kit.js'
import type { Budget } from './waiting/Budget.js'
import type { BudgetEvent } from './core/events.js'

const reasons = (events: readonly BudgetEvent[]): string[] => events.map(({ reason }) => reason)

/**
 * The most grants that the upstream counts at once. Each is answered after 20 ms, and counts for a window
 * from some time before that.
 */
function mostCounted({ grants }: Instances, windowMs = 5_000): number {
  const times = grants.map(({ at }) => at)
  return Math.max(...times.map((from) => times.filter((at) => at >= from && at < from + windowMs).length))
}

const between = ({ grants }: Instances, from: number, to: number): number =>
  grants.filter(({ at }) => at >= from && at < to).length

/** Two instances that use all slots between them. */
async function setUpBusy() {
  const test = setUp()
  const [first, second] = [test.join(), test.join()]
  test.keepAsking(first, 'ada')
  test.keepAsking(second, 'bob')
  await test.clock.advance(15_000)
  return { test, first, second }
}

it.each(['refusing', 'silent'] as const)(
  'Redis is %s: within a second or two each instance goes on with its own slots, and all say so',
  async (behaviour) => {
    const { test, first, second } = await setUpBusy()
    const lostAt = test.clock.now()
    test.redis.behaves = behaviour
    await test.clock.advance(3_000)
    expect(test.events).toContainEqual({ type: 'budget.store', reason: 'lost', limit: 12 })
    expect(between(test, lostAt + 1_000, lostAt + 2_500)).toBeGreaterThanOrEqual(2)
    for (const budget of [first, second])
      expect(budget.degraded()).toBe(
        'Redis does not respond. This instance uses at most 12 of 25 slots on its own.',
      )
    await test.clock.advance(20_000)
    // Two shares of twelve.
    expect(between(test, lostAt + 8_000, lostAt + 23_000)).toBeGreaterThan(65)
    expect(mostCounted(test)).toBeLessThanOrEqual(25)
  },
)

it('while Redis is lost, the end of a request gives no slot beyond the share', async () => {
  const test = setUp()
  const [first, second] = [test.join(), test.join()]
  test.keepAsking(first, 'ada', 300)
  test.keepAsking(second, 'bob', 300)
  await test.clock.advance(15_000)
  test.redis.behaves = 'refusing'
  await test.clock.advance(20_000)
  expect(mostCounted(test)).toBeLessThanOrEqual(25)
})

it.each([1_500, 3_000, 6_500, 30_000, 90_000])(
  'Redis is back after %i ms with all that it knew: full use at once, and never more',
  async (outageMs) => {
    const { test, first, second } = await setUpBusy()
    test.redis.behaves = 'refusing'
    await test.clock.advance(outageMs)
    test.redis.behaves = 'well'
    const backAt = test.clock.now()
    await test.clock.advance(15_000)
    expect(reasons(test.events)).toContain('back')
    expect([first.degraded(), second.degraded()]).toEqual([undefined, undefined])
    // Of 25: a window is over soon after the reports.
    expect(between(test, backAt + 5_000, backAt + 15_000)).toBeGreaterThan(45)
    expect(mostCounted(test)).toBeLessThanOrEqual(25)
  },
)

it('an instance that is cut off alone spends no slot twice, and has the others wait for its report', async () => {
  const { test, first } = await setUpBusy()
  for (const cutMs of [1_200, 2_500, 4_000]) {
    test.kill(first)
    await test.clock.advance(cutMs)
    test.revive(first)
    await test.clock.advance(12_000)
  }
  expect(reasons(test.events).filter((reason) => reason === 'back')).toHaveLength(3)
  expect(mostCounted(test)).toBeLessThanOrEqual(25)
})

it('an instance that does not hear whether its report came uses no slot that the others may have', async () => {
  const { test, first } = await setUpBusy()
  for (const cutMs of [1_200, 1_700, 2_200, 2_700, 3_200]) {
    test.kill(first)
    await test.clock.advance(cutMs)
    test.revive(first)
    test.loseReport(first)
    await test.clock.advance(4_000)
    test.revive(first)
    await test.clock.advance(12_000)
  }
  expect(mostCounted(test)).toBeLessThanOrEqual(25)
})

it('in strict mode the others leave an instance that is cut off alone its share of each second', async () => {
  const test = setUp()
  const [first, second] = [test.join({ strict: true }), test.join({ strict: true })]
  test.keepAsking(first, 'ada')
  test.keepAsking(second, 'bob')
  await test.clock.advance(10_000)
  const cutAt = test.clock.now()
  for (let times = 0; times < 4; times += 1) {
    test.kill(first)
    await test.clock.advance(5_000)
    test.revive(first)
    await test.clock.advance(9_000)
  }
  expect(
    test.grants.filter(({ at, user }) => user === 'ada' && at > cutAt + 2_500 && at < cutAt + 5_000),
  ).not.toEqual([])
  expect(mostCounted(test, 1_000)).toBeLessThanOrEqual(5)
  expect(mostCounted(test)).toBeLessThanOrEqual(25)
})

it('an instance that held no slot has none for a window, then its share', async () => {
  const test = setUp()
  const budget = test.join()
  test.join()
  await test.clock.advance(2_500)
  test.redis.behaves = 'refusing'
  const lostAt = test.clock.now()
  test.ask(budget, 'ada', 20)
  await test.clock.advance(5_900)
  expect(between(test, lostAt, Infinity)).toBe(0)
  await test.clock.advance(6_000)
  expect(between(test, lostAt, Infinity)).toBeGreaterThanOrEqual(12)
})

it('a call without an answer is no loss while others are answered', async () => {
  const { test, first } = await setUpBusy()
  test.redis.behaves = 'patchy'
  await test.clock.advance(10_000)
  expect(reasons(test.events)).not.toContain('lost')
  expect(first.degraded()).toBeUndefined()
  expect(mostCounted(test)).toBeLessThanOrEqual(25)
})

it('the slots of an instance that is gone are kept for one window at most', async () => {
  const { test, first } = await setUpBusy()
  test.kill(first)
  test.leave('ada')
  const goneAt = test.clock.now()
  await test.clock.advance(22_000)
  expect(between(test, goneAt + 12_000, goneAt + 22_000)).toBeGreaterThan(45)
})

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
  await test.clock.advance(2_000)
  expect(test.events).toEqual([{ type: 'budget.store', reason: 'lost', limit: 6 }])
})

it('calls that arrive after an outage in which they were sent: the others still have their slots', async () => {
  const { test, second } = await setUpBusy()
  test.redis.behaves = 'late'
  test.kill(second)
  await test.clock.advance(5_000)
  test.redis.behaves = 'well'
  await test.clock.advance(5_500)
  test.revive(second)
  await test.clock.advance(15_000)
  expect(reasons(test.events)).toContain('back')
  expect(mostCounted(test)).toBeLessThanOrEqual(25)
})

it('an instance that was cut off shortly before the others still has its share when the first of them is back', async () => {
  const { test, first, second } = await setUpBusy()
  test.kill(second)
  await test.clock.advance(1_500)
  test.redis.behaves = 'refusing'
  await test.clock.advance(7_000)
  test.redis.behaves = 'well'
  await test.clock.advance(2_000)
  expect(first.degraded()).toBeUndefined()
  test.revive(second)
  await test.clock.advance(10_000)
  expect(second.degraded()).toBeUndefined()
  expect(mostCounted(test)).toBeLessThanOrEqual(25)
})

it('an instance that was idle through an outage is given what the share of the others leaves, although it asks first', async () => {
  const test = setUp()
  const busy = test.join()
  const idle = test.join()
  await test.hold(busy, 'ada', 5)
  test.keepAsking(busy, 'ada')
  await test.clock.advance(100)
  test.redis.behaves = 'refusing'
  await test.clock.advance(9_000)
  test.kill(busy)
  test.redis.behaves = 'well'
  await test.clock.advance(500)
  const granted = test.ask(idle, 'bob', 20)
  await test.clock.advance(3_000)
  expect(granted).toHaveLength(13)
  test.revive(busy)
  await test.clock.advance(6_000)
  expect(granted.length).toBeGreaterThan(13)
  expect(mostCounted(test)).toBeLessThanOrEqual(25)
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
  expect(reasons(test.events)).toContain('state-lost')
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
  expect(reasons(test.events)).toContain('state-lost')
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
  await test.clock.advance(2_000)
  const [lost] = test.events
  expect(JSON.stringify(lost)).not.toContain('ECONNREFUSED')
  expect(lost).toHaveProperty('cause.message', 'connect ECONNREFUSED')
})

it('gives back a slot that reached a process after a pause', async () => {
  const test = setUp()
  let stoodStillMs = 0
  const clock = { ...test.clock, now: () => test.clock.now() + stoodStillMs }
  const budget = test.join({ clock })
  await test.clock.settle()
  test.ask(budget, 'ada')
  await Promise.resolve()
  // Redis has granted the slot; before its answer is read, the process is stopped for some seconds.
  stoodStillMs = 4_000
  await test.clock.settle()
  const granted = test.redis.state?.slots.map(({ id }) => id)
  expect(test.grants).toHaveLength(1)
  // It is the slot of a second request: the first was given back unsent.
  expect(granted).toHaveLength(1)
  expect(granted?.[0]).toMatch(/:2$/)
})

it('after an outage a request still shares a call that is in flight', async () => {
  const test = setUp()
  const [first, second] = [test.join(), test.join()]
  const acquire = (budget: Budget, user: string) =>
    budget.acquire({ user, call: 'page', deadlineMs: 60_000, signal: new AbortController().signal })
  expect(await acquire(first, 'ada')).not.toBe('shared')
  test.redis.behaves = 'refusing'
  await test.clock.advance(3_500)
  expect(first.degraded()).toBeDefined()
  // Its own instance knows the call too.
  expect(await acquire(first, 'eve')).toBe('shared')
  test.redis.behaves = 'well'
  await test.clock.advance(1_000)
  expect(first.degraded()).toBeUndefined()
  expect(await acquire(second, 'bob')).toBe('shared')
})
