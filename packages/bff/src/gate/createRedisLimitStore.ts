import { RateLimiterRedis, RateLimiterRes } from 'rate-limiter-flexible'
import type { Clock } from '../budget/core/Clock.js'
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
        return await soon(shared.consume(key), clock, timeoutMs)
      } catch (thrown) {
        if (thrown instanceof RateLimiterRes) throw thrown
        return own.consume(key)
      }
    },
  }
}

function soon<T>(promise: Promise<T>, clock: Clock, timeoutMs: number): Promise<T> {
  return new Promise((resolve, reject) => {
    const cancel = clock.after(timeoutMs, () => reject(new Error('Redis is too slow.')))
    promise.then(resolve, reject).finally(cancel)
  })
}
