import { RateLimiterMemory, RateLimiterRedis, RateLimiterRes } from 'rate-limiter-flexible'
import { isNodeRedis } from '../budget/redis/redisClient.js'
import { userKey } from '../budget/userKey.js'
import { BffError } from '../context/BffError.js'
import type { RequestContext } from '../context/RequestContext.js'
import type { Settings } from '../settings/readOptions.js'
import { createBreaker } from './createBreaker.js'

const LIMIT_NAMES = ['tokensPerMinute', 'meetingsPerMinute'] as const
type LimitName = (typeof LIMIT_NAMES)[number]

/** Counts one request of a grant's user, or rejects with RATE_LIMITED. */
export type CountRequest = (limit: LimitName, user: string, context: RequestContext) => Promise<void>

/** Counts one request of a minute. Rejects with a `RateLimiterRes` if the user is over the limit. */
type Consume = (user: string) => Promise<unknown>

/** Upper bound of counted users. Beyond it the oldest count is dropped and starts again from zero. */
export const MAX_COUNTED_USERS = 20_000

/** The longest time for Redis to count a request, and at most a small part of the deadline. */
const REDIS_TIMEOUT_MS = 500

/** Limits by grant user, not by address or header, because a client chooses those. */
export function createLimits(settings: Settings): CountRequest {
  const counts = new Map<LimitName, Consume>()
  for (const name of LIMIT_NAMES) {
    const points = settings.limits[name]
    if (points !== Infinity)
      counts.set(name, settings.redis ? inRedis(settings, points, name) : inMemory(points))
  }

  return async (limit, user, { id: requestId, emit }) => {
    try {
      await counts.get(limit)?.(user)
    } catch (thrown) {
      if (!(thrown instanceof RateLimiterRes)) throw thrown
      const retryAfterMs = Math.max(1, thrown.msBeforeNext)
      emit?.({ type: 'limit.exceeded', requestId, user, limit, retryAfterMs })
      throw new BffError('RATE_LIMITED', { retryAfterMs })
    }
  }
}

/** Counts of one process. A window is a minute from a user's first request. */
function inMemory(points: number): Consume {
  const limiter = new RateLimiterMemory({ points, duration: 60, keyPrefix: '' })
  /** In the order of their first request. */
  const users = new Set<string>()
  return (user) => {
    users.add(user)
    for (const oldest of users) {
      if (users.size <= MAX_COUNTED_USERS) break
      users.delete(oldest)
      void limiter.delete(oldest)
    }
    return limiter.consume(user)
  }
}

/** One count for all instances, in Redis; while Redis does not answer, one for each instance, in memory. */
function inRedis({ redis, meetings, platform, deadlineMs }: Settings, points: number, name: string): Consume {
  const shared = new RateLimiterRedis({
    storeClient: redis,
    useRedisPackage: isNodeRedis(redis),
    rejectIfRedisNotReady: true,
    points,
    duration: 60,
    // Separates the accounts in one Redis, and keeps each on one node of a cluster.
    keyPrefix: `stagepass:{${meetings.account}}:${name}`,
  })
  const own = inMemory(points)
  const withBreaker = createBreaker(platform.clock, Math.min(REDIS_TIMEOUT_MS, deadlineMs / 4))
  return async (user) => {
    const key = userKey(user)
    const isOver = await withBreaker(() =>
      shared.consume(key).then(
        () => undefined,
        // A user over the limit is no failure of Redis.
        (thrown: unknown) => {
          if (thrown instanceof RateLimiterRes) return thrown
          throw thrown
        },
      ),
    ).catch(() => own(key).then(() => undefined))
    if (isOver) throw isOver
  }
}
