/** What the core needs of its host: the time, and timers. */
export interface Platform {
  /** Milliseconds since the epoch. */
  readonly now: () => number
  /**
   * Runs the task once, later. Returns its cancel. With `keepAlive: false` the process may end before.
   * Default true.
   */
  readonly after: (
    delayMs: number,
    task: () => void,
    options?: { readonly keepAlive?: boolean },
  ) => () => void
}
