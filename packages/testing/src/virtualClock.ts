/** A clock that stands still until a test moves it. Timers run in order of their time. */
export interface VirtualClock {
  now(): number
  after(delayMs: number, task: () => void, keepAlive?: boolean): () => void
  at(atMs: number, task: () => void): void
  /** Moves on. All that a timer sets off ends before the next. */
  advance(durationMs: number): Promise<void>
  /** Moves on at once, without waiting for what the timers set off. */
  jump(durationMs: number): void
  /** Waits until everything has come to rest, without moving on. */
  settle(): Promise<void>
  /** Counts `work` as going on: the clock does not move before it has ended. */
  track<T>(work: Promise<T>): Promise<T>
  /** How many timers are set. */
  readonly timers: number
}

interface Timer {
  readonly atMs: number
  readonly task: () => void
}

export function virtualClock(startMs = 1_000_000): VirtualClock {
  let nowMs = startMs
  /** In the order in which they come due. */
  const timers: Timer[] = []
  let working = 0
  /** Called when no work goes on any more. */
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

  /** Runs the next timer. False if none is due by then. */
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
      // What is due at once does not wait for a test to move the time.
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
