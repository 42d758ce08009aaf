import { type Clock, systemClock } from '@stagepass/budget'

export type { Clock }

/** Time and randomness as options, so that a test can control them. */
export interface Platform {
  /** Monotonic time and timers: deadlines, waits, ages. */
  readonly clock: Clock
  /** Milliseconds since the epoch; only used if the upstream sent no `Date`. */
  readonly wallNow: () => number
  /** From 0 up to, not including, 1: jitter. */
  readonly random: () => number
}

export const systemPlatform: Platform = { clock: systemClock, wallNow: Date.now, random: Math.random }
