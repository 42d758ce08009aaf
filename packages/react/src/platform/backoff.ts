/** The longest wait between two attempts that nobody told us to space further. */
export const LONGEST_BACKOFF_MS = 30_000
const FIRST_BACKOFF_MS = 1_000
const FLOOR_MS = 300

/**
 * Full jitter: a random share of a ceiling that doubles with every failure. `attempt` counts from 0, and the first retry may come at once; from the
 * second on there is a floor, whatever chance says: it bounds a server that accepts and closes to 8 connections in 2 s.
 */
export function backoffMs(
  attempt: number,
  random: number,
  { minDelayMs = FIRST_BACKOFF_MS, maxDelayMs = LONGEST_BACKOFF_MS } = {},
): number {
  const ceiling = Math.min(maxDelayMs, minDelayMs * 2 ** attempt)
  return Math.max(attempt > 0 ? FLOOR_MS : 0, random * ceiling)
}

/** A server's Retry-After is never undercut; the jitter comes on top, so that those who were told the same do not come back together. */
export function retryDelayMs(attempt: number, random: number, retryAfterMs: number | undefined): number {
  const jitter = backoffMs(attempt, random)
  return retryAfterMs === undefined ? jitter : retryAfterMs + jitter / 10
}
