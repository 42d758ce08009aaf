import { type Product, PRODUCTS } from '@stagepass/contract'
import { type SessionTokenAnswer, SessionTokenRequest } from '@stagepass/contract/schemas'
import type { CheckedGrant } from '../gate/readGrant.js'
import type { MintedToken } from '../upstream/Upstream.js'
import { readProductRequest } from './readProductRequest.js'
import type { Route } from './Route.js'

const MINUTE_MS = 60_000

/**
 * `POST /session-token`: a session token for one product, within the grant. Each request gets a new one.
 * (Assumptions: "Sockets of one token".)
 */
export const sessionToken: Route = {
  name: 'session-token',
  method: 'POST',
  path: '/session-token',
  query: [],
  async respond(request, services) {
    const { settings, upstream } = services
    const { context, grant } = request
    const wanted = await readProductRequest(SessionTokenRequest, request, services)
    const { usage_type } = wanted
    const ttlMinutes = grantedTtlMinutes(usage_type, wanted.expiration_ttl, grant.maxTtlMinutes)
    const session_id = grant.sessionId ?? wanted.session_id
    const metadata = session_id === undefined ? undefined : { session_id }
    const mintRequest = { usage_type, expiration_ttl: ttlMinutes, metadata }
    const minted = await upstream.mintToken(mintRequest, context)
    const requestedMinutes = ttlMinutes ?? PRODUCTS[usage_type].ttlMinutes.default
    const answer: SessionTokenAnswer = {
      session_key: minted.session_key,
      usage_type,
      type: minted.type,
      status: minted.status,
      expires_at: minted.expires_at,
      expires_in_ms: expiresInMs(minted, requestedMinutes, settings.platform.wallNow),
      stream_url: settings.streamUrls[usage_type],
    }
    return { json: JSON.stringify(answer) }
  },
}

/** Minutes to request, or `undefined` for the upstream's default, if the grant allows that. */
function grantedTtlMinutes(
  product: Product,
  asked: number | undefined,
  max: CheckedGrant['maxTtlMinutes'],
): number | undefined {
  if (max === undefined) return asked
  const wanted = asked ?? PRODUCTS[product].ttlMinutes.default
  return asked === undefined && wanted <= max ? undefined : Math.min(wanted, max)
}

/**
 * The token's remaining life, measured on one clock: the upstream's (`Date`), if it sent one. At most the
 * life that was requested, because a `Date` has whole seconds only and clocks are wrong.
 */
export function expiresInMs(
  { expiresAtMs, upstreamNowMs }: Pick<MintedToken, 'expiresAtMs' | 'upstreamNowMs'>,
  ttlMinutes: number,
  wallNow: () => number,
): number {
  const leftMs = Math.floor(expiresAtMs - (upstreamNowMs ?? wallNow()))
  return Math.max(0, Math.min(leftMs, ttlMinutes * MINUTE_MS))
}
