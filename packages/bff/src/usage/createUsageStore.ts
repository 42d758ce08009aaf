import { type RedisClient, redisEval, type RedisEval } from '@stagepass/budget'
import { LRUCache } from 'lru-cache'
import { atMost, type Clock } from '../platform/platform.js'
import type { Breaker } from '../redis/createBreaker.js'
import { createRedisLimiter } from '../redis/createRedisLimiter.js'

interface UsageStoreOptions {
  readonly redis: RedisClient | RedisEval | undefined
  /** Separates the accounts in one Redis, and keeps each on one node of a cluster. */
  readonly account: string
  readonly breaker: Breaker
  readonly clock: Clock
}

/** In milliseconds. */
interface Sums {
  readonly taken: number
  readonly used: number
}

export interface UsageStore {
  /** Adds to a sum, or takes from it. The key is of a user, a product and a day. Resolves with the sum. */
  add(key: string, sum: keyof Sums, ms: number): Promise<number>
  /** The sums of each key, all in one call; zero if there are none. */
  read(keys: readonly string[]): Promise<readonly Sums[]>
  /** Opens a reservation for a time. */
  open(id: string, ttlMs: number): Promise<void>
  /**
   * Closes it, once over all instances. Resolves with the rest of its time. `undefined` if it is not open:
   * closed before, ended, or lost.
   */
  close(id: string): Promise<number | undefined>
}

/** A sum outlives its day by the longest token, so that the last one of the day can be reported. */
const SUM_SECONDS = 50 * 3_600

export const createUsageStore = ({ redis, account, breaker, clock }: UsageStoreOptions): UsageStore =>
  redis ? inRedis(redis, account, breaker) : inMemory(clock)

/** How many users of a product one process counts in a day, and how many reservations: about 50 MB. */
export const MAX_COUNTED_IN_MEMORY = 100_000

/** How often is looked for sums that have ended, if there is no place for another. */
const PURGE_MS = 60_000

/**
 * Counts of one process. If there is no place for a user, `add` rejects: to drop one would give a day back.
 * The oldest reservation is dropped: nothing is given back for it.
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
    throw new Error(`This process counts ${MAX_COUNTED_IN_MEMORY} users of a product already.`)
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

/** How long Redis remembers that a receipt was refused. */
const REFUSED_SECONDS = 60

const READ = `return redis.call('MGET', unpack(KEYS))`

/**
 * One count for all instances. While Redis does not answer, every call rejects: an instance that counted for
 * itself would give each user the whole day once more.
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
        // Nothing waits for it any longer, as for a probe of the breaker: the caller has said that it failed.
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
      // `get` of the limiter would be two commands for each sum.
      const found = await breaker(() => run(READ, names, []))
      // Text, or bytes if the client is set so; null for a sum that is not there.
      const sums = Array.isArray(found) ? found.map((value) => Number(value ?? 0)) : []
      return keys.map((_key, at) => ({ taken: sums[2 * at] ?? 0, used: sums[2 * at + 1] ?? 0 }))
    },
    // An open one is at -1. Only the first call of `close` gets 0, and none if Redis has lost it.
    async open(id, ttlMs) {
      await count(id, -1, ttlMs / 1_000)
    },
    async close(id) {
      const { consumedPoints, msBeforeNext } = await count(id, 1, REFUSED_SECONDS)
      return consumedPoints === 0 ? msBeforeNext : undefined
    },
  }
}
