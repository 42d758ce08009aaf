import { SessionRenewal, SessionRequest } from '@stagepass/contract/schemas'
import { parseRequest } from '../../desk/parseRequest.js'
import { askSession, releaseSession, renewSession } from '../../desk/sessions.js'
import { readBody } from '../http/readBody.js'
import type { Route } from './Route.js'

/** `POST /sessions`: a session of the account, or the place in its queue. */
export const session: Route = {
  query: [],
  async respond({ request, caller }) {
    const wanted = parseRequest(SessionRequest, await readBody(request, caller.context), 'body')
    const answer = await askSession(caller, wanted)
    return { json: JSON.stringify(answer), status: 'ticket' in answer ? 202 : undefined }
  },
}

/** `POST /sessions/:lease`: a session is still open. */
export const sessionRenewal: Route = {
  query: [],
  async respond({ request, caller, encodedId }) {
    const renewal = parseRequest(SessionRenewal, await readBody(request, caller.context), 'body')
    return { json: JSON.stringify(await renewSession(caller, encodedId, renewal)) }
  },
}

/** `DELETE /sessions/:lease`: a session is closed, or a page no longer waits. */
export const sessionRelease: Route = {
  query: [],
  async respond({ caller, encodedId }) {
    await releaseSession(caller, encodedId)
    return {}
  },
}
