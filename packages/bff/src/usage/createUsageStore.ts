import { type RedisClient, redisEval, type RedisEval } from '@stagepass/budget'
import { LRUCache } from 'lru-cache'
import { atMost, type Clock } from '../platform/platform.js'
import type { Breaker } from '../redis/createBreaker.js'
import { createRedisLimiter } from '../redis/createRedisLimiter.js'

interface UsageStoreOptions {
  readonly redis: RedisClient | RedisEval | undefined
  /** Part of the keys in Redis. It separates the accounts, and keeps each on one node of a cluster. */
  readonly account: string
  readonly breaker: Breaker
  readonly clock: Clock
}

/** Sums in milliseconds. */
interface Sums {
  readonly taken: number
  readonly used: number
}

export interface UsageStore {
  /** Adds to a sum; `ms` may be negative. The key is for a user, a product and a day. Returns the new sum. */
  add(key: string, sum: keyof Sums, ms: number): Promise<number>
  /** Returns the sums of each key, all in one call. Missing sums are zero. */
  read(keys: readonly string[]): Promise<readonly Sums[]>
  /** Opens a reservation for `ttlMs`. */
  open(id: string, ttlMs: number): Promise<void>
  /**
   * Closes a reservation, only once over all instances. Returns its remaining time. Returns `undefined` if it
   * is not open: it was closed before, has expired, or was lost.
   */
  close(id: string): Promise<number | undefined>
}

/**
 * A sum is kept longer than its day by the lifetime of the longest token, so that the last token of the day
 * can be reported.
 */
const SUM_SECONDS = 50 * 3_600

export const createUsageStore = ({ redis, account, breaker, clock }: UsageStoreOptions): UsageStore =>
  redis ? inRedis(redis, account, breaker) : inMemory(clock)

/**
 * Maximum number of users of a product that one process counts in a day, and of reservations. Both together
 * need about 50 MB.
 */
export const MAX_COUNTED_IN_MEMORY = 100_000

/** Shortest interval between two purges of expired sums, when the store is full. */
const PURGE_MS = 60_000

/**
 * Counts in this process. If there is no space for another user, `add` rejects, because dropping a user would
 * refund a whole day. If there is no space for another reservation, the oldest is dropped, and nothing is
 * refunded for it.
 */
function inMemory(clock: Clock): UsageStore {
  const bounded = { ...atMost(MAX_COUNTED_IN_MEMORY), perf: clock, ttlResolution: 0 }
  const kept = new LRUCache<string, { taken: number; used: number }>({ ...bounded, ttl: SUM_SECONDS * 1_000 })
  const opened = new LRUCache<string, true>({ ...bounded, ttl: 1 })
  let purgedAt = -Infinity

  function makeRoom(): void {
    if (kept.size < MAX_COUNTED_IN_MEMORY) return
    if (clock.now() - purgedAt >= PURGE_MS) {
      purgedAt = clock.now()
      if (kept.purgeStale()) return
    }
    throw new Error(`This process already counts ${MAX_COUNTED_IN_MEMORY} users of a product.`)
  }

  return {
    async add(key, sum, ms) {
      let sums = kept.get(key)
      if (!sums) {
        makeRoom()
        kept.set(key, (sums = { taken: 0, used: 0 }))
      }
      return (sums[sum] += ms)
    },
    read: async (keys) => keys.map((key) => kept.get(key) ?? { taken: 0, used: 0 }),
    async open(id, ttl) {
      opened.set(id, true, { ttl })
    },
    async close(id) {
      const restMs = opened.getRemainingTTL(id)
      opened.delete(id)
      return restMs > 0 ? restMs : undefined
    },
  }
}

/** Time for which Redis remembers that a receipt was refused. */
const REFUSED_SECONDS = 60

const READ = `return redis.call('MGET', unpack(KEYS))`

/**
 * Counts for all instances. While Redis does not answer, every call rejects. If an instance counted for
 * itself, each user would get the whole day once more.
 */
function inRedis(redis: RedisClient | RedisEval, account: string, breaker: Breaker): UsageStore {
  const keyPrefix = `stagepass:{${account}}:usage`
  const limiter = createRedisLimiter(redis, { duration: SUM_SECONDS, keyPrefix })
  const run = redisEval(redis)

  async function count(key: string, points: number, customDuration?: number) {
    let isLate = false
    try {
      return await breaker(async () => {
        const counted = await limiter.penalty(key, points, { customDuration })
        // The caller no longer waits and has reported a failure, for example after a probe of the breaker. So
        // undo the addition.
        if (isLate && points > 0) await limiter.reward(key, points)
        return counted
      })
    } catch (error) {
      isLate = true
      throw error
    }
  }

  return {
    add: async (key, sum, ms) => (await count(`${sum}:${key}`, ms)).consumedPoints,
    async read(keys) {
      const names = keys.flatMap((key) => [`${keyPrefix}:taken:${key}`, `${keyPrefix}:used:${key}`])
      // Not with `get` of the limiter, which needs two commands for each sum.
      const found = await breaker(() => run(READ, names, []))
      // Each value is text, or bytes with some client settings, or null for a missing sum.
      const sums = Array.isArray(found) ? found.map((value) => Number(value ?? 0)) : []
      return keys.map((_key, at) => ({ taken: sums[2 * at] ?? 0, used: sums[2 * at + 1] ?? 0 }))
    },
    // The counter of an open reservation is -1. Only the first call of `close` gets 0. If Redis has lost the
    // reservation, no call gets 0.
    async open(id, ttlMs) {
      await count(id, -1, ttlMs / 1_000)
    },
    async close(id) {
      const { consumedPoints, msBeforeNext } = await count(id, 1, REFUSED_SECONDS)
      return consumedPoints === 0 ? msBeforeNext : undefined
    },
  }
}
