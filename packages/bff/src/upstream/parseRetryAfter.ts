/** No pause is longer than this, whatever an answer asks for. */
const MAX_PAUSE_MS = 3_600_000

/**
 * Reads a `Retry-After` header (RFC 9110: whole seconds, or an HTTP date) into milliseconds from `nowMs`. `undefined` where there is none or it
 * cannot be read; never negative, never more than an hour.
 */
export function parseRetryAfter(value: string | undefined, nowMs: number): number | undefined {
  const text = value?.trim()
  if (!text) return undefined
  if (/^\d{1,10}$/.test(text)) return Math.min(Number(text) * 1_000, MAX_PAUSE_MS)
  // Date.parse would take bare numbers and many other things for dates; an HTTP date begins with the name of a day.
  if (!/^(?:Mon|Tue|Wed|Thu|Fri|Sat|Sun)[a-z]*,? /.test(text)) return undefined
  const at = Date.parse(text)
  return Number.isNaN(at) ? undefined : Math.min(Math.max(at - nowMs, 0), MAX_PAUSE_MS)
}

/** The header's form of a pause: whole seconds, rounded up, at least one. */
export function formatRetryAfter(pauseMs: number): string {
  return String(Math.max(1, Math.ceil(pauseMs / 1_000)))
}
