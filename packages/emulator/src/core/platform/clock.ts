/**
 * The emulator's time: the option `now` plus the time that a test has added. All times are milliseconds since
 * the epoch.
 */
export interface EmulatorClock {
  now(): number
  /**
   * Moves the time forward at once, or back if negative. With `cutAtExpiry`, sockets whose token has expired
   * are closed within 250 ms.
   */
  advance(ms: number): void
}

export function createClock(source: () => number) {
  let offsetMs = 0
  return {
    now: (): number => source() + offsetMs,
    advance(ms: number): void {
      offsetMs += ms
    },
    reset(): void {
      offsetMs = 0
    },
  }
}
