import { HandshakeCheckRequest } from '@stagepass/contract/schemas'
import { BffError } from '../context/BffError.js'
import { parseRequest } from '../request/parseRequest.js'
import { readBody } from '../request/readBody.js'
import { requireProduct } from './requireProduct.js'
import type { Route } from './Route.js'

/**
 * `POST /handshake-check`: tries the handshake with a header and returns the code that a browser cannot see. It takes a session slot
 * for a moment, and counts as a token request of the user.
 */
export const handshakeCheck: Route = {
  name: 'handshake-check',
  method: 'POST',
  path: '/handshake-check',
  query: [],
  async respond(routeRequest, { upstream, limits }) {
    const { request, context, grant } = routeRequest
    const { usage_type, session_key } = parseRequest(
      HandshakeCheckRequest,
      await readBody(request, context),
      'body',
    )
    // It becomes a header. A value that no header can hold is not a token.
    if (!/^[\x21-\x7e]+$/.test(session_key)) throw new BffError('VALIDATION_ERROR', { field: 'session_key' })
    requireProduct(usage_type, routeRequest)
    await limits.count('tokensPerMinute', grant.user, context.id)

    const verdict = await upstream.tryHandshake(usage_type, session_key, context)
    return { json: JSON.stringify(verdict) }
  },
}
