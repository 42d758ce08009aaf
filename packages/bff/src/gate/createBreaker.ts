import { type Clock, withTimeout } from '../budget/core/Clock.js'

/** After a failure no call waits for this long; then one tries again, in the background. */
const PROBE_MS = 1_000

/** Rejects if the call fails, takes too long, or if one did so a moment ago. */
export type Breaker = <TValue>(call: () => Promise<TValue>) => Promise<TValue>

/**
 * Calls something that may be gone. So that not every request waits for its time-out:
 *
 *            a call fails or is too slow
 *   closed ──────────────────────────────▶ open: calls reject at once; the first one after PROBE_MS is made all the same, but nobody waits
 *     ▲                                      │
 *     └────────── that call works ───────────┘
 */
export function createBreaker(clock: Clock, timeoutMs: number): Breaker {
  let isOpen = false
  let triedAt = 0

  async function attempt<TValue>(call: () => Promise<TValue>): Promise<TValue> {
    triedAt = clock.now()
    try {
      const value = await withTimeout(call(), clock, timeoutMs, 'It took too long.')
      isOpen = false
      return value
    } catch (error) {
      isOpen = true
      triedAt = clock.now()
      throw error
    }
  }

  return async (call) => {
    if (!isOpen) return attempt(call)
    if (clock.now() - triedAt >= PROBE_MS) attempt(call).catch(() => undefined)
    throw new Error('It failed a moment ago.')
  }
}
