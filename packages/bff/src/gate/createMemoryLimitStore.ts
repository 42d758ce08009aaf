import { RateLimiterMemory } from 'rate-limiter-flexible'
import type { Settings } from '../settings/BffOptions.js'

export type LimitName = keyof Settings['limits']

/** Counts the requests of a minute by key. */
export interface LimitStore {
  /** Rejects with a `RateLimiterRes` where the key is over its limit. */
  consume(key: string): Promise<unknown>
}

/** More users than this in one minute, and the longest counted ones begin anew: memory has an end, whoever asks. */
export const MAX_COUNTED_USERS = 20_000

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
