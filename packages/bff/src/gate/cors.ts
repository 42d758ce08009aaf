import type { IncomingRequest } from '../request/IncomingRequest.js'
import { GUARD_HEADERS, type OutgoingResponse } from '../request/OutgoingResponse.js'

const HEADER_LIST = /^[\w!#$%&'*+.^`|~-]+(?:\s*,\s*[\w!#$%&'*+.^`|~-]+)*$/

/**
 * Adds the CORS headers to every response to a listed origin, even to errors: without them a page cannot read
 * the code of a 503. Adds nothing if `allowedOrigins` is empty.
 */
export function addCorsHeaders(request: IncomingRequest, allowedOrigins: ReadonlySet<string>): void {
  if (allowedOrigins.size === 0) return
  request.addHeaders({ Vary: 'Origin' })
  const origin = request.header('origin')
  if (origin === undefined || !allowedOrigins.has(origin)) return
  request.addHeaders({
    'Access-Control-Allow-Origin': origin,
    'Access-Control-Allow-Credentials': 'true',
    'Access-Control-Expose-Headers': 'Retry-After',
  })
}

/** True for a preflight: the browser asks whether a page of another origin may send its request. */
export function isPreflight(request: IncomingRequest): boolean {
  return request.method === 'OPTIONS' && request.header('access-control-request-method') !== undefined
}

/** Returns the response to a preflight of a listed origin, or `undefined` for any other request. */
export function preflightResponse(
  request: IncomingRequest,
  allowedOrigins: ReadonlySet<string>,
): OutgoingResponse | undefined {
  if (!isPreflight(request)) return undefined
  const origin = request.header('origin')
  if (origin === undefined || !allowedOrigins.has(origin)) return undefined
  const requested = request.header('access-control-request-headers')
  const headers = {
    ...GUARD_HEADERS,
    'Access-Control-Allow-Methods': 'GET, POST',
    // The application may use its own headers, for example a bearer token. So a listed origin may send all
    // headers that it asks for.
    ...(requested !== undefined &&
      HEADER_LIST.test(requested) && { 'Access-Control-Allow-Headers': requested }),
    'Access-Control-Max-Age': '600',
  }
  return { status: 204, headers, body: '', closeConnection: false }
}
