import { LRUCache } from 'lru-cache/raw'
import { type GrantUser, userKey } from '../grant/userKey.js'
import type { UserName } from './userNames.js'
import { BffError } from '../base/BffError.js'
import { atMost, type Clock } from '../base/platform.js'
import type { Breaker } from './createBreaker.js'
import { createRedisCount } from './createRedisCount.js'
import type { RequestContext } from '../request/RequestContext.js'
import type { Settings } from '../settings/readOptions.js'

export type LimitName = keyof Settings['limits']

/** Counts one request of the grant's user. Rejects with RATE_LIMITED above the limit. */
export type CountRequest = (limit: LimitName, user: GrantUser, context: RequestContext) => Promise<void>

const WINDOW_MS = 60_000

/**
 * Maximum number of users that are counted. Beyond it, the least recently used count starts again from zero.
 */
export const MAX_COUNTED_USERS = 20_000

/**
 * Limits are per user of the grant, not per address or header, because a client can choose those. A window is
 * the minute that begins with a user's first request. Redis counts for all instances. Without Redis, or while
 * it does not answer, each instance counts for itself.
 */
export function createLimits(
  { limits, redis, meetings, platform }: Settings,
  breaker: Breaker,
  userName: UserName,
): CountRequest {
  const own = {
    tokensPerMinute: inMemory(platform.clock),
    meetingsPerMinute: inMemory(platform.clock),
    vitalsPerMinute: inMemory(platform.clock),
    sessionsPerMinute: inMemory(platform.clock),
  }
  const shared = redis && createRedisCount(redis, WINDOW_MS)

  const countShared =
    shared &&
    (async (limit: LimitName, user: GrantUser) => {
      const name = await userName(user)
      // The account in braces keeps its counters on one node of a cluster.
      const key = `stagepass:{${meetings.account}}:${limit}:${name}`
      return breaker(() => shared(key)).catch(() => own[limit](name))
    })

  return async (limit, user, { id: requestId, emit }) => {
    if (limits[limit] === Infinity) return
    const { count, restMs } = countShared ? await countShared(limit, user) : own[limit](userKey(user))
    if (count <= limits[limit]) return
    const retryAfterMs = Math.max(1, restMs)
    emit?.({ type: 'limit.exceeded', requestId, user: user.user, limit, retryAfterMs })
    throw new BffError('RATE_LIMITED', { retryAfterMs })
  }
}

/** Counts one request. Returns the number of requests in the window, and the ms until its end. */
function inMemory(clock: Clock) {
  const counts = new LRUCache<string, number>({
    ...atMost(MAX_COUNTED_USERS),
    ttl: WINDOW_MS,
    noUpdateTTL: true,
    ttlResolution: 0,
    perf: clock,
  })
  return (name: string) => {
    const count = (counts.get(name) ?? 0) + 1
    counts.set(name, count)
    return { count, restMs: Math.ceil(counts.getRemainingTTL(name)) }
  }
}
