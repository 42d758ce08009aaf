import type { Request } from 'express'
import { BffError } from '../context/BffError.js'
import { CallEnded, untilEnded } from '../context/Cancellation.js'
import { withCause } from '../context/createEmitter.js'
import type { EmitEvent } from '../context/events.js'
import type { Call } from '../context/RequestContext.js'
import type { Settings } from '../settings/BffOptions.js'
import { type CheckedGrant, GrantFault, readGrant } from './readGrant.js'

/** Asks the host who this is. Rejects with UNAUTHENTICATED, or with AUTHORIZE_FAILED where the host could not say. */
export async function authorizeRequest(
  req: Request,
  call: Call,
  settings: Settings,
  emit: EmitEvent,
): Promise<CheckedGrant> {
  const fail = (problem: string, cause?: unknown): BffError => {
    emit?.(withCause({ type: 'authorize.failed', requestId: call.id, problem }, cause))
    return new BffError('AUTHORIZE_FAILED')
  }
  call.stage = 'authorize'
  let returned: unknown
  try {
    const pending = settings.authorize(req)
    returned = isThenable(pending) ? await untilEnded(pending, call) : pending
  } catch (thrown) {
    if (thrown instanceof CallEnded) {
      if (thrown.why !== 'deadline') throw thrown
      throw fail(`"authorize" took longer than ${settings.deadlineMs} ms.`)
    }
    throw fail('"authorize" threw.', thrown)
  }
  if (!returned) throw new BffError('UNAUTHENTICATED')
  try {
    return readGrant(returned, settings.meetings.fieldNames)
  } catch (thrown) {
    // A getter of the host's may throw too.
    throw thrown instanceof GrantFault ? fail(thrown.message) : fail('The grant could not be read.', thrown)
  }
}

function isThenable(value: unknown): value is PromiseLike<unknown> {
  return typeof value === 'object' && value !== null && 'then' in value && typeof value.then === 'function'
}
