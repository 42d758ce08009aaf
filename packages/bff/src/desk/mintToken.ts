import { type LeaseAnswer, type Product, PRODUCTS, type QueueAnswer } from '@stagepass/contract'
import type { SessionTokenRequest, SessionTokenResponse } from '@stagepass/contract/schemas'
import type { CheckedGrant } from '../grant/readGrant.js'
import { isLimited, limitsOf } from '../usage/createUsage.js'
import type { MintedToken } from '../upstream/readResponse.js'
import type { Caller } from './Caller.js'
import { checkProduct } from './refuse.js'
import { streamUrlOf } from './streamUrlOf.js'
import type { Services } from './Services.js'
import { askSession, checkNotEnded, releaseSession, roomOf } from './sessions.js'

const MINUTE_MS = 60_000

/** Longest lifetime of a limited user's token, unless the grant sets another. */
const LIMITED_TTL_MINUTES = 10

/**
 * Gets a session token for one product, limited by the grant. Each call gets a new token. (Assumptions:
 * "Sockets of one token".)
 */
export async function mintToken(
  caller: Caller,
  wanted: SessionTokenRequest,
  services: Services,
): Promise<SessionTokenResponse> {
  const minted = await mintWithSession(caller, wanted, services, noSession)
  return minted as SessionTokenResponse // without a queue there is a token
}

async function noSession(caller: Caller): Promise<undefined> {
  await checkNotEnded(caller)
}

/** The same with a session of the account. If none is free, nothing is minted or reserved. */
export async function mintTokenWithLease(
  caller: Caller,
  wanted: SessionTokenRequest,
  services: Services,
): Promise<SessionTokenResponse | QueueAnswer> {
  if (!caller.account.sessions) return mintToken(caller, wanted, services)
  return mintWithSession(caller, wanted, services, () =>
    askSession(caller, { usage_type: wanted.usage_type }),
  )
}

async function mintWithSession(
  caller: Caller,
  wanted: SessionTokenRequest,
  { settings, upstream, usage }: Services,
  takeSession: (caller: Caller) => Promise<LeaseAnswer | QueueAnswer | undefined>,
): Promise<SessionTokenResponse | QueueAnswer> {
  const { context, grant } = caller
  const { usage_type } = wanted
  checkProduct(caller, usage_type)
  const wantedMinutes = grantedTtlMinutes(usage_type, wanted.expiration_ttl, longestTtl(usage_type, grant))
  const minutes = wantedMinutes ?? PRODUCTS[usage_type].ttlMinutes.default
  const { user, account } = grant
  const wish = { requestId: context.id, user, account, product: usage_type, minutes }
  const replaced = wanted.replaces && (await usage.readReplaced(grant, usage_type, wanted.replaces))
  const isCounted = grant.usage !== undefined || grant.accountUsage !== undefined
  const limits = limitsOf(grant, usage_type)
  const reservation = isCounted ? await usage.reserve({ ...wish, limits, replaced }) : undefined
  const reservedMinutes = reservation && reservation.reservedMs / MINUTE_MS
  const ttlMinutes =
    reservedMinutes !== undefined && reservedMinutes < minutes ? reservedMinutes : wantedMinutes
  const session_id = grant.sessionId ?? wanted.session_id
  const metadata = session_id === undefined ? undefined : { session_id }
  let session: LeaseAnswer | undefined
  let minted: MintedToken
  try {
    // After the minutes: a user without any need not wait.
    const place = await takeSession(caller)
    if (place && 'ticket' in place) {
      if (reservation) await usage.release(reservation)
      return place
    }
    session = place
    const request = { usage_type, expiration_ttl: ttlMinutes, metadata }
    minted = await upstream.mintToken(request, grant.apiKey, caller)
  } catch (error) {
    // A token that was not minted costs nothing.
    if (reservation) await usage.release(reservation)
    if (session) await releaseSession(caller, session.lease)
    throw error
  }
  const { reqId, keyId } = minted
  context.emit?.({
    type: 'token.minted',
    requestId: context.id,
    user,
    product: usage_type,
    minutes: ttlMinutes ?? minutes,
    reqId,
    keyId,
  })
  const usage_receipt = reservation && (await usage.keep(reservation))
  // The caller does not receive this token either, and keeps the old one.
  if (context.isAbandoned()) {
    if (reservation) await usage.release(reservation)
    if (session) await releaseSession(caller, session.lease)
  } else if (replaced) await usage.replace(replaced, reservation)
  return {
    session_key: minted.session_key,
    usage_type,
    type: minted.type,
    status: minted.status,
    expires_at: minted.expires_at,
    expires_in_ms: expiresInMs(minted, ttlMinutes ?? minutes, settings.platform.wallNow),
    stream_url: streamUrlOf(usage_type, settings, grant),
    // `undefined` is omitted from the JSON.
    req_id: reqId,
    usage_receipt,
    ...(session ?? roomOf(caller)),
  }
}

/** One tab must not reserve all minutes of a day, so a limited user's token is short by default. */
const longestTtl = (product: Product, grant: CheckedGrant): number | undefined =>
  grant.maxTtlMinutes ?? (isLimited(grant, product) ? LIMITED_TTL_MINUTES : undefined)

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
