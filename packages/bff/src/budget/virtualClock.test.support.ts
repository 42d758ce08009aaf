import type { Clock } from './Clock.js'

/** A clock that stands still until it is told to move; timers run in order of their time, with promises settled between them. */
export interface VirtualClock extends Clock {
  advance(durationMs: number): Promise<void>
}

export function virtualClock(startMs = 0): VirtualClock {
  let nowMs = startMs
  const timers = new Map<() => void, number>()

  const settle = (): Promise<void> => new Promise((resolve) => setImmediate(resolve))

  return {
    now: () => nowMs,
    after(delayMs, task) {
      const run = (): void => task()
      timers.set(run, nowMs + Math.max(0, delayMs))
      return () => timers.delete(run)
    },
    async advance(durationMs) {
      const endMs = nowMs + durationMs
      await settle()
      for (;;) {
        const next = [...timers].filter(([, at]) => at <= endMs).toSorted(([, a], [, b]) => a - b)[0]
        if (next === undefined) break
        timers.delete(next[0])
        nowMs = Math.max(nowMs, next[1])
        next[0]()
        await settle()
      }
      nowMs = endMs
    },
  }
}
