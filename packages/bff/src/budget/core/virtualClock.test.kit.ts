import type { Clock } from './Clock.js'

/** A clock that stands still until it is told to move. Timers run in order of their time, and all that they set off ends before the next. */
export interface VirtualClock extends Clock {
  advance(durationMs: number): Promise<void>
  /** Lets everything come to rest without moving on. */
  settle(): Promise<void>
  /** Counts `work` as going on: the clock does not move before it has ended. */
  track<T>(work: Promise<T>): Promise<T>
}

interface Timer {
  readonly at: number
  readonly task: () => void
}

export function virtualClock(startMs = 1_000_000): VirtualClock {
  let nowMs = startMs
  let timers: Timer[] = []
  let working = 0

  const settle = async (): Promise<void> => {
    for (;;) {
      await new Promise((resolve) => setImmediate(resolve))
      if (working === 0) return
    }
  }

  return {
    now: () => nowMs,
    after(delayMs, task) {
      const timer = { at: nowMs + Math.max(0, delayMs), task }
      timers.push(timer)
      return () => {
        timers = timers.filter((other) => other !== timer)
      }
    },
    async advance(durationMs) {
      const endMs = nowMs + durationMs
      await settle()
      for (;;) {
        const due = timers.filter((timer) => timer.at <= endMs)
        if (due.length === 0) break
        const next = due.reduce((a, b) => (b.at < a.at ? b : a))
        timers = timers.filter((timer) => timer !== next)
        nowMs = Math.max(nowMs, next.at)
        next.task()
        await settle()
      }
      nowMs = endMs
    },
    settle,
    async track(work) {
      working += 1
      try {
        return await work
      } finally {
        working -= 1
      }
    },
  }
}
