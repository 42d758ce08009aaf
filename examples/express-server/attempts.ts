import { RateLimiterMemory, RateLimiterRes } from 'rate-limiter-flexible'

/** Counts attempts to log in. */
export interface Attempts {
  /** Counts one attempt. Returns how long the next one has to wait: 0 if this one may go on. */
  take(user: string, address: string): Promise<number>
  /** After a login that succeeded: it does not count, because many people may share an address. */
  forget(user: string, address: string): Promise<void>
}

const WINDOW_S = 15 * 60

/**
 * Attempts in 15 minutes: for one name, whatever the address, and from one address, whatever the name. An attempt counts before its password
 * is checked, so attempts side by side are limited too. Several instances need `RateLimiterRedis` of the same library.
 */
export function createAttempts({ perUser = 10, perAddress = 50 } = {}): Attempts {
  const byUser = new RateLimiterMemory({ points: perUser, duration: WINDOW_S })
  const byAddress = new RateLimiterMemory({ points: perAddress, duration: WINDOW_S })

  return {
    async take(user, address) {
      try {
        // The address first: one that is over its limit must not use up the attempts of every name.
        await byAddress.consume(address)
        await byUser.consume(user)
        return 0
      } catch (refused) {
        if (refused instanceof RateLimiterRes) return refused.msBeforeNext
        throw refused
      }
    },
    async forget(user, address) {
      await byUser.delete(user)
      await byAddress.reward(address)
    },
  }
}
