import { expect, it } from 'vitest'
import type { Clock } from './core/Clock.js'
import type { BudgetEvent } from './core/events.js'
import { type Instances, setUpInstances as setUp } from './instances.test.kit.js'
import { newState } from './turns/applyTurnsCall.js'
import type { BudgetRefusal } from './waiting/Budget.js'

const reasons = (events: readonly BudgetEvent[]): string[] => events.map(({ reason }) => reason)

/** The largest number of grants in any window. Each is answered after 20 ms. */
function mostCounted({ grants }: Instances): number {
  const times = grants.map(({ at }) => at)
  return Math.max(...times.map((from) => times.filter((at) => at >= from && at < from + 5_000).length))
}

const between = ({ grants }: Instances, from: number, to: number): number =>
  grants.filter(({ at }) => at >= from && at < to).length

const of = ({ grants }: Instances, user: string): number =>
  grants.filter((grant) => grant.user === user).length

/** Two instances that together use all slots. */
async function setUpBusy() {
  const test = setUp()
  const [first, second] = [test.join(), test.join()]
  test.keepAsking(first, 'ada')
  test.keepAsking(second, 'bob')
  await test.clock.advance(15_000)
  return { test, first, second }
}

it('instances alternate, even if one has many more requests than the others', async () => {
  const test = setUp()
  const [first, second, third] = [test.join(), test.join(), test.join()]
  test.ask(first, 'first', 20)
  test.keepAsking(second, 'second')
  for (const user of ['a', 'b', 'c']) test.keepAsking(third, `third ${user}`)
  test.keepAsking(first, 'first')
  await test.clock.advance(20_000)
  const third_ = ['a', 'b', 'c'].map((user) => of(test, `third ${user}`))
  const shares = [of(test, 'first'), of(test, 'second'), third_.reduce((sum, count) => sum + count, 0)]
  expect(Math.max(...shares) - Math.min(...shares)).toBeLessThanOrEqual(11)
  expect(Math.max(...third_) - Math.min(...third_)).toBeLessThanOrEqual(2)
})

it('one user of one instance does not delay those of another', async () => {
  const test = setUp()
  const [first, second] = [test.join(), test.join()]
  test.ask(first, 'greedy', 20)
  await test.clock.advance(2_000)
  const light = test.ask(second, 'light')
  await test.clock.advance(700)
  expect(light).toHaveLength(1)
})

it('a 429 to one instance freezes all', async () => {
  const test = setUp()
  const [first, second] = [test.join(), test.join()]
  const [slot] = await test.hold(first, 'ada', 1)
  first.rateLimited(3_000, slot)
  await test.clock.settle()
  test.ask(second, 'bob')
  await test.clock.advance(2_900)
  expect(test.grants).toEqual([])
  await test.clock.advance(200)
  expect(of(test, 'bob')).toBe(1)
})

it('a request costs about one call of Redis', async () => {
  const { test } = await setUpBusy()
  const [calls, grants] = [test.redis.calls, test.grants.length]
  await test.clock.advance(30_000)
  expect((test.redis.calls - calls) / (test.grants.length - grants)).toBeLessThan(1.2)
})

it('the slots in use by an instance that died are free after their timeout and a window', async () => {
  const test = setUp()
  const [first, second] = [
    test.join({ burst: 25, timeoutMs: 2_000 }),
    test.join({ burst: 25, timeoutMs: 2_000 }),
  ]
  await test.hold(first, 'ada', 25)
  test.kill(first)
  test.ask(second, 'dora')
  await test.clock.advance(8_650)
  expect(test.grants).toEqual([])
  await test.clock.advance(300)
  expect(of(test, 'dora')).toBe(1)
})

it.each(['refusing', 'silent'] as const)(
  'Redis is %s: after some seconds each instance continues with its own slots, and reports it',
  async (behaviour) => {
    const { test, first, second } = await setUpBusy()
    const lostAt = test.clock.now()
    test.redis.behaves = behaviour
    await test.clock.advance(3_000)
    expect(test.events).toContainEqual({ type: 'budget.store', reason: 'lost', limit: 12 })
    expect(between(test, lostAt + 1_600, lostAt + 3_000)).toBeGreaterThanOrEqual(2)
    for (const budget of [first, second])
      expect(budget.degraded()).toBe(
        'Redis does not respond. This instance uses at most 12 of 25 slots on its own.',
      )
    await test.clock.advance(20_000)
    // Each of the two shares is twelve.
    expect(between(test, lostAt + 8_000, lostAt + 23_000)).toBeGreaterThan(65)
    expect(mostCounted(test)).toBeLessThanOrEqual(25)
  },
)

it.each([1_500, 3_000, 6_500, 30_000, 90_000])(
  'Redis is back after %i ms with its state: the limit is fully used at once, and never exceeded',
  async (outageMs) => {
    const { test, first, second } = await setUpBusy()
    test.redis.behaves = 'refusing'
    await test.clock.advance(outageMs)
    test.redis.behaves = 'well'
    const backAt = test.clock.now()
    await test.clock.advance(15_000)
    expect(reasons(test.events)).toContain('back')
    expect([first.degraded(), second.degraded()]).toEqual([undefined, undefined])
    expect(between(test, backAt + 5_000, backAt + 15_000)).toBeGreaterThan(45)
    expect(mostCounted(test)).toBeLessThanOrEqual(25)
  },
)

it('a later request finds that Redis is back, if timers end with the request that set them, as in a Worker', async () => {
  const test = setUp()
  let request = 1
  const after: Clock['after'] = (delayMs, task, keepAlive) => {
    const its = request
    return test.clock.after(delayMs, () => its === request && task(), keepAlive)
  }
  const budget = test.join({ clock: { ...test.clock, after } })
  test.ask(budget, 'ada')
  await test.clock.advance(1_000)
  test.redis.behaves = 'refusing'
  // This request notices the loss, and waits for the share of the instance.
  test.ask(budget, 'bob')
  await test.clock.advance(8_000)
  request = 2
  test.redis.behaves = 'well'
  await test.clock.advance(10_000)
  expect(budget.degraded()).toBeDefined()
  const times = test.ask(budget, 'cem')
  await test.clock.advance(3_000)
  expect(times).toHaveLength(1)
  expect(budget.degraded()).toBeUndefined()
})

it('an instance that held no slots gets none for a window, then its share', async () => {
  const test = setUp()
  const budget = test.join()
  test.join()
  await test.clock.advance(100)
  test.redis.behaves = 'refusing'
  const lostAt = test.clock.now()
  test.ask(budget, 'ada', 20)
  await test.clock.advance(5_900)
  expect(between(test, lostAt, Infinity)).toBe(0)
  await test.clock.advance(6_000)
  expect(between(test, lostAt, Infinity)).toBeGreaterThanOrEqual(12)
})

it('an instance that held a slot still serves what its share allows in time', async () => {
  const test = setUp()
  const [budget] = [test.join(), test.join()]
  await test.clock.advance(100)
  // Its response does not come.
  await test.hold(budget, 'ada', 1)
  test.redis.behaves = 'refusing'
  // This request notices the loss.
  test.ask(budget, 'cem')
  await test.clock.advance(4_000)
  const slot = budget.acquire({ user: 'bob', deadlineMs: 4_000 })
  await test.clock.advance(4_000)
  await expect(slot).resolves.toBeDefined()
})

it.each([0, 1])('says when an instance without Redis has its next slot, if it held %i', async (held) => {
  const test = setUp()
  const [budget] = [test.join(), test.join()]
  await test.clock.advance(100)
  await test.hold(budget, 'ada', held)
  test.redis.behaves = 'refusing'
  await test.clock.advance(1_000)
  const refused = budget.acquire({ user: 'bob', deadlineMs: 1_000 }).catch((error: unknown) => error)
  await test.clock.advance(1_000)
  const [refusal, at] = [await refused, test.clock.now()]
  expect(refusal).toMatchObject({ reason: 'too-late' })
  await test.clock.advance((refusal as BudgetRefusal).retryAfterMs)
  // Six seconds after the loss, which the first request noticed.
  expect(test.clock.now() - at).toBeGreaterThan(3_000)
  const slot = budget.acquire({ user: 'bob', deadlineMs: 1_000 })
  await test.clock.advance(1_000)
  await expect(slot).resolves.toBeDefined()
})

it('lost replies cause pauses, and no slot is used twice', async () => {
  const { test } = await setUpBusy()
  test.redis.behaves = 'patchy'
  const from = test.clock.now()
  await test.clock.advance(10_000)
  expect(between(test, from, from + 10_000)).toBeGreaterThan(20)
  expect(mostCounted(test)).toBeLessThanOrEqual(25)
})

it('a short silence of Redis does not cost a window, and the other instances do not wait', async () => {
  const { test, first } = await setUpBusy()
  test.kill(first)
  await test.clock.advance(1_200)
  test.revive(first)
  await test.clock.advance(1_100)
  expect(first.degraded()).toBeUndefined()
  expect(first.gauge().frozenMs).toBe(0)
  await test.clock.advance(10_000)
  expect(mostCounted(test)).toBeLessThanOrEqual(25)
})

it('takes its share at once if Redis refuses the first call, and says what Redis answered', async () => {
  const test = setUp()
  test.redis.behaves = 'denying'
  const budget = test.join()
  const times = test.ask(budget, 'ada', 2)
  await test.clock.advance(900)
  expect(times).toEqual([0, 834])
  expect(test.events).toEqual([{ type: 'budget.store', reason: 'lost', limit: 6, reply: 'NOPERM' }])
  expect(budget.degraded()).toBe('Redis answers NOPERM. This instance uses at most 6 of 25 slots on its own.')
})

it('waits as long as for a lost Redis if it refuses calls later', async () => {
  const test = setUp()
  const budget = test.join()
  await test.clock.settle()
  test.redis.behaves = 'denying'
  const times = test.ask(budget, 'ada')
  await test.clock.advance(5_900)
  expect(times).toEqual([])
  await test.clock.advance(300)
  expect(times).toHaveLength(1)
})

it('assumes four instances if Redis has never responded', async () => {
  const test = setUp()
  test.redis.behaves = 'refusing'
  test.join()
  await test.clock.advance(2_000)
  expect(test.events).toEqual([{ type: 'budget.store', reason: 'lost', limit: 6 }])
})

it('has at least one slot in a window, however many instances there are', async () => {
  const test = setUp()
  const budgets = Array.from({ length: 40 }, () => test.join())
  await test.clock.settle()
  test.redis.behaves = 'refusing'
  await test.clock.advance(100)
  const [last] = budgets.slice(-1)
  const times = last ? test.ask(last, 'ada', 5) : []
  await test.clock.advance(17_500)
  expect(times).toHaveLength(3)
})

it('Redis has lost everything: all instances wait for one window, then continue', async () => {
  const { test, first } = await setUpBusy()
  test.redis.state = { ...test.redis.state, born: 0, slots: new Map(), instances: new Map() }
  const lostAt = test.clock.now()
  await test.clock.advance(1_000)
  expect(reasons(test.events)).toContain('state-lost')
  expect(first.gauge().frozenMs).toBeGreaterThan(3_900)
  await test.clock.advance(14_000)
  expect(between(test, lostAt + 5_500, lostAt + 15_000)).toBeGreaterThan(36)
  expect(mostCounted(test)).toBeLessThanOrEqual(25)
})

it.each(['state', 'slots'] as const)(
  'Redis has lost the key of the %s: all wait for one window, also an instance that comes new',
  async (key) => {
    const { test, first } = await setUpBusy()
    const { state } = test.redis
    test.redis.state =
      key === 'slots'
        ? { ...state, slots: new Map(), slotsMarked: false }
        : { ...newState(), slots: state.slots, slotsMarked: true }
    const lostAt = test.clock.now()
    test.keepAsking(test.join(), 'cem')
    await test.clock.advance(1_000)
    expect(reasons(test.events)).toContain('state-lost')
    expect(first.gauge().frozenMs).toBeGreaterThan(3_900)
    expect(of(test, 'cem')).toBe(0)
    await test.clock.advance(14_000)
    expect(between(test, lostAt + 5_500, lostAt + 15_000)).toBeGreaterThan(36)
    expect(mostCounted(test)).toBeLessThanOrEqual(25)
  },
)

it('Redis was restored from an old copy: the state counts as lost', async () => {
  const test = setUp()
  const budget = test.join()
  await test.clock.advance(100)
  const copy = structuredClone(test.redis.state)
  test.ask(budget, 'ada', 15)
  await test.clock.advance(100)
  test.redis.state = copy
  // One turn was promised earlier.
  await test.clock.advance(4_900)
  expect(reasons(test.events)).toContain('state-lost')
  expect(test.grants).toHaveLength(11)
  await test.clock.advance(3_000)
  expect(test.grants).toHaveLength(15)
})

it('an instance that has never called does not report a new state as a loss', async () => {
  const test = setUp()
  test.ask(test.join(), 'ada')
  await test.clock.settle()
  expect(test.grants).toHaveLength(1)
  expect(test.events).toEqual([])
})

it('code can read the cause of a failure of Redis, and a logger does not print it', async () => {
  const test = setUp()
  test.redis.behaves = 'refusing'
  test.join()
  await test.clock.advance(2_000)
  const [lost] = test.events
  expect(JSON.stringify(lost)).not.toContain('ECONNREFUSED')
  expect(lost).toHaveProperty('cause.message', 'connect ECONNREFUSED')
})

it('releases a turn if its process was suspended until the turn was too old', async () => {
  const test = setUp()
  let stoodStillMs = 0
  const clock = { ...test.clock, now: () => test.clock.now() + stoodStillMs }
  const budget = test.join({ clock, burst: 0 })
  await test.clock.settle()
  test.ask(budget, 'ada', 2)
  await test.clock.settle()
  expect(test.grants).toHaveLength(1)
  // The second turn opens in 200 ms. The process continues some seconds later.
  stoodStillMs = 4_000
  await test.clock.advance(250)
  expect(test.redis.state.slots.size).toBe(2)
  await test.clock.advance(200)
  expect(test.grants).toHaveLength(2)
})

it('an instance keeps a pause that Redis has forgotten meanwhile, and does not ask again and again', async () => {
  const { test, first, second } = await setUpBusy()
  first.rateLimited(60_000)
  await test.clock.advance(5_000)
  test.kill(first)
  test.kill(second)
  test.redis.state = newState()
  await test.clock.advance(25_000)
  test.revive(second)
  const [calls, grants] = [test.redis.calls, test.grants.length]
  await test.clock.advance(29_000)
  expect(second.gauge().frozenMs).toBeGreaterThan(0)
  expect(test.grants).toHaveLength(grants)
  expect(test.redis.calls - calls).toBeLessThan(100)
  await test.clock.advance(3_000)
  expect(test.grants.length).toBeGreaterThan(grants)
})

it('a pause after a 429 outlives the state, for new instances too', async () => {
  const { test, first } = await setUpBusy()
  first.rateLimited(20_000)
  await test.clock.advance(1_000)
  test.redis.state = newState()
  await test.clock.advance(6_000)
  const times = test.ask(test.join(), 'cem')
  await test.clock.advance(12_500)
  expect(times).toEqual([])
  await test.clock.advance(3_000)
  expect(times).toHaveLength(1)
})
