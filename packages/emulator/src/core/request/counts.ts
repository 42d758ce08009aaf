import type { Endpoint } from './http.js'

/**
 * How many requests each endpoint received since the start or the last reset, with or without a response.
 * Counting has no bound.
 */
export type Counts = Record<Endpoint | 'unknown', number>

export function createCounts(): Counts {
  return { token: 0, handshake: 0, list: 0, meeting: 0, tags: 0, unknown: 0 }
}
