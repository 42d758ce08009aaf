// oxlint-disable-next-line typescript/triple-slash-reference -- an ambient module has no import
/// <reference path="./rateLimiters.d.ts" />
// The files, because the index loads the limiters of every store, and with them modules that only Node has.
import RateLimiterMemory from 'rate-limiter-flexible/lib/RateLimiterMemory.js'
import type RateLimiterRedis from 'rate-limiter-flexible/lib/RateLimiterRedis.js'
import RateLimiterRes from 'rate-limiter-flexible/lib/RateLimiterRes.js'
import { BffError } from '../context/BffError.js'
import type { RequestContext } from '../context/RequestContext.js'
import type { UserName } from '../crypto/userNames.js'
import type { Settings } from '../settings/readOptions.js'
import type { Breaker } from './createBreaker.js'
import { createRedisLimiter } from './createRedisLimiter.js'

const LIMIT_NAMES = ['tokensPerMinute', 'meetingsPerMinute'] as const
type LimitName = (typeof LIMIT_NAMES)[number]

/** Counts one request of a grant's user, or rejects with RATE_LIMITED. */
export type CountRequest = (limit: LimitName, user: string, context: RequestContext) => Promise<void>

/** Counts one request of a minute. Resolves with the count, also if it is over the limit. */
type Count = (user: string) => Promise<RateLimiterRes>

/** Upper bound of counted users. Beyond it the oldest count is dropped and starts again from zero. */
export const MAX_COUNTED_USERS = 20_000

/** Limits by grant user, not by address or header, because a client chooses those. */
export function createLimits(settings: Settings, breaker: Breaker, userName: UserName): CountRequest {
  const counts = new Map<LimitName, Count>()
  for (const name of LIMIT_NAMES) {
    const points = settings.limits[name]
    if (points !== Infinity) counts.set(name, inStore(settings, breaker, points, name, userName))
  }

  return async (limit, user, { id: requestId, emit }) => {
    const count = await counts.get(limit)?.(user)
    if (!count || count.consumedPoints <= settings.limits[limit]) return
    const retryAfterMs = Math.max(1, count.msBeforeNext)
    emit?.({ type: 'limit.exceeded', requestId, user, limit, retryAfterMs })
    throw new BffError('RATE_LIMITED', { retryAfterMs })
  }
}

/** The library rejects with the count of a user over the limit, and with an error if the store failed. */
async function consume(limiter: RateLimiterMemory | RateLimiterRedis, user: string): Promise<RateLimiterRes> {
  try {
    return await limiter.consume(user)
  } catch (thrown) {
    if (thrown instanceof RateLimiterRes) return thrown
    throw thrown
  }
}

/** Counts of one process. A window is a minute from a user's first request. */
function inMemory(points: number): Count {
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
    return consume(limiter, user)
  }
}

/**
 * One count for all instances, in Redis; while Redis does not answer, or without it, one for each instance,
 * in memory.
 */
function inStore(
  { redis, meetings }: Settings,
  breaker: Breaker,
  points: number,
  name: string,
  userName: UserName,
): Count {
  if (!redis) return inMemory(points)
  const keyPrefix = `stagepass:{${meetings.account}}:${name}`
  const shared = createRedisLimiter(redis, { points, duration: 60, keyPrefix })
  const own = inMemory(points)
  return async (user) => {
    const key = await userName(user)
    return breaker(() => consume(shared, key)).catch(() => own(key))
  }
}
