/** The emulator's time: the injected `now` plus what a test has added to it. All times are milliseconds since the epoch. */
export interface Clock {
  now(): number
  /** Moves the time forward (or back, where negative) at once; live sockets whose token expires on the way are cut under `cutAtExpiry`. */
  advance(ms: number): void
  /** Makes it this time now; it runs on from there. */
  set(nowMs: number): void
}

export interface ResettableClock extends Clock {
  reset(): void
}

export function createClock(source: () => number, onJump: () => void): ResettableClock {
  let offsetMs = 0
  return {
    now: () => source() + offsetMs,
    advance(ms) {
      offsetMs += ms
      onJump()
    },
    set(nowMs) {
      offsetMs = nowMs - source()
      onJump()
    },
    reset() {
      offsetMs = 0
    },
  }
}
