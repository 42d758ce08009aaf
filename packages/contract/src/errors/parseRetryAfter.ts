/** The longest wait, whatever the header says. */
const MAX_WAIT_MS = 3_600_000

/**
 * Reads a `Retry-After` header (RFC 9110: whole seconds, or an HTTP date) as milliseconds from `nowMs`, from
 * 0 to one hour. Returns `undefined` if the header is missing or cannot be read.
 */
export function parseRetryAfter(value: string | undefined, nowMs: number): number | undefined {
  const text = value?.trim()
  if (!text) return undefined
  if (/^\d{1,10}$/.test(text)) return Math.min(Number(text) * 1_000, MAX_WAIT_MS)
  // Date.parse also accepts plain numbers and many other texts. An HTTP date begins with the name of a day.
  if (!/^(?:Mon|Tue|Wed|Thu|Fri|Sat|Sun)[a-z]*,? /.test(text)) return undefined
  const at = Date.parse(text)
  return Number.isNaN(at) ? undefined : Math.min(Math.max(at - nowMs, 0), MAX_WAIT_MS)
}
