/** The longest wait, whatever a server says. */
const MAX_WAIT_MS = 3_600_000

/** A wait that a server asks for, from 0 to one hour. Returns `undefined` if it is no number. */
export function boundWait(ms: unknown): number | undefined {
  return typeof ms === 'number' && !Number.isNaN(ms) ? Math.min(Math.max(ms, 0), MAX_WAIT_MS) : undefined
}

/**
 * Reads a `Retry-After` header (RFC 9110: whole seconds, or an HTTP date) as milliseconds from `nowMs`, from
 * 0 to one hour. Some services write seconds with a fraction, such as `2.0`, or the time as a number, which is
 * more than an hour. Returns `undefined` if the header is missing or cannot be read.
 */
export function parseRetryAfter(value: string | undefined, nowMs: number): number | undefined {
  const text = value?.trim()
  if (!text) return undefined
  if (/^\d+(?:\.\d+)?$/.test(text)) return boundWait(Number(text) * 1_000)
  // Date.parse also accepts plain numbers and many other texts. An HTTP date begins with the name of a day.
  if (!/^(?:Mon|Tue|Wed|Thu|Fri|Sat|Sun)[a-z]*,? /.test(text)) return undefined
  return boundWait(Date.parse(text) - nowMs)
}
