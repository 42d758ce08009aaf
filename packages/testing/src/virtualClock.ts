/** A clock that stands still until a test advances it. Timers run in order of their time. */
export interface VirtualClock {
  now(): number
  after(delayMs: number, task: () => void, keepAlive?: boolean): () => void
  at(atMs: number, task: () => void): void
  /** Advances the time. After each timer, waits until all of its effects have ended. */
  advance(durationMs: number): Promise<void>
  /** Advances the time at once, without waiting for the effects of timers. */
  jump(durationMs: number): void
  /** Waits until all work has ended, without advancing the time. */
  settle(): Promise<void>
  /** Registers work: the clock does not advance before it has ended. */
  track<T>(work: Promise<T>): Promise<T>
  /** Number of timers that are set. */
  readonly timers: number
}

interface Timer {
  readonly atMs: number
  readonly task: () => void
}

export function virtualClock(startMs = 1_000_000): VirtualClock {
  let nowMs = startMs
  /** Timers in order of their time. */
  const timers: Timer[] = []
  let working = 0
  /** Functions that are called when all work has ended. */
  const idle: (() => void)[] = []

  const add = (atMs: number, task: () => void): Timer => {
    const timer = { atMs: Math.max(nowMs, atMs), task }
    let low = 0
    for (let high = timers.length; low < high;) {
      const middle = (low + high) >> 1
      if ((timers[middle]?.atMs ?? 0) <= timer.atMs) low = middle + 1
      else high = middle
    }
    timers.splice(low, 0, timer)
    return timer
  }

  /** Runs the next timer. Returns false if none is due by `untilMs`. */
  const runNext = (untilMs: number): boolean => {
    const [next] = timers
    if (next === undefined || next.atMs > untilMs) return false
    timers.shift()
    nowMs = next.atMs
    next.task()
    return true
  }

  const jump = (durationMs: number): void => {
    const endMs = nowMs + durationMs
    while (runNext(endMs));
    nowMs = endMs
  }

  const settle = async (): Promise<void> => {
    for (;;) {
      await new Promise((resolve) => setImmediate(resolve))
      if (working === 0) return
      await new Promise<void>((resolve) => idle.push(resolve))
    }
  }

  return {
    get timers() {
      return timers.length
    },
    now: () => nowMs,
    at: (atMs, task) => void add(atMs, task),
    after(delayMs, task) {
      const timer = add(nowMs + delayMs, task)
      // A timer that is due at once runs without a test that advances the time.
      if (delayMs <= 0) setImmediate(() => jump(0))
      return () => {
        const index = timers.indexOf(timer)
        if (index >= 0) timers.splice(index, 1)
      }
    },
    async advance(durationMs) {
      const endMs = nowMs + durationMs
      await settle()
      while (runNext(endMs)) await settle()
      nowMs = endMs
    },
    jump,
    settle,
    async track(work) {
      working += 1
      try {
        return await work
      } finally {
        working -= 1
        if (working === 0) for (const resolve of idle.splice(0)) resolve()
      }
    },
  }
}
