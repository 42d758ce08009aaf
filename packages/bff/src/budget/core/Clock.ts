/** Time as an option, so that tests and the model run in virtual time. */
export interface Clock {
  /** Milliseconds on a monotonic clock of any origin. */
  now(): number
  /** Runs `task` once, `delayMs` from now. Returns what cancels it. `keepAlive: false` lets the process end before. */
  after(delayMs: number, task: () => void, keepAlive?: boolean): () => void
}

/** The process's own monotonic clock: a step of the wall clock changes nothing. */
export const systemClock: Clock = {
  now: () => performance.now(),
  after(delayMs, task, keepAlive = true) {
    const timer = setTimeout(task, delayMs)
    if (!keepAlive) timer.unref()
    return () => clearTimeout(timer)
  },
}
