import { isAuthorizeError } from '../errors/AuthorizeError.js'
import { BffError } from '../errors/BffError.js'
import { Cancelled, untilAborted } from '../errors/Cancelled.js'
import { withCause } from '../events/createListener.js'
import type { RequestContext } from '../request/RequestContext.js'
import type { IncomingRequest } from '../request/IncomingRequest.js'
import type { Settings } from '../settings/readOptions.js'
import { addReason } from './addReason.js'
import { type CheckedGrant, GrantError, readGrant } from './readGrant.js'

/** Calls the host's `authorize`. Rejects with UNAUTHENTICATED, or with AUTHORIZE_FAILED if it failed. */
export async function authorizeRequest(
  request: IncomingRequest,
  context: RequestContext,
  settings: Settings,
): Promise<CheckedGrant> {
  const fail = (problem: string, cause?: unknown): BffError => {
    context.emit?.(withCause({ type: 'authorize.failed', requestId: context.id, problem }, cause))
    return new BffError('AUTHORIZE_FAILED')
  }
  context.stage = 'authorize'
  let returned: unknown
  try {
    // Each host adapter passes the request of its own host, and the option's type is the host's.
    const pending = settings.authorize(request.hostRequest as never)
    returned = isThenable(pending) ? await untilAborted(pending, context.signal) : pending
  } catch (thrown) {
    if (thrown instanceof Cancelled) {
      if (thrown.reason !== 'deadline') throw thrown
      throw fail(
        `"authorize" took longer than ${settings.deadlineMs} ms. Make it faster, or raise "deadlineMs".`,
      )
    }
    if (isAuthorizeError(thrown)) throw fail(thrown.message, thrown.cause)
    throw fail('"authorize" threw. For a user without access it should return null.', thrown)
  }
  if (!returned) {
    addReason(request, 'authorize')
    throw new BffError('UNAUTHENTICATED')
  }
  try {
    const grant = readGrant(returned, settings.meetings)
    if (grant.usage && settings.redis && settings.userSecret === undefined)
      throw new GrantError(
        'The grant has "usage", and with "redis" that needs a secret that all instances have: each must know the receipts of the others. Set "userSecret" to a random text, such as the output of: openssl rand -base64 32.',
      )
    return grant
  } catch (thrown) {
    // A getter of the returned object may throw too.
    throw thrown instanceof GrantError ? fail(thrown.message) : fail('The grant could not be read.', thrown)
  }
}

function isThenable(value: unknown): value is PromiseLike<unknown> {
  return typeof value === 'object' && value !== null && 'then' in value && typeof value.then === 'function'
}
