import type { Account } from '../accounts/Account.js'
import { BffError } from '../base/BffError.js'

/**
 * Maximum number of requests that may wait for one page, for the pages of one account, and for all pages. So
 * no account can use up the room of the others. Each uses a connection and some KiB of memory. (security.md,
 * S65.)
 */
export const MAX_WAITERS = { ofPage: 7_000, ofAccount: 10_000, ofAll: 20_000 } as const

/**
 * If more requests of an account than this wait, only this many leave in one task. Their responses take some
 * milliseconds.
 */
const AT_ONCE = 100

/**
 * Runs a task after the requests that have arrived by now. Timers of 0 ms let far fewer through: while 6,000
 * waiters leave, 2 requests of others are served, and with this 30. Some hosts have only timers.
 */
const afterOthers =
  (globalThis as { setImmediate?: (task: () => void) => unknown }).setImmediate ?? setTimeout

/** The requests of one account. */
interface Crowd {
  waiting: number
  leaving: (() => void)[]
}

/**
 * Limits the requests that wait for pages. If a page arrives or fails for thousands of them, they leave in
 * steps, so that the process can serve other requests in between.
 */
export function boundWaiters(next = afterOthers) {
  const crowds = new Map<Account, Crowd>()
  let all = 0

  const step = (crowd: Crowd): void => {
    const now = crowd.leaving.slice(0, AT_ONCE)
    crowd.leaving = crowd.leaving.slice(AT_ONCE)
    for (const leave of now) leave()
    if (crowd.leaving.length > 0) next(() => step(crowd))
  }

  return {
    /** Throws BUDGET_EXHAUSTED if too many requests wait. Call `leave` for each request that has entered. */
    enter(account: Account, ofPage: number): void {
      const crowd = crowds.get(account) ?? { waiting: 0, leaving: [] }
      if (ofPage >= MAX_WAITERS.ofPage || crowd.waiting >= MAX_WAITERS.ofAccount || all >= MAX_WAITERS.ofAll)
        throw new BffError('BUDGET_EXHAUSTED')
      crowds.set(account, crowd)
      crowd.waiting += 1
      all += 1
    },
    async leave(account: Account): Promise<void> {
      const crowd = crowds.get(account)
      if (!crowd) return
      if (crowd.waiting > AT_ONCE)
        await new Promise<void>((leave) => {
          if (crowd.leaving.push(leave) === 1) next(() => step(crowd))
        })
      crowd.waiting -= 1
      all -= 1
      if (crowd.waiting === 0) crowds.delete(account)
    },
  }
}
