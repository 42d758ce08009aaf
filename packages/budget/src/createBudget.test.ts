import { getEventListeners } from 'node:events'
import { expect, it } from 'vitest'
import { ACCOUNT } from './account.test.kit.js'
import { createBudget } from './createBudget.js'
import { describeBudget } from './describeBudget.test.kit.js'
import type { BudgetEvent } from './core/events.js'
import { virtualClock } from '@stagepass/testing/virtualClock'

describeBudget('in memory', async (options) => {
  const clock = virtualClock()
  const events: BudgetEvent[] = []
  const budget = createBudget({ ...ACCOUNT, ...options, clock, onEvent: (event) => events.push(event) })
  return { budget, clock, events, [Symbol.asyncDispose]: async () => {} }
})

it('refuses options out of range, in a sentence', () => {
  expect(() => createBudget({ ...ACCOUNT, reserve: 25 })).toThrow(
    'Failed to create the budget: reserve is 25. Give a whole number from 0 to 24.',
  )
  expect(() => createBudget({ ...ACCOUNT, burst: 1.5 })).toThrow('burst is 1.5')
})

it.each(["x'}] --", '', 'a b', '{main}', 'é', 'x'.repeat(65)])(
  'refuses an account name that cannot be part of a Redis key, in a sentence: %j',
  (account) => {
    expect(() => createBudget({ ...ACCOUNT, account })).toThrow(
      'Failed to create the budget: account is not a short name. Use up to 64 letters, digits and . : _ -',
    )
  },
)

it('is not disturbed by a listener that throws', async () => {
  const budget = createBudget({
    ...ACCOUNT,
    onEvent: () => {
      throw new Error('listener')
    },
  })
  const { signal } = new AbortController()
  await expect(budget.acquire({ user: 'ada', deadlineMs: 0, signal })).rejects.toMatchObject({
    reason: 'too-late',
  })
})

it('sets no timer while no request waits, so that a process can exit', async () => {
  const clock = virtualClock()
  let timers = 0
  const after: typeof clock.after = (delayMs, task) => {
    timers += 1
    const cancel = clock.after(delayMs, task)
    return () => {
      timers -= 1
      cancel()
    }
  }
  const budget = createBudget({ ...ACCOUNT, clock: { now: () => clock.now(), after } })
  const slot = await budget.acquire({ user: 'ada', deadlineMs: 1_000, signal: new AbortController().signal })
  slot.release('answered')
  await clock.settle()
  expect(timers).toBe(0)
})

it('has one listener on a signal with which a caller waits for many slots', async () => {
  const budget = createBudget({ ...ACCOUNT, limit: 1, windowMs: 60_000 })
  const controller = new AbortController()
  const { signal } = controller
  const asked = Array.from({ length: 30 }, (_, user) =>
    budget.acquire({ user: String(user), deadlineMs: 60_000, signal }),
  )
  const slot = await asked[0]
  slot?.release('answered')
  expect(getEventListeners(signal, 'abort')).toHaveLength(1)
  controller.abort('no longer wanted')
  const others = await Promise.allSettled(asked.slice(1))
  expect(new Set(others.map((each) => each.status === 'rejected' && each.reason))).toEqual(
    new Set(['no longer wanted']),
  )
  expect(budget.gauge().waiting).toBe(0)
  expect(getEventListeners(signal, 'abort')).toEqual([])
})

it('leaves no listener on a signal that outlives the wait', async () => {
  const { signal } = new AbortController()
  const budget = createBudget(ACCOUNT)
  await budget.acquire({ user: 'ada', deadlineMs: 60_000, signal })
  expect(getEventListeners(signal, 'abort')).toEqual([])
})
