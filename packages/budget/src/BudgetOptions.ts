import { checkKeys, shown, whole } from './core/check.js'
import type { Clock } from './core/Clock.js'
import type { BudgetEvent } from './core/events.js'
import { readAccount } from './core/readAccount.js'
import type { RedisClient, RedisEval } from './redis/redisClient.js'
import { LATE_MS } from './redis/createStore.js'
import type { Rules } from './turns/applyTurnsCall.js'
import { STALE_MS } from './waiting/createWaitingBudget.js'

/** All instances of an account must have the same options. */
export interface BudgetOptions {
  /** Requests that the upstream allows in any window of `windowMs`. */
  readonly limit: number
  /** Length of a window, in milliseconds. */
  readonly windowMs: number
  /**
   * One budget for all instances, in Redis 7 or Valkey. A connected client of `redis` (node-redis) or
   * `ioredis`, or, for another client, a function that runs a script. The budget does not close the client.
   * Default: a budget for this process only.
   */
  readonly redis?: RedisClient | RedisEval | undefined
  /** Name of the account in Redis: up to 64 letters, digits and `.:_-`. Default `main`. */
  readonly account?: string | undefined
  /** Called with each event. No event names a user. */
  readonly onEvent?: ((event: BudgetEvent) => void) | undefined

  /** Slots of `limit` that stay unused, for other programs on the same account. Default 0. */
  readonly reserve?: number | undefined
  /** Requests of one user that may wait in this instance. One more is refused at once. Default 20. */
  readonly maxWaitingPerUser?: number | undefined
  /** Requests of all users that may wait in this instance. Default 50. */
  readonly maxWaiting?: number | undefined
  /** The longest time from the grant of a slot until the caller aborts its request. Default 10,000. */
  readonly timeoutMs?: number | undefined

  /**
   * Slots that an idle account gives at once. The others follow at even intervals. Default: two fifths of
   * `limit`.
   */
  readonly burst?: number | undefined
  /** For tests. Default: the monotonic clock of the process. */
  readonly clock?: Clock | undefined
  /** From 0 to 1. Default `Math.random`. */
  readonly random?: (() => number) | undefined
}

const BURST_SHARE = 0.4
/**
 * Turns are promised at most this part of a window ahead. So turns alternate among up to 22 busy instances,
 * and an instance that dies or pauses holds only a few turns.
 */
const AHEAD_PART = 0.9

const FAILED = 'Failed to create the budget'
const KEYS = Object.keys({
  limit: true,
  windowMs: true,
  redis: true,
  account: true,
  onEvent: true,
  reserve: true,
  maxWaitingPerUser: true,
  maxWaiting: true,
  timeoutMs: true,
  burst: true,
  clock: true,
  random: true,
} satisfies Record<keyof BudgetOptions, true>)

/** What follows from the options. Throws if one is not valid. */
export function readBudgetOptions(options: BudgetOptions) {
  checkKeys(FAILED, options, KEYS)
  const { random = Math.random } = options
  if (typeof random !== 'function')
    throw new TypeError(`${FAILED}: random is ${shown(random)}. Give a function, or leave it out.`)
  const { reserve = 0, timeoutMs: longestMs = 10_000, maxWaiting = 50, maxWaitingPerUser = 20 } = options
  const allowed = read('limit', options.limit, 1, 100_000)
  const { burst = Math.ceil(allowed * BURST_SHARE) } = options
  const windowMs = read('windowMs', options.windowMs, 100, 3_600_000)
  const limit = allowed - read('reserve', reserve, 0, allowed - 1)
  const timeoutMs = read('timeoutMs', longestMs, 1, 600_000)
  const rules: Rules = {
    limit,
    windowMs,
    // A request may begin up to this much later than its turn opened: STALE_MS + LATE_MS.
    heldMs: timeoutMs + windowMs + STALE_MS + LATE_MS,
    gapMs: Math.ceil(windowMs / limit),
    burst: read('burst', burst, 0, allowed),
    aheadMs: Math.floor(AHEAD_PART * windowMs),
  }
  return {
    ...readAccount(FAILED, options),
    rules,
    random,
    maxWaiting: read('maxWaiting', maxWaiting, 1, 10_000),
    maxWaitingPerUser: read('maxWaitingPerUser', maxWaitingPerUser, 1, 10_000),
  }
}

const read = (...number: [name: string, value: number, min: number, max: number]): number =>
  whole(FAILED, ...number)
