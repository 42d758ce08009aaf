import type { Platform } from './platform.js'

/** How far the wall clock may run ahead of the monotonic one before it counts as a sleep: more than any slewing between two readings. */
export const UNSEEN_SLEEP_MS = 2_000
/** A wall clock that falls back further than this between two looks was set. */
const SET_BACK_MS = 100

/**
 * The same platform with a `now()` that has counted the machine's sleep, but for the last `UNSEEN_SLEEP_MS` of it at most.
 *
 * Browsers differ: the monotonic clock may stand still while the machine sleeps. The wall clock does not, but it can be wrong and can be
 * set. So the two are compared with each other, never with a server: where the wall clock has run ahead since the last look, that much time
 * was slept through. A clock that is set forward looks the same and costs no more than an early renewal; for one that is set back, what it
 * had run ahead before is counted.
 */
export function sleepAware(platform: Platform): Platform {
  let sleptMs = 0
  /** How far the wall clock is ahead: where nothing is left to count, and at the last look. */
  let ahead = platform.wallNow() - platform.now()
  let lastAhead = ahead
  return {
    ...platform,
    now() {
      const monotonic = platform.now()
      const nowAhead = platform.wallNow() - monotonic
      if (nowAhead < lastAhead - SET_BACK_MS) {
        sleptMs += lastAhead - ahead
        ahead = nowAhead
      } else if (nowAhead - ahead > UNSEEN_SLEEP_MS) {
        sleptMs += nowAhead - ahead
        ahead = nowAhead
      } else {
        ahead = Math.min(ahead, nowAhead)
      }
      lastAhead = nowAhead
      return monotonic + sleptMs
    },
  }
}
