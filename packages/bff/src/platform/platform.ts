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

/** Options of an `LRUCache` with so many entries. The option `max` would take the memory of all at once. */
export const atMost = (entries: number) => ({ maxSize: entries, sizeCalculation: (): number => 1 })

/** An id that nothing else has. A page that is not served over https has no `randomUUID`. */
export function newId(): string {
  if (crypto.randomUUID) return crypto.randomUUID()
  const bytes = crypto.getRandomValues(new Uint8Array(16))
  return Array.from(bytes, (byte) => byte.toString(16).padStart(2, '0')).join('')
}
