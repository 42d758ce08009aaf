import { RateLimiterRedis, RateLimiterRes } from 'rate-limiter-flexible'
import type { Clock } from '../budget/core/Clock.js'
import { isNodeRedis, type RedisClient } from '../budget/redis/redisClient.js'
import { userKey } from '../budget/userKey.js'
import { createMemoryLimitStore, type LimitName, type LimitStore } from './createMemoryLimitStore.js'

export interface RedisLimitStoreOptions {
  readonly redis: RedisClient
  /** Sets accounts in one Redis apart, and keeps one together in a cluster. */
  readonly account: string
  readonly clock: Clock
  /** Redis is given this long; then the user is counted in this process alone. */
  readonly patienceMs: number
}

/** One count for all instances, in Redis; where that does not answer, one for each, in memory. */
export function createRedisLimitStore(
  options: RedisLimitStoreOptions,
  points: number,
  name: LimitName,
): LimitStore {
  const { redis, account, clock, patienceMs } = options
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
        return await soon(shared.consume(key), clock, patienceMs)
      } catch (thrown) {
        if (thrown instanceof RateLimiterRes) throw thrown
        return own.consume(key)
      }
    },
  }
}

function soon<T>(promise: Promise<T>, clock: Clock, patienceMs: number): Promise<T> {
  return new Promise((resolve, reject) => {
    const cancel = clock.after(patienceMs, () => reject(new Error('Redis is too slow.')))
    promise.then(resolve, reject).finally(cancel)
  })
}
