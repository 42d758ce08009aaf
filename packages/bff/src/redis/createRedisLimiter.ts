import { isNodeRedis, type RedisClient, type RedisEval } from '@stagepass/budget'
import type { RateLimiterRedis } from 'rate-limiter-flexible'
// The file, because the index loads the limiters of every store, and with them modules that only Node has.
// @ts-expect-error -- only the index has types
import Limiter from 'rate-limiter-flexible/lib/RateLimiterRedis.js'

interface RedisLimiterOptions {
  /** With the account in braces: it separates the accounts, and keeps each on one node of a cluster. */
  readonly keyPrefix: string
  /** In seconds. */
  readonly duration: number
}

/**
 * Counters in Redis, over any of the clients that the option `redis` takes. `penalty` adds and resolves with
 * the count. What is too much is decided by the caller.
 */
export function createRedisLimiter(
  redis: RedisClient | RedisEval,
  options: RedisLimiterOptions,
): RateLimiterRedis {
  const isFunction = typeof redis === 'function'
  return new (Limiter as typeof RateLimiterRedis)({
    storeClient: isFunction ? clientOf(redis) : redis,
    useRedisPackage: isFunction || isNodeRedis(redis),
    rejectIfRedisNotReady: true,
    points: Number.MAX_SAFE_INTEGER,
    ...options,
  })
}

/** As much of a client as the limiter uses. */
const clientOf = (run: RedisEval) => ({
  eval: (script: string, given: { readonly keys: string[]; readonly arguments: string[] }) =>
    run(script, given.keys, given.arguments),
})
