import { HandshakeCheckRequest } from '@stagepass/contract/schemas'
import { MAX_TOKEN_BODY_BYTES } from '../http/IncomingRequest.js'
import { readProductRequest } from './readProductRequest.js'
import type { Route } from './Route.js'

/** The session key is sent in a header. A value that a header cannot contain is not a token. */
const CheckRequest = HandshakeCheckRequest.refine(({ session_key }) => /^[\x21-\x7e]+$/.test(session_key), {
  path: ['session_key'],
})

/**
 * `POST /handshake-check`: tries the handshake with a header and returns the code that a browser cannot see.
 * It uses one of the account's simultaneous sessions for a moment, and counts as a token request of the user.
 */
export const handshakeCheck: Route = {
  name: 'handshake-check',
  method: 'POST',
  limit: 'tokensPerMinute',
  path: '/handshake-check',
  query: [],
  async respond(request, services) {
    const { usage_type, session_key } = await readProductRequest(CheckRequest, request, MAX_TOKEN_BODY_BYTES)
    const verdict = await services.upstream.tryHandshake(usage_type, session_key, request.context)
    return { json: JSON.stringify(verdict) }
  },
}
