import type { Accounts } from '../accounts/createAccounts.js'
import { isAccountName } from '../base/schema.js'
import type { Clock } from '../base/platform.js'
import type { Pages } from '../meetings/createPages.js'
import type { InFlight } from '../request/createInFlight.js'
import type { KeyRegister } from '../usage/createKeyRegister.js'
import type { Limits } from '../usage/createLimits.js'
import type { Usage } from '../usage/createUsage.js'

/** Argument of `bff.forget()`. */
export interface ForgottenAccount {
  /** `account` of the grants. */
  readonly account: string
}

interface Parts {
  readonly accounts: Accounts
  readonly pages: Pages
  readonly limits: Limits
  readonly usage: Usage
  readonly inFlight: InFlight
  readonly register: KeyRegister
  readonly clock: Clock
  /** Undefined if this is the only instance. */
  readonly othersMs: number | undefined
}

/**
 * Removes a customer.
 *
 *     its keys become useless ─> this instance drops it ─> wait for what has begun ─> again: its keys, in case
 *     an earlier request brought one ─> the sums of its users
 *
 * Another instance learns of it with its next request, of any customer, and drops what it has.
 */
export function createForget(parts: Parts) {
  const { accounts, pages, limits, usage, inFlight, register, clock, othersMs } = parts
  let seen: number | undefined
  let dropping: Promise<void> | undefined

  /** Drops all that this process has of an account. */
  function drop(account: string): void {
    inFlight.cancelOf(account)
    accounts.drop(account)
    pages.drop(account)
    limits.drop(account)
  }

  async function dropForgottenAfter(count: number): Promise<void> {
    try {
      for (const account of await register.forgottenAfter(count, accounts.names())) drop(account)
    } catch {
      // The next request looks again.
      seen = count
    }
    dropping = undefined
  }

  return {
    forget: async ({ account }: ForgottenAccount): Promise<void> => {
      if (!isAccountName(account))
        throw new TypeError('Failed to forget an account: "account" is not the name of an account.')
      await register.forget(account)
      // The register refuses new ones.
      await accounts.find(account).sessions?.end(undefined, 0, '')
      drop(account)
      if (othersMs === undefined) await inFlight.idle()
      else await new Promise<void>((resolve) => clock.after(othersMs, resolve))
      await register.forget(account)
      drop(account)
      await usage.drop(account)
    },

    /** Call it with the number of forgotten accounts that Redis knows. Resolves when they are dropped. */
    notice(count: number): Promise<void> | undefined {
      const before = seen
      seen = count
      if (before !== undefined && before !== count) dropping = inFlight.hold(dropForgottenAfter(before))
      return dropping
    },
  }
}
