import { MEETINGS_QUERY_ROLES } from '@stagepass/contract'
import { MeetingsQuery } from '@stagepass/contract/schemas'
import { narrowQuery } from '../meetings/narrowQuery.js'
import { rebuildList } from '../meetings/rebuild.js'
import { parseRequest } from '../request/parseRequest.js'
import { readMeetings } from './readMeetings.js'
import type { Route } from './Route.js'

/** `GET /meetings`: a page of what the grant's credential may see, cut to the grant. */
export const meetings: Route = {
  name: 'meetings',
  method: 'GET',
  path: '/meetings',
  query: MEETINGS_QUERY_ROLES,
  async respond(request, services) {
    const { wire, fieldNames } = services.settings.meetings
    const query = parseRequest(MeetingsQuery, request.query, 'query')
    return readMeetings(request, services, (grant) => {
      const { search, fields, forcedOwnership, canonical } = narrowQuery(query, grant, wire, fieldNames)
      return {
        operation: 'meetings',
        path: wire.listPath + search,
        canonical,
        rebuild: (body) =>
          rebuildList(body, wire.items, fields, forcedOwnership && wire.ownershipWords[forcedOwnership]),
      }
    })
  },
}
