import type { Platform, TimerHandle } from '../../platform/platform.js'

const ROUND_MS = 20_000

/**
 * If a timer is later than this, the machine slept. A browser delays timers of a hidden page by up to a
 * minute.
 */
const SLEPT_MS = 90_000

/**
 * Detects that the machine slept: a timer fired far too late, or the page woke long after the last timer.
 * `platform.now()` must include the sleep.
 */
export function createSleepWatch(platform: Platform, onSlept: () => void) {
  let seenAt = 0
  let timer: TimerHandle | undefined

  /** True once after each sleep. */
  function hasSlept(): boolean {
    const gap = platform.now() - seenAt
    seenAt = platform.now()
    return gap > SLEPT_MS
  }

  function round(): void {
    timer = platform.setTimeout(() => {
      if (hasSlept()) onSlept()
      round()
    }, ROUND_MS)
  }

  return {
    start(): void {
      seenAt = platform.now()
      round()
    },
    stop(): void {
      platform.clearTimeout(timer)
    },
    hasSlept,
  }
}
