import { isDevelopment, type Refusal, REFUSALS } from '../log/refusals.js'
import type { IncomingRequest } from '../request/IncomingRequest.js'

/**
 * Adds the header `x-stagepass-reason`: which check refused the request, and what to do. Only for a developer
 * at this machine, never for a browser of a stranger. Which one it is, the address of the connection says. A
 * server behind a proxy on the same machine has only such connections, so a request that shows a proxy or
 * another name gets no header.
 */
export function addReason(request: IncomingRequest, refusal: Refusal): void {
  if (isDevelopment() && isLocal(request))
    request.addHeaders({ 'x-stagepass-reason': `${refusal}: ${REFUSALS[refusal]}` })
}

const LOOPBACK_ORIGIN = /^https?:\/\/(?:localhost|127(?:\.\d{1,3}){3}|\[::1\])(?::\d+)?$/

/** Headers of proxies. */
const FORWARDED = [
  'forwarded',
  'via',
  'x-forwarded-for',
  'x-forwarded-host',
  'x-forwarded-proto',
  'x-real-ip',
]

function isLocal(request: IncomingRequest): boolean {
  const own = request.ownOrigin() ?? ''
  return (
    request.isOnLoopback() &&
    LOOPBACK_ORIGIN.test(own) &&
    LOOPBACK_ORIGIN.test(request.header('origin') ?? own) &&
    FORWARDED.every((name) => request.header(name) === undefined)
  )
}
