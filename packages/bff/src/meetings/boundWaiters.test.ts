import { expect, it } from 'vitest'
import { boundWaiters, MAX_WAITERS } from './boundWaiters.js'

const REFUSED = expect.objectContaining({ code: 'BUDGET_EXHAUSTED', retryAfterMs: 5_000 }) as Error

/** The test runs the steps. */
function setUp() {
  const tasks: (() => void)[] = []
  return { waiters: boundWaiters((task) => tasks.push(task)), tasks }
}

/** Waits until promises have settled. */
const turn = (): Promise<void> => new Promise((resolve) => setImmediate(resolve))

it('S23 refuses a request if too many wait for its page, or for all pages together', async () => {
  const { waiters } = setUp()
  expect(() => waiters.enter(MAX_WAITERS.ofPage)).toThrow(REFUSED)
  for (let waiter = 0; waiter < MAX_WAITERS.ofAll - 1; waiter += 1) waiters.enter(0)
  waiters.enter(MAX_WAITERS.ofPage - 1)
  expect(() => waiters.enter(0)).toThrow(REFUSED)
  void waiters.leave()
  await Promise.resolve()
  expect(() => waiters.enter(0)).toThrow(REFUSED)
})

it('lets a hundred waiters leave at once, and more of them in steps', async () => {
  const { waiters, tasks } = setUp()
  let gone = 0
  const go = async (): Promise<void> => {
    await waiters.leave()
    gone += 1
  }
  for (let waiter = 0; waiter < 100; waiter += 1) waiters.enter(0)
  for (let waiter = 0; waiter < 100; waiter += 1) void go()
  await turn()
  expect([gone, tasks.length]).toEqual([100, 0])

  for (let waiter = 0; waiter < 250; waiter += 1) waiters.enter(0)
  for (let waiter = 0; waiter < 250; waiter += 1) void go()
  await turn()
  expect([gone, tasks.length]).toEqual([100, 1])
  tasks[0]!()
  await turn()
  expect([gone, tasks.length]).toEqual([200, 2])
  tasks[1]!()
  await turn()
  tasks[2]!()
  await turn()
  expect([gone, tasks.length]).toEqual([350, 3])
})
