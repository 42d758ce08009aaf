import { virtualClock } from '@stagepass/testing/virtualClock'
import { afterEach, expect, it, vi } from 'vitest'
import { ACCOUNT } from './account.test.kit.js'
import type { BudgetOptions } from './BudgetOptions.js'
import { systemClock } from './core/Clock.js'
import { createBudget } from './createBudget.js'
import { redisEval } from './redis/redisClient.js'
import type { Slot, SlotRequest } from './waiting/Budget.js'

afterEach(() => void vi.useRealTimers())

/** A value that TypeScript would refuse. */
const wrong = (value: unknown): never => value as never

const OPTIONS: readonly (readonly [options: unknown, sentence: string])[] = [
  [undefined, 'the argument is undefined. Give an object with "limit".'],
  ['25', 'the argument is a string.'],
  [{ ...ACCOUNT, limit: '25' }, 'limit is a string. Give a whole number from 1 to 100000.'],
  [{ ...ACCOUNT, limit: Number.NaN }, 'limit is NaN.'],
  [{ ...ACCOUNT, windowMs: Infinity }, 'windowMs is Infinity. Give a whole number from 100 to 3600000.'],
  [{ ...ACCOUNT, timeoutMs: 0 }, 'timeoutMs is 0. Give a whole number from 1 to 600000.'],
  [{ ...ACCOUNT, maxWaiting: null }, 'maxWaiting is null.'],
  [{ ...ACCOUNT, onEvent: 'log' }, 'onEvent is a string. Give a function, or leave it out.'],
  [{ ...ACCOUNT, random: 0.5 }, 'random is 0.5.'],
  [{ ...ACCOUNT, clock: { now: () => 0 } }, 'clock has no methods now and after.'],
  [{ ...ACCOUNT, timeout: 5 }, 'there is no option "timeout". The options are limit, windowMs, redis,'],
]

it.each(OPTIONS)('refuses options at the call, in a sentence: %j', (options, sentence) => {
  expect(() => createBudget(options as BudgetOptions)).toThrow(`Failed to create the budget: ${sentence}`)
})

it.each([null, 5, 'redis://127.0.0.1', {}, { eval: () => undefined }])(
  'refuses what is no Redis client: %j',
  (redis) => {
    for (const create of [
      () => createBudget({ ...ACCOUNT, redis: wrong(redis) }),
      () => redisEval(wrong(redis)),
    ])
      expect(create).toThrow(
        /^Failed to use the Redis client: it is (null|5|a string|an object) without the methods of node-redis or ioredis\. Give /,
      )
  },
)

const REQUESTS: readonly (readonly [request: unknown, sentence: string])[] = [
  [undefined, 'the argument is undefined. Give an object with "user".'],
  [{}, 'user is undefined. Give the id of the user as a string,'],
  [{ user: 7 }, 'user is 7.'],
  [{ user: () => 'ada' }, 'the function user returned a string. Return a list of { user }.'],
  [{ user: () => ['ada'] }, 'user is undefined.'],
  [{ user: () => [null] }, 'user is undefined.'],
  [{ user: () => [{ user: 'ada', weight: 0 }] }, 'weight is 0.'],
  [{ user: 'ada', weight: 0 }, 'weight is 0. Give a number from 0.01 to 100.'],
  [{ user: 'ada', weight: Number.NaN }, 'weight is NaN.'],
  [{ user: 'ada', weight: -1 }, 'weight is -1.'],
  [{ user: 'ada', weight: 101 }, 'weight is 101.'],
  [{ user: 'ada', weight: '2' }, 'weight is a string.'],
  [{ user: 'ada', priority: 'high' }, "priority is a string. Give 'user' or 'background'."],
  [{ user: 'ada', deadlineMs: Number.NaN }, 'deadlineMs is NaN. Give milliseconds from now as a number,'],
  [{ user: 'ada', deadlineMs: null }, 'deadlineMs is null.'],
  [{ user: 'ada', deadlineMs: '10s' }, 'deadlineMs is a string.'],
  [{ user: 'ada', deadlineMs: () => Number('10s') }, 'deadlineMs is NaN.'],
  [{ user: 'ada', deadlineMs: () => undefined }, 'deadlineMs is undefined.'],
  [{ user: 'ada', signal: {} }, 'signal is an object. Give the signal of an AbortController.'],
  [{ user: 'ada', deadline: 5 }, 'there is no option "deadline". The options are user, weight,'],
]

it.each(REQUESTS)('refuses a request at the call, in a sentence: %j', async (request, sentence) => {
  const budget = createBudget(ACCOUNT)
  await expect(budget.acquire(request as SlotRequest)).rejects.toThrow(
    `Failed to acquire a slot: ${sentence}`,
  )
  expect(budget.gauge()).toMatchObject({ used: 0, waiting: 0 })
})

/** A budget whose slots are all in use. */
async function full() {
  const clock = virtualClock()
  const budget = createBudget({ ...ACCOUNT, burst: 25, maxWaitingPerUser: 50, clock })
  const slots = await Promise.all(Array.from({ length: 25 }, () => budget.acquire({ user: 'filler' })))
  return { budget, clock, slots }
}

const failing = (): never => {
  throw new Error('The function of the caller failed.')
}
const FUNCTIONS: readonly (readonly [
  name: string,
  later: Partial<Record<keyof SlotRequest, () => unknown>>,
])[] = [
  ['deadlineMs returns NaN', { deadlineMs: () => Number.NaN }],
  ['deadlineMs throws', { deadlineMs: failing }],
  ['user throws', { user: failing }],
  ['user returns no list', { user: () => 'ada' }],
]

it.each(FUNCTIONS)('a function that fails later ends only its own wait: %s', async (_name, later) => {
  const { budget, clock, slots } = await full()
  let functions: typeof later = { user: () => [{ user: 'ada' }], deadlineMs: () => 60_000 }
  const bad = budget
    .acquire({ user: () => wrong(functions.user?.()), deadlineMs: () => wrong(functions.deadlineMs?.()) })
    .catch((error: unknown) => error)
  const good = budget.acquire({ user: 'bob' })
  await clock.advance(500)
  functions = { ...functions, ...later }
  for (const slot of slots) slot.release('answered')
  await clock.advance(6_000)
  await expect(bad).resolves.toBeInstanceOf(Error)
  await expect(good).resolves.toBeDefined()
  expect(budget.gauge()).toMatchObject({ used: 1, waiting: 0 })
})

it('waits without a signal for ten seconds, and with Infinity without an end', async () => {
  const { budget, clock, slots } = await full()
  const since = clock.now()
  const patient = budget.acquire({ user: 'ada', deadlineMs: Infinity })
  const usual = budget.acquire({ user: 'bob' }).catch(() => clock.now() - since)
  await clock.advance(15_000)
  expect(await usual).toBeLessThanOrEqual(10_000)
  expect(budget.gauge().waiting).toBe(1)
  for (const slot of slots) slot.release('answered')
  await clock.advance(6_000)
  await expect(patient).resolves.toBeDefined()
})

it.each([undefined, 'done', null])('refuses an unknown outcome of a slot: %j', async (outcome) => {
  const budget = createBudget(ACCOUNT)
  const slot = await budget.acquire({ user: 'ada' })
  expect(() => slot.release(wrong(outcome))).toThrow(
    /^Failed to release the slot: the outcome is .*\. Give 'answered', 'unsent' or 'aborted'\.$/,
  )
  slot.release('unsent')
  await Promise.resolve()
  expect(budget.gauge().used).toBe(0)
})

it.each<readonly [unknown, unknown, string]>([
  [Number.NaN, undefined, 'retryAfterMs is NaN. Give milliseconds as a number, or undefined'],
  ['3', undefined, 'retryAfterMs is a string.'],
  [null, undefined, 'retryAfterMs is null.'],
  [3, 'slot', 'the slot is a string. Give the slot of the request, or leave it out.'],
])('refuses a wrong report of a 429: %j, %j', (retryAfterMs, slot, sentence) => {
  const budget = createBudget(ACCOUNT)
  expect(() => budget.rateLimited(wrong(retryAfterMs), slot as Slot)).toThrow(
    `Failed to report a 429: ${sentence}`,
  )
  expect(budget.gauge().frozenMs).toBe(0)
})

it.each([
  [Infinity, 60_000],
  [1e300, 60_000],
  [0.5, 1],
  [-5, 0],
])('a Retry-After of %d ms stops the budget for %d ms', (retryAfterMs, frozenMs) => {
  const budget = createBudget({ ...ACCOUNT, clock: virtualClock() })
  budget.rateLimited(retryAfterMs)
  expect(budget.gauge().frozenMs).toBe(frozenMs)
})

it.each([2 ** 31, 1e15, Infinity])('the clock of the process has no timer that runs early: %d ms', (ms) => {
  vi.useFakeTimers()
  let ran = 0
  const cancel = systemClock.after(ms, () => (ran += 1))
  vi.advanceTimersByTime(2 ** 31 - 1)
  expect(ran).toBe(0)
  cancel()
  expect(vi.getTimerCount()).toBe(0)
  expect(() => systemClock.after(Number.NaN, () => undefined)).toThrow(
    'Failed to set a timer: the delay is NaN',
  )
})
