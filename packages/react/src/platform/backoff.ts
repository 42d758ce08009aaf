/** The longest wait between two attempts, unless a server asks for a longer one. */
const LONGEST_BACKOFF_MS = 30_000
const FIRST_BACKOFF_MS = 1_000
const FLOOR_MS = 300

/**
 * Full jitter: a random part of a limit that doubles with every failure. `attempt` counts from 0. The first
 * retry may come at once. From the second retry on the wait is at least 300 ms, so that a server that accepts
 * and closes gets at most 8 connections in 2 s.
 */
export function backoffMs(
  attempt: number,
  random: number,
  { minDelayMs = FIRST_BACKOFF_MS, maxDelayMs = LONGEST_BACKOFF_MS } = {},
): number {
  const ceiling = Math.min(maxDelayMs, minDelayMs * 2 ** attempt)
  return Math.max(attempt > 0 ? FLOOR_MS : 0, random * ceiling)
}
