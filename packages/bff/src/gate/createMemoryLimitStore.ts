import { RateLimiterMemory } from 'rate-limiter-flexible'
import type { Settings } from '../settings/BffOptions.js'

export type LimitName = keyof Settings['limits']

/** Counts the requests of a minute by key. */
export interface LimitStore {
  /** Rejects with a `RateLimiterRes` if the key is over its limit. */
  consume(key: string): Promise<unknown>
}

/** Upper bound of counted users. Beyond it the oldest count is dropped and starts again from zero. */
export const MAX_COUNTED_USERS = 20_000

/** Counts of one process. A window is a minute from a user's first request. */
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
