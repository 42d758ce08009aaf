import { type Product, PRODUCTS } from '@stagepass/contract'
import { type SessionTokenResponse, SessionTokenRequest } from '@stagepass/contract/schemas'
import type { CheckedGrant } from '../../grant/readGrant.js'
import type { MintedToken } from '../../upstream/readResponse.js'
import { isAbandoned } from '../http/isAbandoned.js'
import { readProductRequest } from './readProductRequest.js'
import type { Route } from './Route.js'

const MINUTE_MS = 60_000

/** Longest lifetime of a limited user's token, unless the grant sets another. */
const LIMITED_TTL_MINUTES = 10

/**
 * `POST /session-token`: a session token for one product, limited by the grant. Each request gets a new
 * token. (Assumptions: "Sockets of one token".)
 */
export const sessionToken: Route = {
  name: 'session-token',
  method: 'POST',
  limit: 'tokensPerMinute',
  path: '/session-token',
  query: [],
  async respond(request, services) {
    const { settings, upstream, usage } = services
    const { context, grant } = request
    const wanted = await readProductRequest(SessionTokenRequest, request)
    const { usage_type } = wanted
    const wantedMinutes = grantedTtlMinutes(usage_type, wanted.expiration_ttl, longestTtl(usage_type, grant))
    const minutes = wantedMinutes ?? PRODUCTS[usage_type].ttlMinutes.default
    const wish = { requestId: context.id, user: grant.user, product: usage_type, minutes }
    const reservation = grant.usage && (await usage.reserve({ ...wish, usage: grant.usage }))
    const reservedMinutes = reservation && reservation.reservedMs / MINUTE_MS
    const ttlMinutes =
      reservedMinutes !== undefined && reservedMinutes < minutes ? reservedMinutes : wantedMinutes
    const session_id = grant.sessionId ?? wanted.session_id
    const metadata = session_id === undefined ? undefined : { session_id }
    let minted: MintedToken
    try {
      minted = await upstream.mintToken({ usage_type, expiration_ttl: ttlMinutes, metadata }, context)
    } catch (error) {
      // A token that was not minted costs nothing.
      if (reservation) await usage.release(reservation)
      throw error
    }
    const usage_receipt = reservation && (await usage.keep(reservation))
    // The page does not receive this token either.
    if (reservation && isAbandoned(request.request, context)) await usage.release(reservation)
    const answer: SessionTokenResponse = {
      session_key: minted.session_key,
      usage_type,
      type: minted.type,
      status: minted.status,
      expires_at: minted.expires_at,
      expires_in_ms: expiresInMs(minted, ttlMinutes ?? minutes, settings.platform.wallNow),
      stream_url: settings.streamUrls[usage_type],
      // `undefined` is omitted from the JSON.
      usage_receipt,
    }
    return { json: JSON.stringify(answer) }
  },
}

/** One tab must not reserve all minutes of a day, so a limited user's token is short by default. */
const longestTtl = (product: Product, { maxTtlMinutes, usage }: CheckedGrant): number | undefined =>
  maxTtlMinutes ?? (usage?.limitMs[product] === undefined ? undefined : LIMITED_TTL_MINUTES)

/** Returns the minutes to request, or `undefined` for the upstream's default, if the grant allows it. */
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
 * Returns the token's remaining lifetime, measured on one clock: the upstream's (`Date`) if it was sent,
 * otherwise our own. At most the requested lifetime, because `Date` has only whole seconds and clocks may be
 * wrong.
 */
export function expiresInMs(
  { expiresAtMs, upstreamNowMs }: Pick<MintedToken, 'expiresAtMs' | 'upstreamNowMs'>,
  ttlMinutes: number,
  wallNow: () => number,
): number {
  const leftMs = Math.floor(expiresAtMs - (upstreamNowMs ?? wallNow()))
  return Math.max(0, Math.min(leftMs, ttlMinutes * MINUTE_MS))
}
