import {
  type Budget,
  type BudgetEvent,
  type BudgetGauge,
  type BudgetOptions,
  createBudget,
} from '@stagepass/budget'
import { MEETINGS_RATE } from '@stagepass/contract'
import { BffError } from '../errors/BffError.js'
import type { EmitEvent } from '../events/events.js'
import type { Settings } from '../settings/readOptions.js'

/** The budgets of the accounts that are in use. */
export interface Budgets {
  /** The budget of an account. Throws BUDGET_EXHAUSTED if there are too many accounts in use. */
  of(account: string): Budget
  /** Of all accounts in use: sums, and the longest freeze. */
  gauge(): BudgetGauge & { readonly accounts: number }
  /** Redis does not respond. */
  isDegraded(): boolean
  close(): Promise<void>
}

/** Accounts that have a budget at the same time. Each takes some KiB, and over Redis a call in 10 s. */
const MAX_ACCOUNTS = 10_000
/** A budget that was not used for so long, and a request's time, knows nothing that still counts. */
const IDLE_MS = 120_000

/**
 * An account's budget is made at its first request and closed when it was idle for some minutes. The common
 * account has one from the start.
 */
export function createBudgets(settings: Settings, redis: Settings['redis'], emit: EmitEvent): Budgets {
  const { deadlineMs, platform, meetings } = settings
  const { clock, random } = platform
  /** The longest unused one first. */
  const budgets = new Map<string, { readonly budget: Budget; usedAt: number }>()
  let cancelSweep: (() => void) | undefined

  const create = (account: string): Budget => {
    const isCommon = account === meetings.account
    // Code can read the cause of an event, which is not enumerable: so the event itself is passed on.
    const onEvent = (event: BudgetEvent): void => emit?.(isCommon ? event : Object.assign(event, { account }))
    const options = { redis, account, timeoutMs: deadlineMs, clock, random, onEvent }
    return createBudget({ ...limitOf(meetings), ...options })
  }

  const close = (account: string): void => {
    void budgets.get(account)?.budget.close()
    budgets.delete(account)
  }

  const sweepLater = (): void => {
    if (budgets.size < 2) return
    cancelSweep ??= clock.after(
      IDLE_MS,
      () => {
        cancelSweep = undefined
        const before = clock.now() - IDLE_MS - deadlineMs
        for (const [account, { budget, usedAt }] of budgets)
          if (account !== meetings.account && usedAt < before && budget.gauge().waiting === 0) close(account)
        sweepLater()
      },
      false,
    )
  }

  const makeRoom = (): void => {
    for (const [account, { budget }] of budgets) {
      if (account === meetings.account) continue
      const { used, waiting } = budget.gauge()
      if (used + waiting === 0) return close(account)
    }
    throw new BffError('BUDGET_EXHAUSTED', { retryAfterMs: MEETINGS_RATE.windowMs })
  }

  const of = (account: string): Budget => {
    const known = budgets.get(account)
    if (!known && budgets.size >= MAX_ACCOUNTS) makeRoom()
    const entry = known ?? { budget: create(account), usedAt: 0 }
    entry.usedAt = clock.now()
    budgets.delete(account)
    budgets.set(account, entry)
    sweepLater()
    return entry.budget
  }
  of(meetings.account)

  return {
    of,
    gauge() {
      const all = [...budgets.values()].map(({ budget }) => budget.gauge())
      return { ...all.reduce(sumOf), accounts: all.length }
    },
    isDegraded: () => [...budgets.values()].some(({ budget }) => budget.degraded() !== undefined),
    async close() {
      cancelSweep?.()
      await Promise.all([...budgets.values()].map(({ budget }) => budget.close()))
    },
  }
}

/**
 * `strict`: the account's 5 requests in any second, which are never more than its 25 in 5 s. (Contract:
 * "Limits".)
 */
function limitOf({
  strict,
  reserve,
}: Settings['meetings']): Pick<BudgetOptions, 'limit' | 'windowMs' | 'reserve'> {
  const { burst, perSecond, windowMs } = MEETINGS_RATE
  if (!strict) return { limit: burst, windowMs, reserve }
  return { limit: Math.max(1, Math.floor((perSecond * (burst - reserve)) / burst)), windowMs: 1_000 }
}

function sumOf(one: BudgetGauge, other: BudgetGauge): BudgetGauge {
  return {
    limit: one.limit + other.limit,
    used: one.used + other.used,
    waiting: one.waiting + other.waiting,
    frozenMs: Math.max(one.frozenMs, other.frozenMs),
    foreignUse: one.foreignUse + other.foreignUse,
    waits: {
      count: one.waits.count + other.waits.count,
      sumMs: one.waits.sumMs + other.waits.sumMs,
      buckets: one.waits.buckets.map(({ upToMs, count }, index) => ({
        upToMs,
        count: count + (other.waits.buckets[index]?.count ?? 0),
      })),
    },
  }
}
