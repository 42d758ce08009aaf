import { LRUCache } from 'lru-cache'
import { atMost } from '../platform/atMost.js'
import { BffError } from '../errors/BffError.js'
import type { RequestContext } from '../request/RequestContext.js'
import type { Clock } from '../platform/platform.js'
import type { UserName } from '../crypto/userNames.js'
import type { Breaker } from '../redis/createBreaker.js'
import { createRedisLimiter } from '../redis/createRedisLimiter.js'
import type { Settings } from '../settings/readOptions.js'

const LIMIT_NAMES = ['tokensPerMinute', 'meetingsPerMinute'] as const
type LimitName = (typeof LIMIT_NAMES)[number]

/** Counts one request of a grant's user, or rejects with RATE_LIMITED. */
export type CountRequest = (limit: LimitName, user: string, context: RequestContext) => Promise<void>

/** The requests of a user in one minute, this one included. */
interface Counted {
  readonly consumedPoints: number
  readonly msBeforeNext: number
}

/** Counts one request. A window is a minute from a user's first request. */
type Count = (user: string) => Counted | Promise<Counted>

const WINDOW_SECONDS = 60

/** Upper bound of counted users. Beyond it the count that is longest unused starts again from zero. */
export const MAX_COUNTED_USERS = 20_000

/** Limits by grant user, not by address or header, because a client chooses those. */
export function createLimits(settings: Settings, breaker: Breaker, userName: UserName): CountRequest {
  const counts = new Map<LimitName, Count>()
  for (const name of LIMIT_NAMES) {
    if (settings.limits[name] !== Infinity) counts.set(name, inStore(settings, breaker, name, userName))
  }

  return async (limit, user, { id: requestId, emit }) => {
    const count = await counts.get(limit)?.(user)
    if (!count || count.consumedPoints <= settings.limits[limit]) return
    const retryAfterMs = Math.max(1, count.msBeforeNext)
    emit?.({ type: 'limit.exceeded', requestId, user, limit, retryAfterMs })
    throw new BffError('RATE_LIMITED', { retryAfterMs })
  }
}

/** Counts of one process. */
function inMemory(clock: Clock): Count {
  const counts = new LRUCache<string, number>({
    ...atMost(MAX_COUNTED_USERS),
    ttl: WINDOW_SECONDS * 1_000,
    noUpdateTTL: true,
    ttlResolution: 0,
    perf: clock,
  })
  return (user) => {
    const consumedPoints = (counts.get(user) ?? 0) + 1
    counts.set(user, consumedPoints)
    return { consumedPoints, msBeforeNext: Math.ceil(counts.getRemainingTTL(user)) }
  }
}

/**
 * One count for all instances, in Redis; while Redis does not answer, or without it, one for each instance,
 * in memory.
 */
function inStore(
  { redis, meetings, platform }: Settings,
  breaker: Breaker,
  name: LimitName,
  userName: UserName,
): Count {
  const own = inMemory(platform.clock)
  if (!redis) return own
  const keyPrefix = `stagepass:{${meetings.account}}:${name}`
  const shared = createRedisLimiter(redis, { duration: WINDOW_SECONDS, keyPrefix })
  return async (user) => {
    const key = await userName(user)
    return breaker(() => shared.penalty(key)).catch(() => own(key))
  }
}
