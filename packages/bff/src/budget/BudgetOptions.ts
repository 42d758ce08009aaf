import { MEETINGS_RATE } from '@stagepass/contract'
import type { Clock } from './core/Clock.js'
import type { BudgetEvent } from './core/events.js'
import type { BudgetRules } from './core/protocol.js'
import type { RedisEval } from './redis/redisClient.js'

/** All instances of an account must have the same options. */
export interface BudgetOptions {
  /** Runs a Lua script in Redis or Valkey; `redisEval(client)` makes it of a client. Default: the budget is this process's own. */
  readonly eval?: RedisEval | undefined
  /** Name of the account in Redis: letters, digits and `.:_-`. Default `main`. */
  readonly account?: string | undefined
  /** Number of instances to assume until Redis has answered once. Default 4. */
  readonly instances?: number | undefined
  /** Slots of the window's 25 that are never used: left to other programs on the same account. Default 0. */
  readonly reserve?: number | undefined
  /** Never more than 5 requests in any one second, from the first on. Default false: the upstream's 429s show whether it is needed. */
  readonly strict?: boolean | undefined
  /** Slots that one user may get without waiting while no other user waits. Default 10. */
  readonly burst?: number | undefined
  /** Requests that may wait, for one user and in all. Defaults 20 and 50 (ten seconds of work). */
  readonly maxWaitingPerUser?: number | undefined
  readonly maxWaiting?: number | undefined
  /** The longest time from a grant until the caller aborts its request. Default 10,000. */
  readonly timeoutMs?: number | undefined
  readonly onEvent?: ((event: BudgetEvent) => void) | undefined
  readonly clock?: Clock | undefined
  /** From 0 to 1. Default `Math.random`. */
  readonly random?: (() => number) | undefined
}

const SECOND_MS = 1_000

/** The rules that follow from the options. Throws if one is out of range. */
export function budgetRules(options: BudgetOptions): BudgetRules {
  const { burst: burstLimit, perSecond, windowMs } = MEETINGS_RATE
  const limit = burstLimit - whole('reserve', options.reserve ?? 0, 0, burstLimit - 1)
  return {
    limit,
    windowMs,
    perSecond,
    strictPerSecond: Math.max(1, Math.floor((limit * SECOND_MS) / windowMs)),
    strict: options.strict ?? false,
    burst: whole('burst', options.burst ?? 10, 0, burstLimit),
    timeoutMs: whole('timeoutMs', options.timeoutMs ?? 10_000, 1, 600_000),
    marginMs: 10,
    graceMs: 1_000,
    maxWaiting: whole('maxWaiting', options.maxWaiting ?? 50, 1, 10_000),
    maxWaitingPerUser: whole('maxWaitingPerUser', options.maxWaitingPerUser ?? 20, 1, 10_000),
    pollMs: 250,
    lateMs: 250,
    heartbeatMs: 2_000,
  }
}

function whole(name: string, value: number, min: number, max: number): number {
  if (Number.isInteger(value) && value >= min && value <= max) return value
  throw new RangeError(
    `Failed to create the meetings budget: ${name} is ${value}. Give a whole number from ${min} to ${max}.`,
  )
}
