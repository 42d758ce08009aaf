import type { Platform, TimerHandle } from '../../platform/platform.js'

const ROUND_MS = 20_000

/** A browser may hold back the timers of a hidden page for a minute; what is later than this has slept. */
const SLEPT_MS = 90_000

/** Notices that the machine slept: a timer came far too late, or the page woke up long after the last one. */
export interface SleepWatch {
  start(): void
  stop(): void
  /** True once after each sleep. */
  look(): boolean
}

/** `platform.now()` must have counted the sleep. */
export function createSleepWatch(platform: Platform, onSlept: () => void): SleepWatch {
  let seenAt = 0
  let timer: TimerHandle | undefined

  function look(): boolean {
    const gap = platform.now() - seenAt
    seenAt = platform.now()
    return gap > SLEPT_MS
  }

  function round(): void {
    timer = platform.setTimeout(() => {
      if (look()) onSlept()
      round()
    }, ROUND_MS)
  }

  return {
    start() {
      seenAt = platform.now()
      round()
    },
    stop() {
      platform.clearTimeout(timer)
    },
    look,
  }
}
