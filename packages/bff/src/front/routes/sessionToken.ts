import { SessionTokenRequest } from '@stagepass/contract/schemas'
import { mintToken, mintTokenWithLease } from '../../desk/mintToken.js'
import { parseRequest } from '../../desk/parseRequest.js'
import { readBody } from '../http/readBody.js'
import type { Route } from './Route.js'

/** The parameter of `WITH_LEASE`. */
const WANTS_LEASE = /;\s*lease=1\s*(?:[;,]|$)/

/** `POST /session-token`: a session token for one product, and a session of the account if it is asked for. */
export const sessionToken: Route = {
  query: [],
  async respond({ request, caller }, services) {
    const wanted = parseRequest(SessionTokenRequest, await readBody(request, caller.context), 'body')
    const wantsLease = WANTS_LEASE.test(request.header('accept') ?? '')
    const answer = await (wantsLease ? mintTokenWithLease : mintToken)(caller, wanted, services)
    return { json: JSON.stringify(answer), status: 'ticket' in answer ? 202 : undefined }
  },
}
