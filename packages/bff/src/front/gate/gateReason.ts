import { GATE_HEADER } from '@stagepass/contract'
import type { GateReason } from '../../telemetry/events.js'
import type { IncomingRequest } from '../http/IncomingRequest.js'
import type { Settings } from '../../settings/readOptions.js'
import { isPreflight } from './cors.js'
import type { ListedOrigin } from './listedOrigin.js'

/**
 * Checks that a page of this site or of a listed site sent the request: first the custom header, then
 * `Sec-Fetch-Site`, then `Origin`. Returns the reason to block the request, or `undefined`. A request that
 * passes goes to `authorize`. `docs/security.md` gives the reasons.
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
  { origin: configured }: Pick<Settings, 'origin'>,
  { listed }: ListedOrigin,
): GateReason | undefined {
  const origin = request.header('origin')
  const isListed = listed !== undefined
  // A preflight cannot have the custom header. If it arrives here, its origin is not listed.
  if (request.header(GATE_HEADER) !== '1') return isPreflight(request) ? 'origin' : 'header'
  switch (request.header('sec-fetch-site')) {
    case 'same-origin':
      // Another host name can resolve to this server, and its page is then same-origin too (DNS rebinding).
      if (configured === undefined || origin === undefined) return undefined
      return isListed || origin === configured ? undefined : 'origin'
    case 'same-site':
    case 'cross-site':
      return isListed ? undefined : 'fetch-site'
    case undefined:
      if (origin !== undefined)
        return isListed || origin === (configured ?? request.ownOrigin()) ? undefined : 'origin'
      // With a same-origin GET from a page on plain http, browsers send neither header. With a POST they
      // always send Origin.
      if (request.method === 'GET' || request.header('cookie') === undefined) return undefined
      return 'cookie-without-origin'
    default:
      return 'fetch-site'
  }
}
