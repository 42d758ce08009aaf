/** A longer one counts as this: after a single slow response, requests with enough time must still get a slot. */
const LONGEST_MS = 2_000

/** How long a request usually takes from its grant to its response. Learned from the requests of this instance. */
export interface RoundTrip {
  usualMs(): number
  add(tookMs: number, outcome: 'answered' | 'unsent' | 'aborted'): void
}

/** Follows a slower response at once, and faster ones by a sixteenth of the difference each. */
export function createRoundTrip(): RoundTrip {
  let usualMs = 0
  return {
    usualMs: () => usualMs,
    add(tookMs, outcome) {
      if (tookMs > usualMs && outcome !== 'unsent') usualMs = Math.min(tookMs, LONGEST_MS)
      // A request that was aborted early says nothing about the time that it would have taken.
      else if (outcome === 'answered') usualMs += (tookMs - usualMs) / 16
    },
  }
}
