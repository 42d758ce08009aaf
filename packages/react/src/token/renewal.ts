const SHORTEST_LEAD_MS = 30_000
const LONGEST_LEAD_MS = 5 * 60_000

/** Shortest time between two renewals, even if a server grants very short lives. */
export const RENEWAL_GAP_MS = 5_000

/**
 * How long before its end a token is renewed: 10 % of its life, at least 30 s, at most 5 min, plus up to 20 %
 * at random, so that pages that were opened together do not renew together. Never more than a quarter of the
 * life.
 */
export function renewalLeadMs(lifeMs: number, random: number): number {
  const lead = Math.min(Math.max(lifeMs * 0.1, SHORTEST_LEAD_MS), LONGEST_LEAD_MS)
  return Math.min(lead * (1 + 0.2 * random), lifeMs / 4)
}

/**
 * Limits the wait before a renewal is retried, so that the retry comes before the current token ends: at most
 * half of the remaining time, at least 1 s.
 */
export function withinLifeMs(delayMs: number, leftMs: number): number {
  return Math.min(delayMs, Math.max(1_000, leftMs / 2))
}
