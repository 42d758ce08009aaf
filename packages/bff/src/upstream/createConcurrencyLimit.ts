import type { Account } from '../accounts/Account.js'
import { untilAborted } from '../request/untilAborted.js'

/**
 * Maximum number of requests at the service at the same time: of one account, and of all. Each has a
 * connection. Further requests wait, which is cheaper than more connections.
 */
export const MAX_IN_FLIGHT = { ofAccount: 128, ofAll: 512 } as const

export type ConcurrencyLimit = ReturnType<typeof createConcurrencyLimit>

/**
 * Limits the requests at the service by account. An account whose requests the service answers slowly leaves
 * most connections to the others. If all are in use, accounts take turns. (security.md, S65.)
 */
export function createConcurrencyLimit({
  ofAccount,
  ofAll,
}: Record<keyof typeof MAX_IN_FLIGHT, number> = MAX_IN_FLIGHT) {
  const inFlight = new Map<Account, number>()
  /** The accounts with requests that wait, the next one first. Each request has a function that lets it pass. */
  const waiting = new Map<Account, Set<() => void>>()
  let all = 0

  const isOpenTo = (account: Account): boolean => all < ofAll && (inFlight.get(account) ?? 0) < ofAccount

  const count = (account: Account, change: 1 | -1): void => {
    const ofThis = (inFlight.get(account) ?? 0) + change
    if (ofThis === 0) inFlight.delete(account)
    else inFlight.set(account, ofThis)
    all += change
  }

  const leave = (account: Account): void => {
    count(account, -1)
    for (const [next, requests] of waiting) {
      if (all === ofAll) return
      const [pass] = isOpenTo(next) ? requests : []
      if (!pass) continue
      // To the end of the line, if more of its requests wait.
      waiting.delete(next)
      requests.delete(pass)
      if (requests.size > 0) waiting.set(next, requests)
      count(next, 1)
      pass()
    }
  }

  const waitFor = async (account: Account, signal: AbortSignal): Promise<void> => {
    const requests = waiting.get(account) ?? new Set()
    waiting.set(account, requests)
    let pass = (): void => {}
    const passed = new Promise<void>((resolve) => requests.add((pass = resolve)))
    try {
      await untilAborted(passed, signal)
    } catch (reason) {
      // If it does not wait any more, it has passed at the same moment.
      if (!requests.delete(pass)) leave(account)
      else if (requests.size === 0) waiting.delete(account)
      throw reason
    }
  }

  return {
    /** Sends a request when the account has a free connection. Rejects with the signal's reason. */
    async send<TResult>(
      account: Account,
      signal: AbortSignal,
      request: () => Promise<TResult>,
    ): Promise<TResult> {
      if (isOpenTo(account)) count(account, 1)
      else await waitFor(account, signal)
      try {
        return await request()
      } finally {
        leave(account)
      }
    },
  }
}
