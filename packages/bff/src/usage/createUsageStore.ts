// An ambient module has no import.
// oxlint-disable-next-line typescript/triple-slash-reference
/// <reference path="../gate/rateLimiters.d.ts" />
import type { RedisClient, RedisEval } from '@stagepass/budget'
import RateLimiterMemory from 'rate-limiter-flexible/lib/RateLimiterMemory.js'
import type { Breaker } from '../gate/createBreaker.js'
import { createRedisLimiter } from '../gate/createRedisLimiter.js'

interface UsageStoreOptions {
  readonly redis: RedisClient | RedisEval | undefined
  /** Separates the accounts in one Redis, and keeps each on one node of a cluster. */
  readonly account: string
  readonly breaker: Breaker
}

/** Sums of milliseconds by name. Each ends by itself: nothing has to be removed. */
export interface UsageStore {
  /** Adds to a sum, or takes from it. `ttlMs` is the life of a sum that is new. Resolves with the sum. */
  add(key: string, ms: number, ttlMs: number): Promise<number>
  /** A sum; zero if there is none. */
  read(key: string, ttlMs: number): Promise<number>
  /** Opens a reservation for a time. */
  open(id: string, ttlMs: number): Promise<void>
  /**
   * Closes a reservation. `undefined` if it is not open: closed before, ended, or lost. Else the rest of its
   * time.
   */
  close(id: string): Promise<number | undefined>
  /** Other instances have the same sums. */
  readonly isShared: boolean
}

/**
 * The value of an open reservation. A reservation that the store has lost begins at 1 when it is closed, and
 * never gets here.
 */
const OPEN = 1_000_000_000

/** How long the store remembers that a receipt was refused: long enough to refuse it again cheaply. */
const CLOSED_MS = 60_000

const seconds = (ms: number): number => Math.max(1, Math.ceil(ms / 1_000))

/**
 * Counts in memory, or in Redis. While Redis does not answer, every call rejects: an instance that counted
 * for itself would give each user the whole day once more.
 */
export function createUsageStore({ redis, account, breaker }: UsageStoreOptions): UsageStore {
  // Each call says its own duration, and what is too much is decided by the caller.
  const unused = { points: Number.MAX_SAFE_INTEGER, duration: 1 }
  const limiter = redis
    ? createRedisLimiter(redis, { ...unused, keyPrefix: `stagepass:{${account}}:usage` })
    : new RateLimiterMemory({ ...unused, keyPrefix: '' })
  const guard = redis ? breaker : <TValue>(call: () => Promise<TValue>): Promise<TValue> => call()
  const count = (key: string, points: number, ttlMs: number) =>
    limiter.penalty(key, points, { customDuration: seconds(ttlMs) })

  return {
    isShared: redis !== undefined,
    async add(key, ms, ttlMs) {
      const adding = { current: undefined as ReturnType<typeof count> | undefined }
      try {
        return (await guard(() => (adding.current = count(key, ms, ttlMs)))).consumedPoints
      } catch (error) {
        // It came too late to be used, but Redis has counted it.
        if (ms > 0) adding.current?.then(() => count(key, -ms, ttlMs)).catch(() => undefined)
        throw error
      }
    },
    async read(key, ttlMs) {
      // In Redis a sum of zero is made: a client that is a function cannot do more than run the one script.
      if (redis) return (await guard(() => count(key, 0, ttlMs))).consumedPoints
      const sum = await limiter.get(key)
      return sum && sum.msBeforeNext > 0 ? sum.consumedPoints : 0
    },
    async open(id, ttlMs) {
      await guard(() => count(id, OPEN, ttlMs))
    },
    async close(id) {
      const { consumedPoints, msBeforeNext } = await guard(() => count(id, 1, CLOSED_MS))
      return consumedPoints === OPEN + 1 ? msBeforeNext : undefined
    },
  }
}
