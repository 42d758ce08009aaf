import type { Leased, Queued } from '@stagepass/budget'
import {
  BFF_ERRORS,
  type HandshakeCheckResponse,
  type LeaseAnswer,
  type Product,
  type QueueAnswer,
  type RenewalAnswer,
} from '@stagepass/contract'
import type { SessionRenewal, SessionRequest } from '@stagepass/contract/schemas'
import { type AccountSessions, isFull, type SessionId } from '../accounts/AccountSessions.js'
import { BffError } from '../base/BffError.js'
import { pause } from '../request/pause.js'
import type { Caller } from './Caller.js'
import { checkProduct } from './refuse.js'

const MINUTE_MS = 60_000
/** Longer than any lease that is not renewed. */
const ENDED_MS = 90_000

/** Throws NOT_FOUND if the BFF shares no sessions. */
function sessionsOf({ account }: Caller): AccountSessions {
  const { sessions } = account
  if (!sessions) throw new BffError('NOT_FOUND', { seen: { cause: 'sessions' } })
  return sessions
}

/** Asks for a session of the account, or for the place of an earlier request. */
export async function askSession(
  caller: Caller,
  { usage_type: product, ticket, after_ms = 0 }: SessionRequest,
): Promise<LeaseAnswer | QueueAnswer> {
  const sessions = sessionsOf(caller)
  const { grant, context } = caller
  checkProduct(caller, product)
  if (after_ms > 0)
    await pause(Math.min(after_ms, context.remainingMs() / 2), context.platform.clock, context.signal)
  const known = ticket === undefined ? undefined : await sessions.read(grant, ticket)
  const weight = grant.sessions?.weight
  const place = await sessions.ask(grant, product, { weight, id: known?.id })
  const answer = await answerOf(caller, sessions, product, place)
  // The client has left, and would not renew it.
  if (context.isAbandoned() && place.status === 'leased')
    await sessions.release(grant, { product, id: place.id })
  else if (place.status === 'leased' || !known) report(caller, product, place)
  return answer
}

async function answerOf(
  { grant }: Caller,
  sessions: AccountSessions,
  product: Product,
  place: Leased | Queued,
): Promise<LeaseAnswer | QueueAnswer> {
  const text = await sessions.write(grant, { product, id: place.id })
  return place.status === 'leased'
    ? { lease: text, renew_in_ms: place.retryMs, sessions: sessions.room() }
    : {
        ticket: text,
        place: place.place,
        of: place.of,
        retry_in_ms: place.retryMs,
        sessions: 'full',
      }
}

function report({ context, grant }: Caller, product: Product, place: Leased | Queued): void {
  const facts = { requestId: context.id, user: grant.user, product }
  if (place.status === 'queued')
    context.emit?.({ type: 'session.queued', ...facts, place: place.place, of: place.of })
  else context.emit?.({ type: 'session.leased', ...facts, waitedMs: place.waitedMs })
}

/** Reads the lease of a path. Throws NOT_FOUND if it is not one of this user. */
async function leaseOf(caller: Caller, sessions: AccountSessions, text: string): Promise<SessionId> {
  const lease = await sessions.read(caller.grant, text)
  if (!lease) throw unknownLease()
  return lease
}

const unknownLease = () => new BffError('NOT_FOUND', { seen: { cause: 'lease' } })

const endedLease = (details: { readonly retryAfterMs?: number; readonly reason?: string | undefined }) =>
  new BffError('ENDED_BY_SERVER', { status: BFF_ERRORS.ENDED_BY_SERVER.renewalStatus, ...details })

/**
 * Renews a lease. Throws ENDED_BY_SERVER with 410 if the session must be closed, and NOT_FOUND if there is no
 * such lease: an open session may stay open, and gets a new lease.
 */
export async function renewSession(
  caller: Caller,
  text: string,
  renewal: SessionRenewal,
): Promise<RenewalAnswer> {
  const sessions = sessionsOf(caller)
  const { grant, context } = caller
  const lease = await leaseOf(caller, sessions, text)
  const { status, retryMs, forMs, note } = await sessions.renew(grant, lease, renewal)
  if (status === 'ended') throw endedLease({ retryAfterMs: retryMs, reason: note || undefined })
  if (status !== 'leased') throw unknownLease()
  if (grant.maxSessionMinutes !== undefined && forMs >= grant.maxSessionMinutes * MINUTE_MS) {
    await sessions.end({ id: lease.id }, ENDED_MS, '')
    const { user } = grant
    context.emit?.({ type: 'session.ended', by: 'time', user, product: lease.product, forMs })
    throw endedLease({})
  }
  return { renew_in_ms: retryMs, sessions: sessions.room() }
}

/** Gives a lease back, or leaves the queue. */
export async function releaseSession(caller: Caller, text: string): Promise<void> {
  const sessions = sessionsOf(caller)
  const { grant, context } = caller
  const lease = await leaseOf(caller, sessions, text)
  const forMs = await sessions.release(grant, lease)
  if (forMs === undefined) return
  const facts = { requestId: context.id, user: grant.user, product: lease.product }
  context.emit?.({ type: 'session.released', ...facts, forMs })
}

/** Throws ENDED_BY_SERVER if the sessions of the user were ended. */
export async function checkNotEnded({ account, grant }: Caller): Promise<void> {
  await account.sessions?.check(grant)
}

/** For a token without a session. Undefined: the BFF shares no sessions. */
export const roomOf = ({ account: { sessions } }: Caller) => sessions && { sessions: sessions.room() }

/**
 * Why the service has refused the page that holds this lease. If it had no room, the page is in the queue again,
 * before those who came later. `undefined`: this is no lease of the user.
 */
export async function diagnoseRefusal(
  caller: Caller,
  text: string,
  tryHandshake: () => Promise<HandshakeCheckResponse>,
): Promise<HandshakeCheckResponse | undefined> {
  const { grant, account } = caller
  const { sessions } = account
  const lease = await sessions?.read(grant, text)
  if (!sessions || !lease) return undefined
  const found = await sessions.diagnose(tryHandshake)
  if (!isFull(found)) return found
  const place = await sessions.refused(grant, lease)
  report(caller, lease.product, place)
  return { ...found, ...(await answerOf(caller, sessions, lease.product, place)) }
}
