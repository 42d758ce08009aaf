import type { Clock } from '../context/platform.js'

const PROBE_MS = 1_000

export type Breaker = ReturnType<typeof createBreaker>

/**
 * Protects requests from waiting, each for its own time-out, for something that does not respond. The
 * function rejects if the call fails, takes too long, or if one did so a moment ago.
 *
 *            a call fails or is too slow
 *   closed ──────────────────────────────▶ open
 *     ▲                                      │
 *     └────────── a probe works ─────────────┘
 *
 * While it is open, every call rejects at once. Once in PROBE_MS a call is made in the background: the probe.
 */
export function createBreaker(
  clock: Clock,
  timeoutMs: number,
): <TValue>(call: () => Promise<TValue>) => Promise<TValue> {
  let isOpen = false
  let triedAt = 0

  const inTime = <TValue>(promise: Promise<TValue>): Promise<TValue> =>
    new Promise((resolve, reject) => {
      const fail = (): void => reject(new Error('It took too long.'))
      // A busy process runs its timers before it reads what has arrived. A second timer runs after that.
      let cancel = clock.after(timeoutMs, () => (cancel = clock.after(0, fail)))
      promise.then(resolve, reject).finally(() => cancel())
    })

  async function attempt<TValue>(call: () => Promise<TValue>): Promise<TValue> {
    triedAt = clock.now()
    try {
      const value = await inTime(call())
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
