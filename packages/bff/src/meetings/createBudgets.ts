import { type Budget, type BudgetEvent, type BudgetGauge, createBudget } from '@stagepass/budget'
import { MEETINGS_RATE } from '@stagepass/contract'
import { LRUCache } from 'lru-cache/raw'
import { BffError } from '../base/BffError.js'
import type { EmitEvent } from '../telemetry/events.js'
import { atMost } from '../base/platform.js'
import type { Settings } from '../settings/readOptions.js'

export type Budgets = ReturnType<typeof createBudgets>

/**
 * Maximum number of accounts, in addition to the common one, that have a budget. For one more, the least
 * recently used budget is closed, unless it is in use.
 */
const MAX_ACCOUNTS = 20_000
/** After this time and the deadline of a request, an unused budget has no state that still matters. */
const IDLE_MS = 120_000
/** Shortest time between two searches for unused budgets while there is no room for another one. */
const PURGE_MS = 1_000

/**
 * The budgets of the accounts in use. A budget is created at the first request of its account, and closed
 * after some idle minutes, because with Redis each budget makes a call every 10 s. The common account always
 * has a budget.
 */
export function createBudgets(
  settings: Settings,
  redis: Settings['redis'],
  emit: EmitEvent,
  maxAccounts = MAX_ACCOUNTS,
) {
  const { deadlineMs, platform, meetings } = settings
  const { clock, random } = platform
  const { burst, perSecond, windowMs } = MEETINGS_RATE
  const { account: common, reserve } = meetings
  // `strict`: the account's 5 requests in any second, which are never more than its 25 in 5 s. (Contract:
  // "Limits".)
  const strict = { limit: Math.max(1, Math.floor((perSecond * (burst - reserve)) / burst)), windowMs: 1_000 }
  const rate = meetings.strict ? strict : { limit: burst, windowMs, reserve }

  const create = (account: string): Budget =>
    createBudget({
      ...rate,
      redis,
      account,
      timeoutMs: deadlineMs,
      clock,
      random,
      // The same object is passed on, because a copy would lose the cause, which is not enumerable.
      onEvent: (event: BudgetEvent) => emit?.(account === common ? event : Object.assign(event, { account })),
    })

  const budgetOfCommon = create(common)
  const others = new LRUCache<string, Budget>({
    ...atMost(maxAccounts),
    ttl: IDLE_MS + deadlineMs,
    ttlResolution: 0,
    perf: clock,
    dispose: (budget) => void budget.close(),
  })
  const all = (): Budget[] => [budgetOfCommon, ...others.values()]
  let cancelSweep: (() => void) | undefined
  let purgedAt = -Infinity

  const sweep = (): void => {
    others.purgeStale()
    cancelSweep = others.size > 0 ? clock.after(IDLE_MS, sweep, false) : undefined
  }

  const createAnother = (account: string): Budget => {
    // Looks at each of them, so not for every new account.
    if (others.size >= maxAccounts && clock.now() - purgedAt >= PURGE_MS) {
      others.purgeStale()
      purgedAt = clock.now()
    }
    const [oldest] = others.size >= maxAccounts ? others.rvalues() : []
    if (oldest && isInUse(oldest)) throw new BffError('BUDGET_EXHAUSTED', { seen: { cause: 'accounts' } })
    return create(account)
  }

  return {
    /** Throws BUDGET_EXHAUSTED if there are too many accounts, all of them in use. */
    of(account: string): Budget {
      if (account === common) return budgetOfCommon
      const budget = others.get(account) ?? createAnother(account)
      others.set(account, budget)
      cancelSweep ??= clock.after(IDLE_MS, sweep, false)
      return budget
    },
    /** For all accounts in use: sums, and the longest freeze. */
    gauge(): BudgetGauge & { readonly accounts: number } {
      const gauges = all().map((budget) => budget.gauge())
      return { ...gauges.reduce(sumOf), accounts: gauges.length }
    },
    /**
     * True if Redis does not respond for the common account, or for half of the others. In a cluster it may
     * be lost for some accounts, and without this instance the others would be worse off.
     */
    isDegraded(): boolean {
      if (budgetOfCommon.degraded() !== undefined) return true
      const degraded = [...others.values()].filter((budget) => budget.degraded() !== undefined).length
      return degraded > 0 && degraded * 2 >= others.size
    },
    async close(): Promise<void> {
      cancelSweep?.()
      await Promise.all(all().map((budget) => budget.close()))
    },
  }
}

/** True if requests wait for it, or if it knows of requests that the service still counts. */
function isInUse(budget: Budget): boolean {
  const { waiting, used, frozenMs } = budget.gauge()
  return waiting + used + frozenMs > 0
}

function sumOf(one: BudgetGauge, other: BudgetGauge): BudgetGauge {
  return {
    limit: one.limit + other.limit,
    used: one.used + other.used,
    waiting: one.waiting + other.waiting,
    frozenMs: Math.max(one.frozenMs, other.frozenMs),
    foreignUse: one.foreignUse + other.foreignUse,
  }
}
