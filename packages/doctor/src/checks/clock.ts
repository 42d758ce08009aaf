import { headerOf, type HttpResponse } from '../net/createHttp.js'

/** `Date` has whole seconds, and a request takes a while. */
export const CLOCK_WARN_MS = 10_000

/** The other side's clock minus ours, by `Date`. */
export function readClock(response: HttpResponse): number | undefined {
  const dateMs = Date.parse(headerOf(response, 'date') ?? '')
  // `Date` is cut to the second: on average half a second is missing.
  return Number.isNaN(dateMs) ? undefined : dateMs + 500 - response.atMs
}
