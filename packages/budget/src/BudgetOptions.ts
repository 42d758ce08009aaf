import type { Clock } from './core/Clock.js'
import type { BudgetEvent } from './core/events.js'
import type { RedisClient, RedisEval } from './redis/redisClient.js'
import { LATE_MS, type Rules } from './turns/applyCall.js'
import { STALE_MS } from './waiting/createWaitingBudget.js'

/** All instances of an account must have the same options. */
export interface BudgetOptions {
  /** Requests that the upstream allows in any window of `windowMs`. */
  readonly limit: number
  /** Length of a window, in milliseconds. */
  readonly windowMs: number
  /**
   * A connected client of `redis` (node-redis) or `ioredis`, to Redis 7 or Valkey: one budget for all
   * instances. Or a function that runs a script, for another client. The budget does not close it. Default:
   * the budget is this process's own.
   */
  readonly redis?: RedisClient | RedisEval | undefined
  /** Name of the account in Redis: up to 64 letters, digits and `.:_-`. Default `main`. */
  readonly account?: string | undefined
  readonly onEvent?: ((event: BudgetEvent) => void) | undefined

  /** Slots of `limit` that are never used: left to other programs on the same account. Default 0. */
  readonly reserve?: number | undefined
  /** Requests of this instance that may wait, for one user and in all. Defaults 20 and 50. */
  readonly maxWaitingPerUser?: number | undefined
  readonly maxWaiting?: number | undefined
  /** The longest time from a grant until the caller aborts its request. Default 10,000. */
  readonly timeoutMs?: number | undefined

  /**
   * Slots that an idle account gives at once; the next ones come evenly. Default: two fifths of `limit`.
   */
  readonly burst?: number | undefined
  /** For tests. Default: the monotonic clock of the process. */
  readonly clock?: Clock | undefined
  /** From 0 to 1. Default `Math.random`. */
  readonly random?: (() => number) | undefined
}

const BURST_SHARE = 0.4
/**
 * A turn that opens later than this, as a part of a window, is not promised: so the turns of 22 instances
 * with requests go round, and one that dies or is told to stop holds few.
 */
const AHEAD_PART = 0.9

/** The rules that follow from the options. Throws if one is out of range. */
export function budgetRules(options: BudgetOptions): {
  readonly rules: Rules
  readonly maxWaiting: number
  readonly maxWaitingPerUser: number
} {
  const allowed = whole('limit', options.limit, 1, 100_000)
  const windowMs = whole('windowMs', options.windowMs, 100, 3_600_000)
  const limit = allowed - whole('reserve', options.reserve ?? 0, 0, allowed - 1)
  const timeoutMs = whole('timeoutMs', options.timeoutMs ?? 10_000, 1, 600_000)
  return {
    rules: {
      limit,
      windowMs,
      // A turn may reach its request late.
      heldMs: timeoutMs + windowMs + STALE_MS + LATE_MS,
      gapMs: Math.ceil(windowMs / limit),
      burst: whole('burst', options.burst ?? Math.ceil(allowed * BURST_SHARE), 0, allowed),
      aheadMs: Math.floor(AHEAD_PART * windowMs),
    },
    maxWaiting: whole('maxWaiting', options.maxWaiting ?? 50, 1, 10_000),
    maxWaitingPerUser: whole('maxWaitingPerUser', options.maxWaitingPerUser ?? 20, 1, 10_000),
  }
}

/** The name goes into a key of Redis: braces in it would put the key on another node of a cluster. */
export function readAccount(account: unknown = 'main'): string {
  if (typeof account === 'string' && /^[\w.:-]{1,64}$/.test(account)) return account
  throw new TypeError(
    'Failed to create the budget: account is not a short name. Use up to 64 letters, digits and . : _ -',
  )
}

function whole(name: string, value: number, min: number, max: number): number {
  if (Number.isInteger(value) && value >= min && value <= max) return value
  throw new RangeError(
    `Failed to create the budget: ${name} is ${value}. Give a whole number from ${min} to ${max}.`,
  )
}
