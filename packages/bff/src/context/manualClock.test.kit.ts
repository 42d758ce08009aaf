import type { Clock } from '../budget/core/Clock.js'

export interface ManualClock extends Clock {
  /** Moves the time forward and runs what has become due, in order. */
  advance(ms: number): void
}

/** Time that stands still until a test moves it. */
export function createManualClock(): ManualClock {
  let nowMs = 0
  let timers: { at: number; task: () => void }[] = []
  const advance = (ms: number): void => {
    const end = nowMs + ms
    for (;;) {
      const next = timers.filter(({ at }) => at <= end).toSorted((a, b) => a.at - b.at)[0]
      if (!next) break
      timers = timers.filter((other) => other !== next)
      nowMs = Math.max(nowMs, next.at)
      next.task()
    }
    nowMs = end
  }
  return {
    now: () => nowMs,
    advance,
    after(delayMs, task) {
      const timer = { at: nowMs + delayMs, task }
      timers.push(timer)
      // What is due at once needs nobody to move the time.
      if (delayMs <= 0) setImmediate(() => advance(0))
      return () => {
        timers = timers.filter((other) => other !== timer)
      }
    },
  }
}
