import { isDevelopment } from '../../base/isDevelopment.js'
import type { IncomingRequest } from '../http/IncomingRequest.js'

/**
 * Adds the header `x-stagepass-reason`, which names the check that refused the request, and a remedy. It
 * holds only ASCII, because a header cannot contain more. Only a developer on this machine may see it. The
 * connection's address decides: it must be on loopback. Behind a proxy on the same machine every connection
 * is on loopback, so a request with a header of a proxy, or with another host name, does not get the header.
 */
export function addReason(request: IncomingRequest, refusal: string, reason: string): void {
  if (isDevelopment() && isLocal(request))
    request.addHeaders({ 'x-stagepass-reason': `${refusal}: ${reason}` })
}

const LOOPBACK_ORIGIN = /^https?:\/\/(?:localhost|127(?:\.\d{1,3}){3}|\[::1\])(?::\d+)?$/

function isLocal(request: IncomingRequest): boolean {
  const own = request.ownOrigin() ?? ''
  return (
    request.isOnLoopback() &&
    LOOPBACK_ORIGIN.test(own) &&
    LOOPBACK_ORIGIN.test(request.header('origin') ?? own) &&
    proxyHeader(request) === undefined
  )
}

const HEADERS = [
  'forwarded',
  'via',
  'x-forwarded-for',
  'x-forwarded-host',
  'x-forwarded-proto',
  'x-real-ip',
] as const

/** The name of a header that shows that the request came through a proxy. Its value is not trusted. */
const proxyHeader = (request: IncomingRequest): string | undefined =>
  HEADERS.find((name) => request.header(name) !== undefined)
