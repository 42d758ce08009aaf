// An ambient module has no import.
// oxlint-disable-next-line typescript/triple-slash-reference
/// <reference path="../gate/rateLimiters.d.ts" />
import type { RedisClient, RedisEval } from '@stagepass/budget'
import RateLimiterMemory from 'rate-limiter-flexible/lib/RateLimiterMemory.js'
import type RateLimiterRes from 'rate-limiter-flexible/lib/RateLimiterRes.js'
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

  /** Undoes what Redis did too late: nothing waits for it any longer, and the caller has said that it failed. */
  async function attempt(
    call: () => Promise<RateLimiterRes>,
    undo: (late: RateLimiterRes) => unknown,
  ): Promise<RateLimiterRes> {
    const running: Promise<RateLimiterRes>[] = []
    const begin = (): Promise<RateLimiterRes> => {
      const begun = call()
      running.push(begun)
      return begun
    }
    try {
      return await guard(begin)
    } catch (error) {
      for (const begun of running) begun.then(undo).catch(() => undefined)
      throw error
    }
  }

  return {
    isShared: redis !== undefined,
    async add(key, ms, ttlMs) {
      const undo = () => (ms > 0 ? count(key, -ms, ttlMs) : undefined)
      return (await attempt(() => count(key, ms, ttlMs), undo)).consumedPoints
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
      const undo = ({ consumedPoints }: RateLimiterRes) =>
        consumedPoints === OPEN + 1 ? count(id, -1, CLOSED_MS) : undefined
      const { consumedPoints, msBeforeNext } = await attempt(() => count(id, 1, CLOSED_MS), undo)
      return consumedPoints === OPEN + 1 ? msBeforeNext : undefined
    },
  }
}
