import { type Clock, systemClock } from '@stagepass/budget'

export type { Clock }

/** Time and randomness as options, so that a test can control them. */
export interface Platform {
  /** Monotonic time and timers, for deadlines, waits and ages. */
  readonly clock: Clock
  /** Milliseconds since the epoch. */
  readonly wallNow: () => number
  /** A number from 0 to less than 1, for jitter. */
  readonly random: () => number
}

/**
 * Never 0. `lru-cache` takes a time of 0 for none, so an entry of that moment would never expire, and the
 * fake timers of a test begin at 0.
 */
const clock: Clock = { ...systemClock, now: () => systemClock.now() + 1 }

export const systemPlatform: Platform = { clock, wallNow: Date.now, random: Math.random }

/**
 * Options of an `LRUCache` with at most this many entries. The option `max` would allocate the memory of all
 * entries at once.
 */
export const atMost = (entries: number) => ({ maxSize: entries, sizeCalculation: (): number => 1 })

/** Returns a unique id. A page that is not served over https has no `randomUUID`. */
export function newId(): string {
  if (crypto.randomUUID) return crypto.randomUUID()
  const bytes = crypto.getRandomValues(new Uint8Array(16))
  return Array.from(bytes, (byte) => byte.toString(16).padStart(2, '0')).join('')
}
