import { virtualClock } from '@stagepass/testing/virtualClock'
import { expect, it } from 'vitest'
import { createBreaker } from './createBreaker.js'
import { createRefunds } from './createRefunds.js'
import { createUsageStore } from './createUsageStore.js'
import { NO_LIMITS } from './usageRules.js'
import { OPEN_AFTER_MS } from './usageRules.js'

const MINUTE_MS = 60_000
const DAY = '2030-01-01:stt:ada'
const OTHER_DAY = '2030-01-01:stt:bob'
const LIFE_MS = 5 * MINUTE_MS

const LOST = new Error('Socket closed unexpectedly')

/** Refunds of a store whose `cancel` rejects with the failure of the reservation. */
function setup() {
  const clock = virtualClock()
  const truth = createUsageStore({ redis: undefined, account: 'main', clock })
  const failures = new Map<string, Error>()
  const store: typeof truth = {
    ...truth,
    async cancel(key, id) {
      const failure = failures.get(id)
      if (failure) throw failure
      await truth.cancel(key, id)
    },
  }
  return {
    clock,
    truth,
    failures,
    refunds: createRefunds(store, createBreaker(clock, 750), clock),
    reserve: (key: string, id: string) =>
      truth.reserve(key, id, { wantedMs: LIFE_MS, leastMs: LIFE_MS, limits: NO_LIMITS }),
  }
}

it('S47 a refund waits for Redis longer than its token would have lived', async () => {
  const { clock, truth, failures, refunds, reserve } = setup()
  failures.set('a', LOST)
  await reserve(DAY, 'a')
  await refunds.add(DAY, 'a', LIFE_MS)
  await clock.advance(2 * LIFE_MS)
  expect(refunds.isWaiting((key) => key === DAY)).toBe(true)
  expect(await truth.read([DAY])).toEqual([{ taken: LIFE_MS, used: 0, month: 0 }])
  failures.clear()
  await clock.advance(5_000)
  expect(refunds.isWaiting((key) => key === DAY)).toBe(false)
  expect(await truth.read([DAY])).toEqual([{ taken: 0, used: 0, month: 0 }])
})

it('S47 a refund waits as long as its reservation is open, and no longer', async () => {
  const { clock, failures, refunds } = setup()
  failures.set('a', LOST)
  await refunds.add(DAY, 'a', LIFE_MS)
  await clock.advance(LIFE_MS + OPEN_AFTER_MS - 1_000)
  expect(refunds.isWaiting((key) => key === DAY)).toBe(true)
  await clock.advance(3_000)
  expect(refunds.isWaiting((key) => key === DAY)).toBe(false)
  expect(clock.timers).toBe(0)
})

it('S47 after an outage all refunds arrive', async () => {
  const { clock, truth, failures, refunds, reserve } = setup()
  const keys = [DAY, OTHER_DAY, '2030-01-01:stt:eve', '2030-01-01:stt:tom']
  for (const key of keys) {
    failures.set(key, LOST)
    await reserve(key, key)
    await refunds.add(key, key, LIFE_MS)
  }
  failures.clear()
  await clock.advance(5_000)
  expect(keys.filter((one) => refunds.isWaiting((other) => other === one))).toEqual([])
  expect(await truth.read(keys)).toEqual(keys.map(() => ({ taken: 0, used: 0, month: 0 })))
})

it('S47 an error reply for the refund of one user does not delay the refund of another', async () => {
  const { clock, truth, failures, refunds, reserve } = setup()
  failures.set('a', LOST).set('b', LOST)
  for (const [key, id] of [
    [DAY, 'a'],
    [OTHER_DAY, 'b'],
  ] as const) {
    await reserve(key, id)
    await refunds.add(key, id, LIFE_MS)
  }
  failures
    .set('a', new Error('WRONGTYPE Operation against a key holding the wrong kind of value'))
    .delete('b')
  await clock.advance(5_000)
  expect(refunds.isWaiting((key) => key === DAY)).toBe(true)
  expect(refunds.isWaiting((key) => key === OTHER_DAY)).toBe(false)
  expect(await truth.read([OTHER_DAY])).toEqual([{ taken: 0, used: 0, month: 0 }])
})

it('at its end makes a last attempt, and leaves no timer', async () => {
  const { clock, truth, failures, refunds, reserve } = setup()
  const refused = new Error('OOM command not allowed when used memory > maxmemory.')
  failures.set('a', refused).set('b', refused)
  await reserve(DAY, 'a')
  await refunds.add(DAY, 'a', LIFE_MS)
  await refunds.add(OTHER_DAY, 'b', LIFE_MS)
  failures.delete('a')
  await refunds.close()
  expect(await truth.read([DAY])).toEqual([{ taken: 0, used: 0, month: 0 }])
  expect(refunds.isWaiting((key) => key === OTHER_DAY)).toBe(false)
  expect(clock.timers).toBe(0)
})

it('does not keep the process running while a refund waits', async () => {
  const clock = virtualClock()
  const keptAlive: (boolean | undefined)[] = []
  const store = createUsageStore({ redis: undefined, account: 'main', clock })
  const refunds = createRefunds({ ...store, cancel: () => Promise.reject(LOST) }, createBreaker(clock, 750), {
    now: () => clock.now(),
    after(delayMs, task, keepAlive) {
      keptAlive.push(keepAlive)
      return clock.after(delayMs, task)
    },
  })
  await refunds.add(DAY, 'a', LIFE_MS)
  expect(keptAlive).toEqual([false])
})

it('ends without a refund that waits', async () => {
  const { clock, refunds } = setup()
  await refunds.close()
  expect(clock.timers).toBe(0)
})
