import type { Platform } from './platform.js'

/**
 * Returns the date of a monotonic time: the same object until the time changes, so that a snapshot stays the
 * same. Null for a time that never comes.
 */
export function createDates({ now, wallNow }: Pick<Platform, 'now' | 'wallNow'>) {
  let dated = Infinity
  let date: Date | null = null
  return (at: number): Date | null => {
    if (at !== dated) date = Math.abs(at) < Infinity ? new Date(wallNow() + at - now()) : null
    dated = at
    return date
  }
}
