// oxlint-disable-next-line typescript/triple-slash-reference -- an ambient module has no import
/// <reference path="./rateLimiters.d.ts" />
import { isNodeRedis, type RedisClient, type RedisEval } from '@stagepass/budget'
// The file, because the index loads the limiters of every store, and with them modules that only Node has.
import RateLimiterRedis from 'rate-limiter-flexible/lib/RateLimiterRedis.js'

interface RedisLimiterOptions {
  /** With the account in braces: it separates the accounts, and keeps each on one node of a cluster. */
  readonly keyPrefix: string
  readonly points: number
  /** In seconds. */
  readonly duration: number
}

/** A counter in Redis, over any of the clients that the option `redis` takes. */
export function createRedisLimiter(
  redis: RedisClient | RedisEval,
  options: RedisLimiterOptions,
): RateLimiterRedis {
  const isFunction = typeof redis === 'function'
  return new RateLimiterRedis({
    storeClient: isFunction ? clientOf(redis) : redis,
    useRedisPackage: isFunction || isNodeRedis(redis),
    rejectIfRedisNotReady: true,
    ...options,
  })
}

/** As much of a client as the limiter uses. */
const clientOf = (run: RedisEval) => ({
  eval: (script: string, given: { readonly keys: string[]; readonly arguments: string[] }) =>
    run(script, given.keys, given.arguments),
})
