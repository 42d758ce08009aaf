import { expect, it } from 'vitest'
import { setUpInstances } from './coreRedis.test.kit.js'
import type { BudgetEvent } from './core/events.js'

/* What two instances do when the clock of Redis steps, or when the state is not what they left. */

const WINDOW_MS = 5_000
/** A window, its grace, and the time that a test's late calls take. */
const BACK_WITHIN_MS = 7_000

async function setUp() {
  const test = setUpInstances()
  const instances = [test.join(), test.join()] as const
  for (const [index, budget] of instances.entries()) test.ask(budget, `user ${index}`, 20)
  await test.clock.advance(9_000)
  test.events.length = 0
  const ask = (): void => {
    for (const [index, budget] of instances.entries()) test.ask(budget, `user ${index}`, 15)
  }
  const most = (): number => {
    const times = test.grants.map(({ at }) => at)
    return Math.max(...times.map((from) => times.filter((at) => at >= from && at < from + WINDOW_MS).length))
  }
  return { ...test, ask, most, steps: () => stepsOf(test.events) }
}

const stepsOf = (events: readonly BudgetEvent[]): number[] =>
  events.flatMap((event) => (event.reason === 'clock-stepped' ? [event.byMs] : []))

it.each([
  ['two seconds', 2_000],
  ['a minute', 60_000],
  ['five hours', 18_000_000],
])(
  'S42 the clock of Redis steps forward by %s: no slot comes twice, and all share again within a window',
  async (_name, byMs) => {
    const test = await setUp()
    test.ask()
    await test.clock.advance(50)
    const before = test.grants.length
    test.redis.clockAheadMs += byMs
    await test.clock.advance(BACK_WITHIN_MS)
    expect(test.most()).toBeLessThanOrEqual(25)
    for (const step of test.steps()) expect(Math.abs(step - byMs)).toBeLessThan(500)
    expect(test.steps()).not.toEqual([])
    test.ask()
    await test.clock.advance(5_000)
    expect(test.grants.length - before).toBeGreaterThan(20)
    expect(test.most()).toBeLessThanOrEqual(25)
  },
)

it.each([
  ['two seconds', 2_000],
  ['a minute', 60_000],
  ['five hours', 18_000_000],
])('S42 the clock of Redis steps back by %s: slots come as if it had not', async (_name, byMs) => {
  const test = await setUp()
  test.ask()
  await test.clock.advance(50)
  const before = test.grants.length
  test.redis.clockAheadMs -= byMs
  await test.clock.advance(3_000)
  expect(test.grants.length - before).toBeGreaterThan(9)
  expect(test.most()).toBeLessThanOrEqual(25)
  expect(test.steps()).toHaveLength(1)
  expect(Math.abs((test.steps()[0] ?? 0) + byMs)).toBeLessThan(500)
})

it('a step of less than half a second back is mended without an event', async () => {
  const test = await setUp()
  test.redis.clockAheadMs -= 400
  test.ask()
  await test.clock.advance(3_000)
  expect(test.most()).toBeLessThanOrEqual(25)
  expect(test.events).toEqual([])
})

const state = { epoch: 'other', cold: true, calls: 3, virtual: 0, lowered: 0, loweredAt: 0, frozenUntil: 0 }
it.each([
  ['a text', 'what is this'],
  ['a list', [1, 2]],
  ['null', null],
  ['another object', { slots: [], waiters: [] }],
  ['a field of another type', { ...state, calls: '3' }],
])(
  'S42 %s is found in the place of the state: a loss, and all share again after a window',
  async (_name, found) => {
    const test = await setUp()
    test.redis.found = found
    test.ask()
    await test.clock.advance(BACK_WITHIN_MS)
    expect(test.events.filter(({ reason }) => reason === 'state-lost')).toHaveLength(1)
    expect(test.most()).toBeLessThanOrEqual(25)
    const before = test.grants.length
    await test.clock.advance(3_000)
    expect(test.grants.length - before).toBeGreaterThan(5)
  },
)

it.each([0, 2, '1'])('S42 a state of version %j is a loss', async (version) => {
  const test = await setUp()
  test.redis.found = { ...test.redis.state, version }
  test.ask()
  await test.clock.advance(3_000)
  expect(test.events.map(({ reason }) => reason)).toContain('state-lost')
  expect(test.most()).toBeLessThanOrEqual(25)
})

it('S42 leaves alone what a later release has added to the state', async () => {
  const test = await setUp()
  test.redis.found = { ...test.redis.state, later: { any: 'thing' } }
  test.ask()
  await test.clock.advance(3_000)
  expect(test.events).toEqual([])
  expect(test.grants.length).toBeGreaterThan(45)
  expect(test.redis.state).toMatchObject({ version: 1, later: { any: 'thing' } })
})

it('S42 times that could not be right are cut to what a slot can be worth', async () => {
  const test = await setUp()
  const far = 9e12
  const slots = test.redis.state?.slots.map((slot) => ({ ...slot, freeAt: far, grantedAt: far, doneAt: far }))
  test.redis.found = {
    ...test.redis.state,
    slots,
    frozenUntil: far,
    limitedAt: far,
    loweredAt: far,
    lowered: 99,
  }
  await test.clock.advance(62_000)
  const before = test.grants.length
  test.ask()
  await test.clock.advance(3_000)
  expect(test.grants.length - before).toBeGreaterThan(3)
})
