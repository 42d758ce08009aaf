import type { Clock } from '../platform/platform.js'

const PROBE_MS = 1_000

export type Breaker = ReturnType<typeof createBreaker>

/**
 * An error that Redis itself sent, such as `WRONGTYPE …` for a key of another type. It says nothing about
 * other keys, and that Redis responds. Clients have classes of their own for it, but they keep its text,
 * which begins with a code.
 */
const isReply = (error: unknown): boolean => error instanceof Error && /^[A-Z]{2,} /.test(error.message)

/**
 * Protects requests from waiting, each for its own time-out, for a Redis that does not respond. The function
 * rejects if the call fails, takes too long, or if one got no reply a moment ago.
 *
 *            a call is too slow, or the connection is lost
 *   closed ──────────────────────────────▶ open
 *     ▲                                      │
 *     └──────── a probe has a reply ─────────┘
 *
 * While it is open, every call rejects at once. Once in PROBE_MS a call is made in the background: the probe.
 */
export function createBreaker(clock: Clock, timeoutMs: number) {
  let isOpen = false
  let triedAt = 0

  const inTime = <TValue>(work: Promise<TValue>): Promise<TValue> =>
    new Promise((resolve, reject) => {
      const late = (): void => reject(new Error('It took too long.'))
      // A busy process runs its timers before it reads what has arrived. Between two timers it reads.
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
      isOpen = !isReply(error)
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
