import type { GateReason } from '../events/events.js'
import type { IncomingRequest } from '../request/IncomingRequest.js'
import type { Settings } from '../settings/readOptions.js'
import { isPreflight } from './cors.js'

/** A header that no form, image or link can send. Any other value than `1` counts as missing. */
const GATE_HEADER = 'x-stagepass'

/**
 * Checks that a page of this site, or of a listed one, made the request: the custom header first, then
 * `Sec-Fetch-Site`, then `Origin`. What passes is for `authorize` to decide. Returns the reason to block it,
 * or `undefined`. `docs/gate.md` says why.
 *
 *     x-stagepass: 1 ── no ──> blocked
 *       │ yes
 *     Sec-Fetch-Site ─┬─ same-origin ─ option origin ─┬─ not set, or no Origin ─> pass
 *                     │                               └─ Origin ─┬─ equal or listed ─> pass
 *                     │                                          └─ other ───────────> blocked
 *                     ├─ same-site, cross-site ───> pass if Origin is listed
 *                     ├─ none, anything else ─────> blocked
 *                     └─ absent ─ Origin ─┬─ own or listed ─> pass
 *                                         ├─ other ─────────> blocked
 *                                         └─ absent ─┬─ GET ────────────────> pass
 *                                                    └─ any other ─ Cookie ─┬─ no ──> pass
 *                                                                           └─ yes ─> blocked
 */
export function gateReason(
  request: IncomingRequest,
  { allowedOrigins, origin: configured }: Pick<Settings, 'allowedOrigins' | 'origin'>,
): GateReason | undefined {
  const origin = request.header('origin')
  const isListed = origin !== undefined && allowedOrigins.has(origin)
  // A preflight cannot have the custom header. What is wrong with it is its origin.
  if (request.header(GATE_HEADER) !== '1') return isPreflight(request) ? 'origin' : 'header'
  switch (request.header('sec-fetch-site')) {
    case 'same-origin':
      // A page of another name that resolves to this server is same-origin with it too (DNS rebinding).
      if (configured === undefined || origin === undefined) return undefined
      return isListed || origin === configured ? undefined : 'origin'
    case 'same-site':
    case 'cross-site':
      return isListed ? undefined : 'fetch-site'
    case undefined:
      if (origin !== undefined)
        return isListed || origin === (configured ?? request.ownOrigin()) ? undefined : 'origin'
      // Browsers send neither header with a same-origin GET from a plain http page. With a POST they always
      // send Origin.
      if (request.method === 'GET' || request.header('cookie') === undefined) return undefined
      return 'cookie-without-origin'
    default:
      return 'fetch-site'
  }
}
