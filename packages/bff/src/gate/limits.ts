import { RateLimiterMemory, RateLimiterRes } from 'rate-limiter-flexible'
import { BffError } from '../context/BffError.js'
import type { EmitEvent } from '../context/events.js'
import type { Settings } from '../settings/BffOptions.js'

export type LimitName = keyof Settings['limits']

/** Counts the requests of a minute by key. */
export interface LimitStore {
  /** Rejects with a `RateLimiterRes` where the key is over its limit. */
  consume(key: string): Promise<unknown>
}

export interface Limits {
  /** Counts one request of a grant's user, or rejects with RATE_LIMITED. */
  count(limit: LimitName, user: string, requestId: string): Promise<void>
}

/** More users than this in one minute, and the longest counted ones begin anew: memory has an end, whoever asks. */
export const MAX_COUNTED_USERS = 20_000

/** Inbound limits per grant user: never per address or header, which a client chooses. */
export function createLimits(
  limits: Settings['limits'],
  emit: EmitEvent,
  createStore: (points: number, name: LimitName) => LimitStore = createMemoryLimitStore,
): Limits {
  const stores = new Map<LimitName, LimitStore>()
  for (const name of ['tokensPerMinute', 'meetingsPerMinute'] as const)
    if (limits[name] !== Infinity) stores.set(name, createStore(limits[name], name))

  return {
    async count(limit, user, requestId) {
      try {
        await stores.get(limit)?.consume(user)
      } catch (thrown) {
        if (!(thrown instanceof RateLimiterRes)) throw thrown
        const retryAfterMs = Math.max(1, thrown.msBeforeNext)
        emit?.({ type: 'limit.exceeded', requestId, user, limit, retryAfterMs })
        throw new BffError('RATE_LIMITED', { retryAfterMs })
      }
    },
  }
}

/** One process's counts, in a window of a minute from a user's first request. */
export function createMemoryLimitStore(points: number): LimitStore {
  const limiter = new RateLimiterMemory({ points, duration: 60, keyPrefix: '' })
  /** In the order of their first request. */
  const users = new Set<string>()
  return {
    consume(user) {
      if (!users.has(user)) {
        users.add(user)
        if (users.size > MAX_COUNTED_USERS) {
          const [longest] = users
          if (longest !== undefined) {
            users.delete(longest)
            void limiter.delete(longest)
          }
        }
      }
      return limiter.consume(user)
    },
  }
}
