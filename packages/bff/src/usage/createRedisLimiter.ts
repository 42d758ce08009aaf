import { isNodeRedis, type RedisClient, type RedisEval } from '@stagepass/budget'
import type { RateLimiterRedis } from 'rate-limiter-flexible'
// Imports the file and not the index: the index loads the limiters of every store, and with them modules that
// exist only in Node.
// @ts-expect-error -- only the index has types
import Limiter from 'rate-limiter-flexible/lib/RateLimiterRedis.js'

interface RedisLimiterOptions {
  /** Contains the account in braces, which separates the accounts and keeps each on one node of a cluster. */
  readonly keyPrefix: string
  /** Length of a window in seconds. */
  readonly duration: number
}

/**
 * Counters in Redis, with any client that the option `redis` accepts. `penalty` adds to a counter and
 * resolves with its value. The caller enforces the limit.
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

/** The part of a client that the limiter uses. */
const clientOf = (run: RedisEval) => ({
  eval: (script: string, given: { readonly keys: string[]; readonly arguments: string[] }) =>
    run(script, given.keys, given.arguments),
})
