import { virtualClock } from '@stagepass/testing/virtualClock'
import { expect, it } from 'vitest'
import { createBreaker } from './createBreaker.js'
import { createRefunds } from './createRefunds.js'
import { createUsageStore } from './createUsageStore.js'

const MINUTE_MS = 60_000
const DAY = '2030-01-01:stt:ada'

it('S47 a refund waits for Redis longer than its token would have lived', async () => {
  const clock = virtualClock()
  const truth = createUsageStore({ redis: undefined, account: 'main', clock })
  let isLost = true
  const store: typeof truth = {
    ...truth,
    cancel: (...args) =>
      isLost ? Promise.reject(new Error('Socket closed unexpectedly')) : truth.cancel(...args),
  }
  const refunds = createRefunds(store, createBreaker(clock, 750), clock)
  const lifeMs = 5 * MINUTE_MS
  await truth.reserve(DAY, 'a', { wantedMs: lifeMs, leastMs: lifeMs, limitMs: Infinity })
  await refunds.add(DAY, 'a', lifeMs)
  await clock.advance(2 * lifeMs)
  expect(refunds.isWaiting(DAY)).toBe(true)
  expect(await truth.read([DAY])).toEqual([{ taken: lifeMs, used: 0 }])
  isLost = false
  await clock.advance(5_000)
  expect(refunds.isWaiting(DAY)).toBe(false)
  expect(await truth.read([DAY])).toEqual([{ taken: 0, used: 0 }])
})
