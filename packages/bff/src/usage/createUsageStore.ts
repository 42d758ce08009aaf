// oxlint-disable-next-line typescript/triple-slash-reference -- an ambient module has no import
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
  /** Other instances have the same sums and reservations. `undefined` in memory. */
  readonly shared: SharedReservations | undefined
}

/** Reservations that any instance can close, once. */
interface SharedReservations {
  /** Opens a reservation for a time. */
  open(id: string, ttlMs: number): Promise<void>
  /** Resolves with the rest of its time. `undefined` if it is not open: closed before, ended, or lost. */
  close(id: string): Promise<number | undefined>
}

const seconds = (ms: number): number => Math.max(1, Math.ceil(ms / 1_000))

/** Each call says its own duration, and what is too much is decided by the caller. */
const UNUSED = { points: Number.MAX_SAFE_INTEGER, duration: 1 }

export const createUsageStore = ({ redis, account, breaker }: UsageStoreOptions): UsageStore =>
  redis ? inRedis(redis, account, breaker) : inMemory()

/** Counts of one process. */
function inMemory(): UsageStore {
  const limiter = new RateLimiterMemory({ ...UNUSED, keyPrefix: '' })
  return {
    shared: undefined,
    async add(key, ms, ttlMs) {
      return (await limiter.penalty(key, ms, { customDuration: seconds(ttlMs) })).consumedPoints
    },
    async read(key) {
      const sum = await limiter.get(key)
      return sum && sum.msBeforeNext > 0 ? sum.consumedPoints : 0
    },
  }
}

/**
 * The value of an open reservation. A reservation that Redis has lost begins at 1 when it is closed, and
 * never gets here.
 */
const OPEN = 1_000_000_000

/** How long Redis remembers that a receipt was refused. */
const CLOSED_MS = 60_000

/**
 * One count for all instances. While Redis does not answer, every call rejects: an instance that counted for
 * itself would give each user the whole day once more.
 */
function inRedis(redis: RedisClient | RedisEval, account: string, breaker: Breaker): UsageStore {
  const limiter = createRedisLimiter(redis, { ...UNUSED, keyPrefix: `stagepass:{${account}}:usage` })
  const count = (key: string, points: number, ttlMs: number): Promise<RateLimiterRes> =>
    limiter.penalty(key, points, { customDuration: seconds(ttlMs) })

  /**
   * Undoes what Redis did too late: nothing waits for it any longer, and the caller has said that it failed.
   */
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
      return await breaker(begin)
    } catch (error) {
      for (const begun of running) begun.then(undo).catch(() => undefined)
      throw error
    }
  }

  return {
    shared: {
      async open(id, ttlMs) {
        await breaker(() => count(id, OPEN, ttlMs))
      },
      async close(id) {
        const undo = ({ consumedPoints }: RateLimiterRes) =>
          consumedPoints === OPEN + 1 ? count(id, -1, CLOSED_MS) : undefined
        const { consumedPoints, msBeforeNext } = await attempt(() => count(id, 1, CLOSED_MS), undo)
        return consumedPoints === OPEN + 1 ? msBeforeNext : undefined
      },
    },
    async add(key, ms, ttlMs) {
      const undo = () => (ms > 0 ? count(key, -ms, ttlMs) : undefined)
      return (await attempt(() => count(key, ms, ttlMs), undo)).consumedPoints
    },
    // It makes a sum of zero: a client that is a function cannot do more than run the one script.
    read: async (key, ttlMs) => (await breaker(() => count(key, 0, ttlMs))).consumedPoints,
  }
}
