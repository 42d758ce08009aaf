import { LRUCache } from 'lru-cache/raw'
import { type GrantUser, userKey } from '../grant/userKey.js'
import type { UserName } from './userNames.js'
import { BffError } from '../base/BffError.js'
import { atMost, type Clock } from '../base/platform.js'
import type { Breaker } from './createBreaker.js'
import { type KeyRegister, registerNames } from './createKeyRegister.js'
import { createRedisCount, type RedisCount } from './createRedisCount.js'
import type { RequestContext } from '../request/RequestContext.js'
import type { Settings } from '../settings/readOptions.js'

export type LimitName = keyof Settings['limits']

export type Limits = ReturnType<typeof createLimits>

interface LimitsSetup {
  readonly settings: Pick<Settings, 'limits' | 'redis' | 'meetings' | 'platform'>
  readonly breaker: Breaker
  readonly userName: UserName
  readonly register: Pick<KeyRegister, 'isSuspect'>
  /** Called with the number of accounts that were forgotten, by any instance. The request waits for it. */
  readonly onForgotten: (count: number) => Promise<void> | undefined
}

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
export function createLimits({ settings, breaker, userName, register, onForgotten }: LimitsSetup) {
  const { limits, redis, meetings, platform } = settings
  const own = {
    tokensPerMinute: inMemory(platform.clock),
    meetingsPerMinute: inMemory(platform.clock),
    vitalsPerMinute: inMemory(platform.clock),
    sessionsPerMinute: inMemory(platform.clock),
  }
  const shared = redis && createRedisCount(redis)

  /** Counts in this process. */
  const countOwn = (limit: LimitName, name: string, account?: string, print?: string) => ({
    ...(limits[limit] < Infinity ? own[limit].count(name) : { count: 0, restMs: 0 }),
    isSuspect: account !== undefined && register.isSuspect(account, print),
  })

  const countShared =
    shared &&
    (async (limit: LimitName, user: GrantUser, print?: string) => {
      const name = await userName(user)
      // The account in braces keeps its counters on one node of a cluster.
      const counter = `stagepass:{${meetings.account}}:${limit}:${name}`
      const keys = [counter, ...registerNames(meetings.account, user.account)]
      const windowMs = limits[limit] < Infinity ? WINDOW_MS : 0
      let counted: RedisCount
      try {
        counted = await breaker(() => shared(keys, windowMs, print))
      } catch {
        return countOwn(limit, name)
      }
      await onForgotten(counted.forgotten)
      return counted
    })

  return {
    /**
     * Counts one request of the grant's user. Rejects with RATE_LIMITED above the limit. Returns true if the
     * account may have been forgotten. `print`: that of the account's key, if it is known.
     */
    async count(
      limit: LimitName,
      user: GrantUser,
      { id: requestId, emit }: RequestContext,
      print?: string,
    ): Promise<boolean> {
      if (limits[limit] === Infinity && user.account === undefined) return false
      const { count, restMs, isSuspect } = countShared
        ? await countShared(limit, user, print)
        : countOwn(limit, userKey(user), user.account, print)
      if (count <= limits[limit]) return isSuspect
      const retryAfterMs = Math.max(1, restMs)
      emit?.({ type: 'limit.exceeded', requestId, user: user.user, limit, retryAfterMs })
      throw new BffError('RATE_LIMITED', { retryAfterMs })
    },

    /** Drops the counts of an account's users in this process. In Redis they end within a minute. */
    drop(account: string): void {
      const first = `${JSON.stringify([account]).slice(0, -1)},`
      for (const counts of Object.values(own)) counts.drop(first)
    },
  }
}

function inMemory(clock: Clock) {
  const counts = new LRUCache<string, number>({
    ...atMost(MAX_COUNTED_USERS),
    ttl: WINDOW_MS,
    noUpdateTTL: true,
    ttlResolution: 0,
    perf: clock,
  })
  return {
    /** Counts one request. Returns the number of requests in the window, and the ms until its end. */
    count(name: string) {
      const count = (counts.get(name) ?? 0) + 1
      counts.set(name, count)
      return { count, restMs: Math.ceil(counts.getRemainingTTL(name)) }
    },
    drop(first: string): void {
      for (const name of counts.keys()) if (name.startsWith(first)) counts.delete(name)
    },
  }
}
