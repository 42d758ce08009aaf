import type { Request } from 'express'
import type { GateReason } from '../context/events.js'

/** The header that no form, image or link can send; with any other value it is as if it were missing. */
export const GATE_HEADER = 'x-stagepass'

/**
 * Whether a page of this site, or of a listed one, made the request: the custom header first, then `Sec-Fetch-Site`, then `Origin` if there is
 * no Fetch Metadata. Returns why not, or `undefined`. `docs/gate.md` has the reasons.
 *
 *     x-stagepass: 1 ── no ──> blocked
 *       │ yes
 *     Sec-Fetch-Site ─┬─ same-origin ─────────────> pass
 *                     ├─ same-site, cross-site ───> pass where Origin is listed
 *                     ├─ none, anything else ─────> blocked
 *                     └─ absent ─ Origin ─┬─ own or listed ─> pass
 *                                         ├─ other ─────────> blocked
 *                                         └─ absent ─┬─ GET ────────────────> pass: `authorize` decides
 *                                                    └─ any other ─ Cookie ─┬─ no ──> pass: `authorize` decides
 *                                                                           └─ yes ─> blocked
 */
export function gateReason(req: Request, allowedOrigins: ReadonlySet<string>): GateReason | undefined {
  const { headers } = req
  if (headers[GATE_HEADER] !== '1') return 'header'
  const { origin } = headers
  const listed = origin !== undefined && allowedOrigins.has(origin)
  switch (headers['sec-fetch-site']) {
    case 'same-origin':
      return undefined
    case 'same-site':
    case 'cross-site':
      return listed ? undefined : 'fetch-site'
    case undefined:
      if (origin !== undefined) return listed || origin === ownOrigin(req) ? undefined : 'origin'
      // Browsers send neither header with a same-origin GET from a plain http page. With a POST they always send Origin.
      return req.method === 'GET' || headers.cookie === undefined ? undefined : 'cookie-without-origin'
    default:
      return 'fetch-site'
  }
}

/**
 * The origin under which the request reached this server. Express looks at `X-Forwarded-*` only as far as the host's `trust proxy` says.
 * A browser writes an origin in lower case and without a default port; a Host header may do otherwise.
 */
function ownOrigin(req: Request): string | undefined {
  const host: string | undefined = req.host
  if (!host) return undefined
  const defaultPort = req.protocol === 'https' ? ':443' : ':80'
  const short = host.endsWith(defaultPort) ? host.slice(0, -defaultPort.length) : host
  return `${req.protocol}://${short.toLowerCase()}`
}
