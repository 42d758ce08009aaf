const FIRST_MS = 1_000
const LONGEST_MS = 30_000

/** Full jitter: anywhere between now and a bound that doubles with every failure, from 1 s to 30 s. `attempt` counts from 0. */
export function backoffMs(attempt: number, random: number): number {
  return random * Math.min(LONGEST_MS, FIRST_MS * 2 ** attempt)
}

/** A server's Retry-After is never undercut; the jitter comes on top, so that those who were told the same do not come back together. */
export function retryDelayMs(attempt: number, random: number, retryAfterMs: number | undefined): number {
  const jitter = backoffMs(attempt, random)
  return retryAfterMs === undefined ? jitter : retryAfterMs + jitter / 10
}

/** The longest wait between two attempts that nobody told us to space further. */
export const LONGEST_BACKOFF_MS = LONGEST_MS
