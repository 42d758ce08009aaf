import type { Platform } from './platform.js'

/** How far the wall clock may run ahead of the monotonic one before it counts as a sleep: more than any slewing between two readings. */
export const UNSEEN_SLEEP_MS = 2_000

/**
 * The same platform with a `now()` that has counted the machine's sleep.
 *
 * Browsers differ: the monotonic clock may stand still while the machine sleeps. The wall clock does not, but it can be wrong and can be
 * set. So the two are compared with each other, never with a server: where the wall clock has run ahead since the last look, that much time
 * was slept through. A clock that is set forward looks the same and costs no more than an early renewal; one that is set back changes
 * nothing.
 */
export function sleepAware(platform: Platform): Platform {
  let ahead = platform.wallNow() - platform.now()
  let sleptMs = 0
  return {
    ...platform,
    now() {
      const monotonic = platform.now()
      const nowAhead = platform.wallNow() - monotonic
      if (nowAhead - ahead > UNSEEN_SLEEP_MS) {
        sleptMs += nowAhead - ahead
        ahead = nowAhead
      } else if (nowAhead < ahead) {
        ahead = nowAhead
      }
      return monotonic + sleptMs
    },
  }
}
