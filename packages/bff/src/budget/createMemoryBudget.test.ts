import { expect, it } from 'vitest'
import { BudgetRefusal } from './Budget.js'
import { createMemoryBudget } from './createMemoryBudget.js'
import { virtualClock } from './virtualClock.test.support.js'

const request = { user: 'ada', deadlineMs: 10_000 }

it('frees a slot one window after the response, not after the request', async () => {
  const clock = virtualClock()
  const budget = createMemoryBudget({ clock, maxWaiting: 100, maxWaitingPerUser: 100 })
  const { signal } = new AbortController()
  const users = Array.from({ length: 25 }, (_, index) => `user ${index}`)
  const slots = await Promise.all(users.map((user) => budget.acquire({ ...request, user, signal })))
  let granted = false
  void budget.acquire({ ...request, signal }).then(() => (granted = true))
  await clock.advance(3_000)
  for (const slot of slots) slot.release('answered')
  await clock.advance(4_999)
  expect(granted).toBe(false)
  await clock.advance(50)
  expect(granted).toBe(true)
})

it('refuses at once where the wait would outlast the deadline', async () => {
  const clock = virtualClock()
  const budget = createMemoryBudget({ clock })
  const { signal } = new AbortController()
  budget.rateLimited(5_000)
  const refusal = await budget
    .acquire({ ...request, deadlineMs: 1_000, signal })
    .catch((error: unknown) => error)
  expect(refusal).toBeInstanceOf(BudgetRefusal)
  expect(refusal).toMatchObject({ reason: 'too-late', retryAfterMs: 5_000 })
})
