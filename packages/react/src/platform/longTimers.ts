import type { Platform, TimerHandle } from './platform.js'

/** A browser fires a timer of more milliseconds, 24.8 days, at once. */
export const LONGEST_TIMER_MS = 2 ** 31 - 1

/**
 * The timers of a platform, for any time: a long one is made of several, and `Infinity` never comes. All
 * timers of the package are set by these.
 */
export function longTimers(platform: Platform): Pick<Platform, 'setTimeout' | 'clearTimeout'> {
  return {
    setTimeout(callback, delayMs) {
      const timer: { handle?: TimerHandle } = {}
      const arm = (leftMs: number): void => {
        if (leftMs === Infinity) return
        const restMs = leftMs - LONGEST_TIMER_MS
        timer.handle =
          restMs > 0
            ? platform.setTimeout(() => arm(restMs), LONGEST_TIMER_MS)
            : platform.setTimeout(callback, leftMs)
      }
      arm(delayMs)
      return timer
    },
    clearTimeout: (timer) => platform.clearTimeout((timer as { handle?: TimerHandle } | undefined)?.handle),
  }
}
