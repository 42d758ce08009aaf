import { LONGEST_TIMER_MS, type Platform } from './platform.js'

/**
 * If the wall clock runs ahead of the monotonic clock by more than this, the machine slept. Slewing between
 * two readings is always less.
 */
export const UNSEEN_SLEEP_MS = 2_000
/** If the wall clock goes back by more than this between two readings, it was set. */
const SET_BACK_MS = 100

/**
 * The same platform, with timers for any time, and a `now()` that includes the time the machine slept, except
 * at most the last `UNSEEN_SLEEP_MS`. A time of more than 24.8 days never comes. This platform sets all
 * timers of the package.
 *
 * Some browsers stop the monotonic clock in sleep. The wall clock runs on, but it can be wrong or be set. If
 * the wall clock has run ahead of the monotonic clock since the last reading, the difference counts as sleep.
 * A wall clock that is set forward looks the same and causes only an early renewal. If it is set back, its
 * lead before that counts as sleep.
 */
export function sleepAware(platform: Platform): Platform {
  let sleptMs = 0
  /** Wall clock minus monotonic clock: `ahead` with all sleep counted, `lastAhead` at the last reading. */
  let ahead = platform.wallNow() - platform.now()
  let lastAhead = ahead
  return {
    ...platform,
    setTimeout: (callback, delayMs) =>
      delayMs > LONGEST_TIMER_MS ? 0 : platform.setTimeout(callback, delayMs),
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
