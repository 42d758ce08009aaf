import { HandshakeCheckRequest } from '@stagepass/contract/schemas'
import { checkHandshake } from '../../desk/checkHandshake.js'
import { MAX_TOKEN_BODY_BYTES } from '../http/IncomingRequest.js'
import { parseRequest } from '../../desk/parseRequest.js'
import { readBody } from '../http/readBody.js'
import type { Route } from './Route.js'

/** `POST /handshake-check`: the code of a refused handshake. */
export const handshakeCheck: Route = {
  query: [],
  async respond({ request, caller }, services) {
    const body = await readBody(request, caller.context, MAX_TOKEN_BODY_BYTES)
    const token = parseRequest(HandshakeCheckRequest, body, 'body')
    return { json: JSON.stringify(await checkHandshake(caller, token, services)) }
  },
}
