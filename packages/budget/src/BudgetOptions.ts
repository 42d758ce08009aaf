import type { Clock } from './core/Clock.js'
import type { BudgetEvent } from './core/events.js'
import type { BudgetRules } from './core/protocol.js'
import type { RedisClient, RedisEval } from './redis/redisClient.js'

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
  /**
   * Hides user ids in Redis: they are stored as HMAC under this random text of 32 characters or more, the
   * same in all instances. Default: as SHA-256, so ids that can be guessed, such as numbers, can be found
   * from their hashes.
   */
  readonly userSecret?: string | undefined
  readonly onEvent?: ((event: BudgetEvent) => void) | undefined

  /** Slots of `limit` that are never used: left to other programs on the same account. Default 0. */
  readonly reserve?: number | undefined
  /** Requests that may wait, for one user and in all. Defaults 20 and 50. */
  readonly maxWaitingPerUser?: number | undefined
  readonly maxWaiting?: number | undefined
  /** The longest time from a grant until the caller aborts its request. Default 10,000. */
  readonly timeoutMs?: number | undefined

  /**
   * Grants in any one second while requests wait. Default: `limit` spread evenly over the window, rounded up.
   */
  readonly perSecond?: number | undefined
  /**
   * Never more than `perSecond` requests in any one second, from the first on. Default false: the upstream's
   * 429s show whether it is needed.
   */
  readonly strict?: boolean | undefined
  /**
   * Slots that one user may get without waiting while no other user waits. Default: two fifths of `limit`.
   */
  readonly burst?: number | undefined
  /** Number of instances to assume until Redis has responded once. Default 4. */
  readonly instances?: number | undefined
  /** For tests. Default: the monotonic clock of the process. */
  readonly clock?: Clock | undefined
  /** From 0 to 1. Default `Math.random`. */
  readonly random?: (() => number) | undefined
}

const SECOND_MS = 1_000
const BURST_SHARE = 0.4
const MIN_SECRET_LENGTH = 32

/** The rules that follow from the options. Throws if one is out of range. */
export function budgetRules(options: BudgetOptions): BudgetRules {
  const allowed = whole('limit', options.limit, 1, 100_000)
  const windowMs = whole('windowMs', options.windowMs, 100, 3_600_000)
  const limit = allowed - whole('reserve', options.reserve ?? 0, 0, allowed - 1)
  const even = Math.ceil((allowed * SECOND_MS) / windowMs)
  const perSecond = whole('perSecond', options.perSecond ?? even, 1, 100_000)
  return {
    limit,
    windowMs,
    perSecond,
    strictPerSecond: Math.max(1, Math.min(perSecond, Math.floor((limit * SECOND_MS) / windowMs))),
    strict: options.strict ?? false,
    burst: whole('burst', options.burst ?? Math.ceil(allowed * BURST_SHARE), 0, allowed),
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

/** The name goes into a key of Redis: braces in it would put the key on another node of a cluster. */
export function readAccount(account: unknown = 'main'): string {
  if (typeof account === 'string' && /^[\w.:-]{1,64}$/.test(account)) return account
  throw new TypeError(
    'Failed to create the budget: account is not a short name. Use up to 64 letters, digits and . : _ -',
  )
}

export function readUserSecret(secret: unknown): string | undefined {
  if (secret === undefined || (typeof secret === 'string' && secret.length >= MIN_SECRET_LENGTH))
    return secret
  throw new TypeError(
    `Failed to create the budget: userSecret is not a text of ${MIN_SECRET_LENGTH} characters or more. ` +
      'Use a random one, such as the output of: openssl rand -base64 32; is its environment variable set?',
  )
}

function whole(name: string, value: number, min: number, max: number): number {
  if (Number.isInteger(value) && value >= min && value <= max) return value
  throw new RangeError(
    `Failed to create the budget: ${name} is ${value}. Give a whole number from ${min} to ${max}.`,
  )
}
