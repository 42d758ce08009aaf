import { HandshakeCheckRequest } from '@stagepass/contract/schemas'
import { BffError } from '../context/BffError.js'
import { parse } from '../request/parseRequest.js'
import { readBody } from '../request/readBody.js'
import { readQuery } from '../request/readQuery.js'
import { requireProduct } from './requireProduct.js'
import type { Route } from './Route.js'

/**
 * `POST /handshake-check`: tries the handshake with a header and tells the code that a browser cannot see. It takes a session slot for a
 * moment, and counts as a token request of the user.
 */
export const handshakeCheck: Route = {
  name: 'handshake-check',
  method: 'POST',
  path: '/handshake-check',
  async answer({ req, call, grant }, { upstream, limits, emit }) {
    readQuery(req.url, [])
    const { usage_type, session_key } = parse(HandshakeCheckRequest, await readBody(req, call), 'body')
    // It becomes a header: what cannot stand in one is no token.
    if (!/^[\x21-\x7e]+$/.test(session_key)) throw new BffError('VALIDATION_ERROR', { field: 'session_key' })
    requireProduct(usage_type, grant, call.id, emit)
    await limits.count('tokensPerMinute', grant.user, call.id)

    const verdict = await upstream.tryHandshake(usage_type, session_key, call)
    return { status: 200, json: JSON.stringify(verdict) }
  },
}
