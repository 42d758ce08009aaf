/** Time as an option, so that tests and the model run in virtual time. */
export interface Clock {
  /** Milliseconds on a monotonic clock of any origin. */
  now(): number
  /** Runs `task` once, `delayMs` from now. Returns a function that cancels it. `keepAlive: false`: the process may end before. */
  after(delayMs: number, task: () => void, keepAlive?: boolean): () => void
}

/** The promise, or a rejection with `message` after `timeoutMs`. */
export function withTimeout<TValue>(
  promise: Promise<TValue>,
  clock: Clock,
  timeoutMs: number,
  message: string,
): Promise<TValue> {
  return new Promise((resolve, reject) => {
    const cancel = clock.after(timeoutMs, () => reject(new Error(message)))
    promise.then(resolve, reject).finally(cancel)
  })
}

/** The process's monotonic clock. A step of the wall clock has no effect on it. */
export const systemClock: Clock = {
  now: () => performance.now(),
  after(delayMs, task, keepAlive = true) {
    const timer = setTimeout(task, delayMs)
    // A number outside of Node.
    if (!keepAlive && typeof timer === 'object') (timer as { unref?(): void }).unref?.()
    return () => clearTimeout(timer)
  },
}
