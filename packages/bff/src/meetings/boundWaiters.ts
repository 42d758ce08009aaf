import { BffError } from '../base/BffError.js'

/**
 * Maximum number of requests that may wait for one page, and for all pages. Each uses a connection and some
 * KiB of memory.
 */
export const MAX_WAITERS = { ofPage: 7_000, ofAll: 10_000 } as const

/**
 * If more requests than this wait, only this many leave in one task. Their responses take some milliseconds.
 */
const AT_ONCE = 100

/**
 * Runs a task after the requests that have arrived by now. Timers of 0 ms let far fewer through: while 6,000
 * waiters leave, 2 requests of others are served, and with this 30. Some hosts have only timers.
 */
const afterOthers =
  (globalThis as { setImmediate?: (task: () => void) => unknown }).setImmediate ?? setTimeout

/**
 * Limits the requests that wait for pages. If a page arrives or fails for thousands of them, they leave in
 * steps, so that the process can serve other requests in between.
 */
export function boundWaiters(next = afterOthers) {
  let all = 0
  let leaving: (() => void)[] = []

  const step = (): void => {
    const now = leaving.slice(0, AT_ONCE)
    leaving = leaving.slice(AT_ONCE)
    for (const leave of now) leave()
    if (leaving.length > 0) next(step)
  }

  return {
    /** Throws BUDGET_EXHAUSTED if too many requests wait. Call `leave` for each request that has entered. */
    enter(ofPage: number): void {
      if (ofPage >= MAX_WAITERS.ofPage || all >= MAX_WAITERS.ofAll) throw new BffError('BUDGET_EXHAUSTED')
      all += 1
    },
    async leave(): Promise<void> {
      if (all > AT_ONCE)
        await new Promise<void>((leave) => {
          if (leaving.push(leave) === 1) next(step)
        })
      all -= 1
    },
  }
}
