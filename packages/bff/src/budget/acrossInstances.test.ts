import { expect, it } from 'vitest'
import type { Budget, Slot } from './Budget.js'
import { createCoreRedis } from './coreRedis.test.kit.js'
import { createBudget } from './createBudget.js'
import type { RedisEval } from './redis/redisClient.js'
import { type VirtualClock, virtualClock } from './core/virtualClock.test.kit.js'

interface Instance {
  readonly budget: Budget
  /** From now on nothing of it reaches Redis. */
  die(): void
}

interface Across {
  readonly clock: VirtualClock
  /** User of each grant, in order. */
  readonly grants: string[]
  join(): Instance
  ask(instance: Instance, user: string, count?: number): void
  hold(instance: Instance, user: string, count: number): Promise<Slot[]>
}

function setUp(): Across {
  const clock = virtualClock(0)
  const redis = createCoreRedis(clock)
  const grants: string[] = []
  const acquire = ({ budget }: Instance, user: string): Promise<Slot> =>
    budget.acquire({ user, deadlineMs: 20_000, signal: new AbortController().signal })
  return {
    clock,
    grants,
    join() {
      let alive = true
      const run: RedisEval = (...call) => (alive ? redis.eval(...call) : new Promise(() => undefined))
      const budget = createBudget({ account: 'main', eval: run, clock, timeoutMs: 2_000 })
      return { budget, die: () => (alive = false) }
    },
    ask(instance, user, count = 1) {
      for (let index = 0; index < count; index += 1) {
        acquire(instance, user).then(
          (slot) => {
            grants.push(user)
            clock.after(20, () => slot.release('answered'))
          },
          () => undefined,
        )
      }
    },
    hold: (instance, user, count) =>
      Promise.all(Array.from({ length: count }, () => acquire(instance, user))),
  }
}

it('one user of one instance does not stand before those of another', async () => {
  const test = setUp()
  const [first, second] = [test.join(), test.join()]
  test.ask(first, 'greedy', 30)
  await test.clock.advance(2_000)
  test.ask(second, 'light')
  const before = test.grants.length
  await test.clock.advance(700)
  expect(test.grants.slice(before)).toContain('light')
})

it('a user who asks two instances is one user', async () => {
  const test = setUp()
  const [first, second] = [test.join(), test.join()]
  await test.hold(first, 'filler', 10)
  test.ask(first, 'ada', 10)
  await test.clock.settle()
  test.ask(second, 'ada', 10)
  test.ask(second, 'bob', 10)
  await test.clock.advance(4_000)
  const paced = test.grants.slice(10)
  expect(paced.filter((user) => user === 'bob').length).toBeGreaterThanOrEqual(Math.floor(paced.length / 2))
})

it('a 429 to one instance is a pause for all', async () => {
  const test = setUp()
  const [first, second] = [test.join(), test.join()]
  const [slot] = await test.hold(first, 'ada', 1)
  first.budget.rateLimited(3_000, slot)
  await test.clock.settle()
  test.ask(second, 'bob')
  await test.clock.advance(2_900)
  expect(test.grants).toEqual([])
  await test.clock.advance(400)
  expect(test.grants).toEqual(['bob'])
})

it('the line passes over an instance that died, and waits for one that is in time', async () => {
  const test = setUp()
  const [first, second] = [test.join(), test.join()]
  await test.hold(first, 'filler', 10)
  test.ask(first, 'filler', 1)
  await test.clock.settle()
  test.ask(first, 'ada', 3)
  await test.clock.settle()
  test.ask(second, 'bob', 3)
  first.die()
  await test.clock.advance(3_000)
  expect(test.grants).toEqual(['bob', 'bob', 'bob'])
})

it('the slots in flight of an instance that died are free after the timeout and a window', async () => {
  const test = setUp()
  const [first, second] = [test.join(), test.join()]
  for (const user of ['ada', 'bob', 'cem']) await test.hold(first, user, user === 'cem' ? 5 : 10)
  first.die()
  test.ask(second, 'dora')
  await test.clock.advance(6_900)
  expect(test.grants).toEqual([])
  await test.clock.advance(400)
  expect(test.grants).toEqual(['dora'])
})

it('counts those in line everywhere against the most that may wait', async () => {
  const test = setUp()
  const [first, second] = [test.join(), test.join()]
  await test.hold(first, 'filler', 10)
  for (let user = 0; user < 3; user += 1) test.ask(user % 2 === 0 ? first : second, `user ${user}`, 20)
  await test.clock.settle()
  const [one, other] = [first.budget.gauge().waiting, second.budget.gauge().waiting]
  expect(Math.max(one, other)).toBeLessThanOrEqual(50)
})
