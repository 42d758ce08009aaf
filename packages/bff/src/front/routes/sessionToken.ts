import { SessionTokenRequest } from '@stagepass/contract/schemas'
import { mintToken } from '../../desk/mintToken.js'
import { parseRequest } from '../../desk/parseRequest.js'
import { readBody } from '../http/readBody.js'
import type { Route } from './Route.js'

/** `POST /session-token`: a session token for one product. */
export const sessionToken: Route = {
  query: [],
  async respond({ request, caller }, services) {
    const wanted = parseRequest(SessionTokenRequest, await readBody(request, caller.context), 'body')
    return { json: JSON.stringify(await mintToken(caller, wanted, services)) }
  },
}
