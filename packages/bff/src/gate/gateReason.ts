import type { GateReason } from '../context/events.js'
import type { IncomingRequest } from '../request/IncomingRequest.js'
import type { Settings } from '../settings/readOptions.js'

/** A header that no form, image or link can send. Any other value than `1` counts as missing. */
const GATE_HEADER = 'x-stagepass'

/**
 * Checks that a page of this site, or of a listed one, made the request: the custom header first, then `Sec-Fetch-Site`, then `Origin` if
 * there is no Fetch Metadata. Returns the reason to block it, or `undefined`. `docs/gate.md` has the reasons.
 *
 *     x-stagepass: 1 ── no ──> blocked
 *       │ yes
 *     Sec-Fetch-Site ─┬─ same-origin ─────────────> pass
 *                     ├─ same-site, cross-site ───> pass if Origin is listed
 *                     ├─ none, anything else ─────> blocked
 *                     └─ absent ─ Origin ─┬─ own or listed ─> pass
 *                                         ├─ other ─────────> blocked
 *                                         └─ absent ─┬─ GET ────────────────> pass: `authorize` decides
 *                                                    └─ any other ─ Cookie ─┬─ no ──> pass: `authorize` decides
 *                                                                           └─ yes ─> blocked
 */
export function gateReason(
  request: IncomingRequest,
  { allowedOrigins, origin: configured }: Pick<Settings, 'allowedOrigins' | 'origin'>,
): GateReason | undefined {
  if (request.header(GATE_HEADER) !== '1') return 'header'
  const origin = request.header('origin')
  const listed = origin !== undefined && allowedOrigins.has(origin)
  switch (request.header('sec-fetch-site')) {
    case 'same-origin':
      return undefined
    case 'same-site':
    case 'cross-site':
      return listed ? undefined : 'fetch-site'
    case undefined:
      if (origin !== undefined)
        return listed || origin === (configured ?? request.ownOrigin()) ? undefined : 'origin'
      // Browsers send neither header with a same-origin GET from a plain http page. With a POST they always send Origin.
      if (request.method === 'GET' || request.header('cookie') === undefined) return undefined
      return 'cookie-without-origin'
    default:
      return 'fetch-site'
  }
}
