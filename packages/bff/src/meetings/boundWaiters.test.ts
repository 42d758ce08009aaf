import { expect, it } from 'vitest'
import type { Account } from '../accounts/Account.js'
import { accountOf } from '../accounts/accountOf.test.kit.js'
import { boundWaiters, MAX_WAITERS } from './boundWaiters.js'

const REFUSED = expect.objectContaining({ code: 'BUDGET_EXHAUSTED', retryAfterMs: 5_000 }) as Error

const [acme, bolt, coil] = [accountOf('acme'), accountOf('bolt'), accountOf('coil')]

/** The test runs the steps. */
function setUp() {
  const tasks: (() => void)[] = []
  return { waiters: boundWaiters((task) => tasks.push(task)), tasks }
}

/** Waits until promises have settled. */
const turn = (): Promise<void> => new Promise((resolve) => setImmediate(resolve))

it('S23 refuses a request if too many wait for its page, for its account, or for all pages together', async () => {
  const { waiters } = setUp()
  const enter = (account: Account, count: number) => {
    for (let waiter = 0; waiter < count; waiter += 1) waiters.enter(account, 0)
  }
  expect(() => waiters.enter(acme, MAX_WAITERS.ofPage)).toThrow(REFUSED)
  enter(acme, MAX_WAITERS.ofAccount - 1)
  waiters.enter(acme, MAX_WAITERS.ofPage - 1)
  expect(() => waiters.enter(acme, 0)).toThrow(REFUSED)
  // S65: the others have room.
  enter(bolt, MAX_WAITERS.ofAll - MAX_WAITERS.ofAccount)
  expect(() => waiters.enter(coil, 0)).toThrow(REFUSED)
  void waiters.leave(bolt)
  await Promise.resolve()
  expect(() => waiters.enter(coil, 0)).toThrow(REFUSED)
})

it('S65 a request leaves at once, however many of another account leave in steps', async () => {
  const { waiters, tasks } = setUp()
  for (let waiter = 0; waiter < 250; waiter += 1) waiters.enter(acme, 0)
  for (let waiter = 0; waiter < 250; waiter += 1) void waiters.leave(acme)
  waiters.enter(bolt, 0)
  await waiters.leave(bolt)
  expect(tasks).toHaveLength(1)
})

it('lets a hundred waiters leave at once, and more of them in steps', async () => {
  const { waiters, tasks } = setUp()
  let gone = 0
  const go = async (): Promise<void> => {
    await waiters.leave(acme)
    gone += 1
  }
  for (let waiter = 0; waiter < 100; waiter += 1) waiters.enter(acme, 0)
  for (let waiter = 0; waiter < 100; waiter += 1) void go()
  await turn()
  expect([gone, tasks.length]).toEqual([100, 0])

  for (let waiter = 0; waiter < 250; waiter += 1) waiters.enter(acme, 0)
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
