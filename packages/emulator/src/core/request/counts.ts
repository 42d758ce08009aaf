import type { Surface } from '../faults/faults.js'

/** How many requests each part got since the start or the last reset, answered or not. They have no bound and cost nothing. */
export type Counts = Record<Surface | 'unknown', number>

export function createCounts(): Counts {
  return { token: 0, handshake: 0, list: 0, meeting: 0, tags: 0, unknown: 0 }
}
