/** The parts of its host that the core needs: the time and timers. */
export interface Platform {
  /** Milliseconds since the epoch. */
  readonly now: () => number
  /**
   * Runs the task once, later. Returns a function that cancels it. With `keepAlive: false` the process may
   * exit before. Default true.
   */
  readonly after: (
    delayMs: number,
    task: () => void,
    options?: { readonly keepAlive?: boolean },
  ) => () => void
}
