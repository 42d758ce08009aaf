import { setTimeout as timeout } from 'node:timers/promises'

/** Time, so that tests can replace it. */
export interface Platform {
  /** Milliseconds since the epoch. */
  now(): number
  /** Milliseconds of a clock that never steps. */
  elapsed(): number
  /** Rejects with the signal's reason if it is aborted. */
  sleep(ms: number, signal: AbortSignal): Promise<void>
}

/** Clock and timers of Node. */
export const nodePlatform: Platform = {
  now: () => Date.now(),
  elapsed: () => performance.now(),
  async sleep(ms, signal) {
    signal.throwIfAborted()
    try {
      await timeout(ms, undefined, { signal })
    } catch (error) {
      signal.throwIfAborted()
      throw error
    }
  },
}
