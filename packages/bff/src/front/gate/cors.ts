import { DEADLINE_HEADER } from '@stagepass/contract'
import type { IncomingRequest } from '../http/IncomingRequest.js'
import type { Settings } from '../../settings/readOptions.js'
import type { ListedOrigin } from './listedOrigin.js'
import type { OutgoingResponse } from '../http/OutgoingResponse.js'
import { GUARD_HEADERS } from '../http/responses.js'

const HEADER_LIST = /^[\w!#$%&'*+.^`|~-]+(?:\s*,\s*[\w!#$%&'*+.^`|~-]+)*$/

/**
 * Adds the CORS headers to every response to a listed origin, even to errors: without them a page cannot read
 * the code of a 503. Adds nothing if `allowedOrigins` is empty.
 */
export function addCorsHeaders(
  request: IncomingRequest,
  { allowedOrigins }: Pick<Settings, 'allowedOrigins'>,
  { listed }: ListedOrigin,
): void {
  if (typeof allowedOrigins !== 'function' && allowedOrigins.size === 0) return
  request.addHeaders({ Vary: 'Origin' })
  if (listed === undefined) return
  request.addHeaders({
    'Access-Control-Allow-Origin': listed,
    'Access-Control-Allow-Credentials': 'true',
    'Access-Control-Expose-Headers': `Retry-After, ${DEADLINE_HEADER}`,
  })
}

/** True for a preflight: the browser asks whether a page of another origin may send its request. */
export function isPreflight(request: IncomingRequest): boolean {
  return request.method === 'OPTIONS' && request.header('access-control-request-method') !== undefined
}

/** Returns the response to a preflight of a listed origin, or `undefined` for any other request. */
export function preflightResponse(
  request: IncomingRequest,
  { sessions }: Pick<Settings, 'sessions'>,
  { listed }: ListedOrigin,
): OutgoingResponse | undefined {
  if (listed === undefined || !isPreflight(request)) return undefined
  const requested = request.header('access-control-request-headers')
  const headers = {
    ...GUARD_HEADERS,
    'Access-Control-Allow-Methods': sessions ? 'GET, POST, DELETE' : 'GET, POST',
    // The application may use its own headers, for example a bearer token. So a listed origin may send all
    // headers that it asks for.
    ...(requested !== undefined &&
      HEADER_LIST.test(requested) && { 'Access-Control-Allow-Headers': requested }),
    'Access-Control-Max-Age': '600',
  }
  return { status: 204, headers, body: '', closeConnection: false }
}
