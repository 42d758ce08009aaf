import { expect, it } from 'vitest'
import { setUpInstances } from './coreRedis.test.kit.js'

const call = (user: string) => ({
  user,
  call: 'page',
  deadlineMs: 10_000,
  signal: new AbortController().signal,
})

function setUp() {
  const test = setUpInstances()
  const users = () => test.grants.map(({ user }) => user)
  return { ...test, users, first: test.join({ timeoutMs: 2_000 }), second: test.join({ timeoutMs: 2_000 }) }
}

it('one user of one instance does not delay those of another', async () => {
  const { first, second, ...test } = setUp()
  test.ask(first, 'greedy', 30)
  await test.clock.advance(2_000)
  test.ask(second, 'light')
  const before = test.grants.length
  await test.clock.advance(700)
  expect(test.users().slice(before)).toContain('light')
})

it('a user who asks two instances is one user', async () => {
  const { first, second, ...test } = setUp()
  await test.hold(first, 'filler', 10)
  test.ask(first, 'ada', 10)
  await test.clock.settle()
  test.ask(second, 'ada', 10)
  test.ask(second, 'bob', 10)
  await test.clock.advance(4_000)
  const paced = test.users().slice(10)
  expect(paced.filter((user) => user === 'bob').length).toBeGreaterThanOrEqual(Math.floor(paced.length / 2))
})

it('a 429 to one instance freezes all', async () => {
  const { first, second, ...test } = setUp()
  const [slot] = await test.hold(first, 'ada', 1)
  first.rateLimited(3_000, slot)
  await test.clock.settle()
  test.ask(second, 'bob')
  await test.clock.advance(2_900)
  expect(test.grants).toEqual([])
  await test.clock.advance(400)
  expect(test.users()).toEqual(['bob'])
})

it('the queue passes over an instance that died, and waits for one that is in time', async () => {
  const { first, second, ...test } = setUp()
  await test.hold(first, 'filler', 10)
  test.ask(first, 'filler', 1)
  await test.clock.settle()
  test.ask(first, 'ada', 3)
  await test.clock.settle()
  test.ask(second, 'bob', 3)
  test.kill(first)
  await test.clock.advance(3_000)
  expect(test.users()).toEqual(['bob', 'bob', 'bob'])
})

it('the slots in flight of an instance that died are free after the timeout and a window', async () => {
  const { first, second, ...test } = setUp()
  for (const user of ['ada', 'bob', 'cem']) await test.hold(first, user, user === 'cem' ? 5 : 10)
  test.kill(first)
  test.ask(second, 'dora')
  await test.clock.advance(6_900)
  expect(test.grants).toEqual([])
  await test.clock.advance(400)
  expect(test.users()).toEqual(['dora'])
})

it('counts the queue of all instances against the most that may wait', async () => {
  const { first, second, ...test } = setUp()
  await test.hold(first, 'filler', 10)
  for (let user = 0; user < 3; user += 1) test.ask(user % 2 === 0 ? first : second, `user ${user}`, 20)
  await test.clock.settle()
  const [one, other] = [first.gauge().waiting, second.gauge().waiting]
  expect(Math.max(one, other)).toBeLessThanOrEqual(50)
})

it('requests of two instances with one call get one slot, and the next reply to the other instance says so', async () => {
  const { first, second, ...test } = setUp()
  await test.hold(first, 'filler', 10)
  test.ask(first, 'filler', 2)
  const results = [first, second].map((budget) => budget.acquire(call('ada')))
  await test.clock.advance(2_500)
  expect(await Promise.all(results.map(async (result) => (await result) === 'shared'))).toEqual([false, true])
  expect(test.redis.state?.shared).toEqual([])
})

it('a request that no reply has named yet waits again if the slot was not used', async () => {
  const { first, second, ...test } = setUp()
  await test.hold(first, 'filler', 10)
  test.ask(first, 'filler', 1)
  await test.clock.settle()
  const leader = first.acquire(call('ada')).then((slot) => slot !== 'shared' && slot.release('unsent'))
  const follower = second.acquire(call('bob'))
  await test.clock.advance(2_500)
  await leader
  expect(await follower).not.toBe('shared')
})

it('S40 if an instance dies with a call in flight, another instance makes the call again', async () => {
  const test = setUpInstances()
  const [first, second] = [test.join(), test.join()]
  expect(await first.acquire(call('ada'))).not.toBe('shared')
  expect(await second.acquire(call('bob'))).toBe('shared')
  test.kill(first)
  await test.clock.advance(2_500)
  expect(await second.acquire(call('bob'))).not.toBe('shared')
  expect(await second.acquire(call('cem'))).toBe('shared')
})
