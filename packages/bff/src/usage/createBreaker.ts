import { replyCode } from '@stagepass/budget'
import type { Clock } from '../base/platform.js'

const PROBE_MS = 1_000

export type Breaker = ReturnType<typeof createBreaker>

/**
 * Returns a function that runs a call. If Redis did not reply a moment ago, the function rejects at once, so
 * that requests do not each wait for a time-out. It also rejects if the call fails or takes too long.
 *
 *            a call is too slow, or the connection is lost
 *   closed ──────────────────────────────▶ open
 *     ▲                                      │
 *     └──────── a probe gets a reply ────────┘
 *
 * While the breaker is open, every call rejects at once. Once in PROBE_MS one of them also runs in the
 * background, as a probe.
 */
export function createBreaker(clock: Clock, timeoutMs: number) {
  let isOpen = false
  let triedAt = 0

  const inTime = <TValue>(work: Promise<TValue>): Promise<TValue> =>
    new Promise((resolve, reject) => {
      const late = (): void => reject(new Error('It took too long.'))
      // Two timers: a busy process runs a due timer before it reads a reply that has already arrived. Between
      // the two timers it reads the reply.
      let cancel = clock.after(timeoutMs / 2, () => (cancel = clock.after(timeoutMs / 2, late)))
      work.then(resolve, reject).finally(() => cancel())
    })

  async function attempt<TValue>(call: () => Promise<TValue>): Promise<TValue> {
    triedAt = clock.now()
    try {
      const value = await inTime(call())
      isOpen = false
      return value
    } catch (error) {
      // An error reply shows that Redis responds, and says nothing about other keys.
      isOpen = replyCode(error) === undefined
      triedAt = clock.now()
      throw error
    }
  }

  return async <TValue>(call: () => Promise<TValue>): Promise<TValue> => {
    if (!isOpen) return attempt(call)
    if (clock.now() - triedAt >= PROBE_MS) attempt(call).catch(() => undefined)
    throw new Error('It failed a moment ago.')
  }
}
