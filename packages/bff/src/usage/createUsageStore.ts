// oxlint-disable-next-line typescript/triple-slash-reference -- an ambient module has no import
/// <reference path="../gate/rateLimiters.d.ts" />
import { type RedisClient, redisEval, type RedisEval } from '@stagepass/budget'
import type { Product } from '@stagepass/contract'
import type RateLimiterRes from 'rate-limiter-flexible/lib/RateLimiterRes.js'
import type { Clock } from '../context/platform.js'
import type { Breaker } from '../gate/createBreaker.js'
import { createRedisLimiter } from '../gate/createRedisLimiter.js'

interface UsageStoreOptions {
  readonly redis: RedisClient | RedisEval | undefined
  /** Separates the accounts in one Redis, and keeps each on one node of a cluster. */
  readonly account: string
  readonly breaker: Breaker
  readonly clock: Clock
}

/** Whose sums, and of what. */
export interface SumsKey {
  readonly day: string
  readonly product: Product
  /** The name of the user. */
  readonly name: string
}

/** In milliseconds. */
interface Sums {
  readonly taken: number
  readonly used: number
}

/** Two sums for each user, product and day. They end by themselves: nothing has to be removed. */
export interface UsageStore {
  /** Adds to a sum, or takes from it. `ttlMs` is the life of a sum that is new. Resolves with the sum. */
  add(key: SumsKey, sum: keyof Sums, ms: number, ttlMs: number): Promise<number>
  /** The sums of each key, all in one call; zero if there are none. */
  read(keys: readonly SumsKey[]): Promise<readonly Sums[]>
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

export const createUsageStore = ({ redis, account, breaker, clock }: UsageStoreOptions): UsageStore =>
  redis ? inRedis(redis, account, breaker) : inMemory(clock)

/** How many users of a product one process counts in a day: about 25 MB. */
export const MAX_COUNTED_IN_MEMORY = 100_000

/** How often is looked for sums that have ended, if there is no place for another. */
const SWEEP_MS = 60_000

/**
 * Counts of one process. If there is no place for a user, `add` rejects: to drop one would give a day back.
 */
function inMemory(clock: Clock): UsageStore {
  const kept = new Map<string, { taken: number; used: number; readonly endsAt: number }>()
  let sweptAt = -Infinity
  const nameOf = ({ day, product, name }: SumsKey): string => `${day}:${product}:${name}`

  function sweep(): void {
    const now = clock.now()
    if (now - sweptAt < SWEEP_MS) return
    sweptAt = now
    for (const [name, { endsAt }] of kept) if (endsAt <= now) kept.delete(name)
  }

  return {
    shared: undefined,
    async add(key, sum, ms, ttlMs) {
      const name = nameOf(key)
      let sums = kept.get(name)
      if (!sums) {
        if (kept.size >= MAX_COUNTED_IN_MEMORY) sweep()
        if (kept.size >= MAX_COUNTED_IN_MEMORY)
          throw new Error(`This process counts ${MAX_COUNTED_IN_MEMORY} users of a product already.`)
        sums = { taken: 0, used: 0, endsAt: clock.now() + ttlMs }
        kept.set(name, sums)
      }
      return (sums[sum] += ms)
    },
    read: async (keys) => keys.map((key) => kept.get(nameOf(key)) ?? { taken: 0, used: 0 }),
  }
}

/**
 * The value of an open reservation. A reservation that Redis has lost begins at 1 when it is closed, and
 * never gets here.
 */
const OPEN = 1_000_000_000

/** How long Redis remembers that a receipt was refused. */
const CLOSED_MS = 60_000

const READ = `return redis.call('MGET', unpack(KEYS))`

/**
 * One count for all instances. While Redis does not answer, every call rejects: an instance that counted for
 * itself would give each user the whole day once more.
 */
function inRedis(redis: RedisClient | RedisEval, account: string, breaker: Breaker): UsageStore {
  const keyPrefix = `stagepass:{${account}}:usage`
  const limiter = createRedisLimiter(redis, { ...UNUSED, keyPrefix })
  const run = redisEval(redis)
  const nameOf = ({ day, product, name }: SumsKey, sum: keyof Sums): string =>
    `${day}:${product}:${sum}:${name}`
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
    async add(key, sum, ms, ttlMs) {
      const name = nameOf(key, sum)
      const undo = () => (ms > 0 ? count(name, -ms, ttlMs) : undefined)
      return (await attempt(() => count(name, ms, ttlMs), undo)).consumedPoints
    },
    async read(keys) {
      const names = keys.flatMap((key) => [nameOf(key, 'taken'), nameOf(key, 'used')])
      const found = await breaker(() =>
        run(
          READ,
          names.map((name) => `${keyPrefix}:${name}`),
          [],
        ),
      )
      // Text, or bytes if the client is set so; null for a sum that there is not.
      const sums = Array.isArray(found) ? found.map((value) => Number(value ?? 0)) : []
      return keys.map((_key, at) => ({ taken: sums[2 * at] ?? 0, used: sums[2 * at + 1] ?? 0 }))
    },
  }
}
