import { BFF_ERRORS, hintText, USER_HEADER, wellFormed } from '@stagepass/contract'
import { refusalOf } from '../grant/presets/withRefusal.js'
import { isAuthorizeError } from '../grant/AuthorizeError.js'
import { BffError } from '../base/BffError.js'
import { sameText } from '../base/sameText.js'
import { Cancelled } from '../request/Cancelled.js'
import { untilAborted } from '../request/untilAborted.js'
import { withCause } from '../telemetry/withCause.js'
import type { RequestContext } from '../request/RequestContext.js'
import type { IncomingRequest } from './http/IncomingRequest.js'
import type { Settings } from '../settings/readOptions.js'
import { addReason } from './gate/addReason.js'
import { type CheckedGrant, readGrant } from '../grant/readGrant.js'

/**
 * Calls the host's `authorize`. Rejects with UNAUTHENTICATED without a grant, with AUTHORIZE_FAILED if
 * `authorize` failed, and with USER_CHANGED if the page names a different user than the grant. The page need
 * not name a user.
 */
export async function authorizeRequest(
  request: IncomingRequest,
  context: RequestContext,
  settings: Settings,
): Promise<CheckedGrant> {
  context.stage = 'authorize'
  const grant = await callAuthorize(request, context, settings).catch((thrown: unknown) => {
    if (thrown instanceof Cancelled && thrown.reason !== 'deadline') throw thrown
    const [problem, cause] = problemOf(thrown, settings)
    context.emit?.(withCause({ type: 'authorize.failed', requestId: context.id, problem }, cause))
    throw new BffError('AUTHORIZE_FAILED')
  })
  if (!grant) {
    const { challenge, login } = refusalOf(settings.authorize, request.hostRequest)
    if (login) context.emit?.({ type: 'login.refused', requestId: context.id, ...login })
    addReason(request, 'authorize', login?.problem ?? hintText(BFF_ERRORS.UNAUTHENTICATED.hint))
    throw new BffError('UNAUTHENTICATED', { headers: { 'WWW-Authenticate': challenge } })
  }
  context.identify(grant)
  requireUser(request.header(USER_HEADER), grant)
  return grant
}

/**
 * Throws USER_CHANGED if the value of the header names a different user than the grant. Users of two accounts
 * may have the same id, so a page may name its user `account:user`.
 */
export function requireUser(pageUser: string | undefined, grant: CheckedGrant): void {
  if (pageUser === undefined) return
  const named = decode(pageUser)
  const user = wellFormed(grant.user)
  const names = grant.account === undefined ? [user] : [user, `${grant.account}:${user}`]
  if (!names.some((name) => sameText(named, name)))
    throw new BffError('USER_CHANGED', { seen: { cause: 'header' } })
}

async function callAuthorize(
  { hostRequest }: IncomingRequest,
  { signal }: RequestContext,
  settings: Settings,
): Promise<CheckedGrant | undefined> {
  // The cast: each host adapter passes its own request, which is the type that the option takes.
  const pending: unknown = settings.authorize(hostRequest as never)
  const returned = isThenable(pending) ? await untilAborted(pending, signal) : pending
  return returned ? readGrant(returned, settings) : undefined
}

function problemOf(thrown: unknown, { deadlineMs }: Settings): readonly [problem: string, cause: unknown] {
  if (thrown instanceof Cancelled)
    return [
      `"authorize" took longer than ${deadlineMs} ms. Make it faster, or raise "deadlineMs".`,
      undefined,
    ]
  if (isAuthorizeError(thrown)) return [thrown.message, thrown.cause]
  return ['"authorize" threw. If a user has no access, it should return null.', thrown]
}

function isThenable(value: unknown): value is PromiseLike<unknown> {
  return typeof Reflect.get(Object(value), 'then') === 'function'
}

/** A value with an invalid escape matches no user. */
function decode(header: string): string {
  try {
    return decodeURIComponent(header)
  } catch {
    return ''
  }
}
