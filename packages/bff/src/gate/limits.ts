import { RateLimiterRes } from 'rate-limiter-flexible'
import { BffError } from '../context/BffError.js'
import type { EmitEvent } from '../context/events.js'
import type { Settings } from '../settings/BffOptions.js'
import { createMemoryLimitStore, type LimitName, type LimitStore } from './createMemoryLimitStore.js'

export interface Limits {
  /** Counts one request of a grant's user, or rejects with RATE_LIMITED. */
  count(limit: LimitName, user: string, requestId: string): Promise<void>
}

/** Limits by grant user, not by address or header, because a client chooses those. */
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
