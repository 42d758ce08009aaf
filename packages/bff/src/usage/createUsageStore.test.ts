import { virtualClock } from '@stagepass/testing/virtualClock'
import { describe, expect, it } from 'vitest'
import { createUsageStore, MAX_COUNTED_IN_MEMORY } from './createUsageStore.js'
import { type Limits, MONTH_MS, NO_LIMITS, type Reserved, SUM_MS } from './usageRules.js'

const MINUTE_MS = 60_000
const DAY = '2030-01-01:stt'
const WITH_MONTH: Limits = { ...NO_LIMITS, 'user month': 100 * MINUTE_MS }

function start() {
  const clock = virtualClock()
  const store = createUsageStore({ redis: undefined, account: 'main', clock })
  let count = 0
  const wanted = (limits: Limits) => ({ wantedMs: 10 * MINUTE_MS, leastMs: 5 * MINUTE_MS, limits })
  const reserved = async (key: string, limits = NO_LIMITS): Promise<Reserved> => {
    const result = await store.reserve(key, `id ${(count += 1)}`, wanted(limits))
    if (typeof result === 'string') throw new Error('No token is replaced here.')
    return result
  }
  /** Returns the minutes of a token, or why there is none. */
  const reserve = (key: string, limits?: Limits): Promise<number | string> =>
    reserved(key, limits).then(
      ({ reservedMs }) => reservedMs / MINUTE_MS,
      (error: Error) => error.message,
    )
  return {
    clock,
    store,
    reserve,
    reserved,
    fill: async (limits?: Limits): Promise<void> => {
      for (let user = 0; user < MAX_COUNTED_IN_MEMORY; user += 1) await reserve(`${DAY}:acme:${user}`, limits)
    },
  }
}

const FULL = 'This process already counts 100000 users of a product.'

describe('S27 a process that counts as many users as it may', () => {
  it('refuses another one until the sums of some have ended, and goes on with those that it knows', async () => {
    const { clock, reserve, fill } = start()
    await fill()
    expect(await reserve(`${DAY}:acme:another`)).toBe(FULL)
    expect(await reserve(`${DAY}:acme:0`)).toBe(10)
    // It looks for sums that have ended once a minute.
    clock.jump(SUM_MS - 30_000)
    expect(await reserve(`${DAY}:acme:another`)).toBe(FULL)
    clock.jump(59_999)
    expect(await reserve(`${DAY}:acme:another`)).toBe(FULL)
    clock.jump(1)
    expect(await reserve(`${DAY}:acme:another`)).toBe(10)
  })

  it('counts no month of one more, who has a limit for it', async () => {
    const { clock, reserve, fill } = start()
    await fill(WITH_MONTH)
    expect(await reserve(`${DAY}:acme:another`, WITH_MONTH)).toBe(FULL)
    clock.jump(SUM_MS + 1)
    // The sum of the day is free, that of the month is not.
    expect(await reserve(`${DAY}:acme:another`, WITH_MONTH)).toBe(FULL)
    expect(await reserve(`${DAY}:acme:0`, WITH_MONTH)).toBe(FULL)
    clock.jump(MONTH_MS)
    expect(await reserve(`${DAY}:acme:another`, WITH_MONTH)).toBe(10)
    // A user whose day is known, and whose month is not, needs room for the month alone.
    expect(await reserve(`${DAY}:acme:one more`)).toBe(10)
    expect(await reserve(`${DAY}:acme:one more`, WITH_MONTH)).toBe(10)
  })
})

it('S69 drops the sums and thresholds of one account, and no others', async () => {
  const { store, reserve, reserved } = start()
  const limits: Limits = {
    'user day': 10 * MINUTE_MS,
    'user month': 10 * MINUTE_MS,
    'account day': 10 * MINUTE_MS,
    'account month': 10 * MINUTE_MS,
  }
  const [acme, bolt] = [`${DAY}:acme:ada`, `${DAY}:bolt:ada`]
  for (const key of [acme, bolt]) expect(await reserve(key, limits)).toBe(10)
  await store.drop('acme')
  expect(await store.read([acme, bolt])).toEqual([
    { taken: 0, used: 0, month: 0 },
    { taken: 10 * MINUTE_MS, used: 0, month: 10 * MINUTE_MS },
  ])
  const sumsOf = async (key: string): Promise<string[]> =>
    (await reserved(key, limits)).crossed.map(({ sum }) => sum)
  // The minutes of the account stay for a bill, so its limits are reached.
  expect(await sumsOf(acme)).toEqual(['account day', 'account month'])
  expect(await sumsOf(bolt)).toEqual([])
})
