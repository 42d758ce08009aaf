import { RateLimiterRedis, RateLimiterRes } from 'rate-limiter-flexible'
import { type Clock, withTimeout } from '../budget/core/Clock.js'
import { isNodeRedis, type RedisClient } from '../budget/redis/redisClient.js'
import { userKey } from '../budget/userKey.js'
import { createMemoryLimitStore, type LimitName, type LimitStore } from './createMemoryLimitStore.js'

export interface RedisLimitStoreOptions {
  readonly redis: RedisClient
  /** Separates the accounts in one Redis, and keeps each on one node of a cluster. */
  readonly account: string
  readonly clock: Clock
  /** After this time without an answer of Redis, the request is counted in this process only. */
  readonly timeoutMs: number
}

/** One count for all instances, in Redis; while Redis does not answer, one for each instance, in memory. */
export function createRedisLimitStore(
  options: RedisLimitStoreOptions,
  points: number,
  name: LimitName,
): LimitStore {
  const { redis, account, clock, timeoutMs } = options
  const shared = new RateLimiterRedis({
    storeClient: redis,
    useRedisPackage: isNodeRedis(redis),
    rejectIfRedisNotReady: true,
    points,
    duration: 60,
    keyPrefix: `stagepass:{${account}}:${name}`,
  })
  const own = createMemoryLimitStore(points)

  return {
    async consume(user) {
      const key = userKey(user)
      try {
        return await withTimeout(shared.consume(key), clock, timeoutMs, 'Redis is too slow.')
      } catch (thrown) {
        if (thrown instanceof RateLimiterRes) throw thrown
        return own.consume(key)
      }
    },
  }
}
