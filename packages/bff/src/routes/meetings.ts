import { MEETINGS_QUERY_ROLES } from '@stagepass/contract'
import { MeetingsQuery } from '@stagepass/contract/schemas'
import { effectiveQuery } from '../meetings/narrowQuery.js'
import { rebuildList } from '../meetings/rebuild.js'
import { parse } from '../request/parseRequest.js'
import { readQuery } from '../request/readQuery.js'
import { openMeetings } from './readMeetings.js'
import type { Route } from './Route.js'

/** `GET /meetings`: a page of what the grant's credential may see, cut to the grant. */
export const meetings: Route = {
  name: 'meetings',
  method: 'GET',
  path: '/meetings',
  async answer(request, services) {
    const { wire, fieldNames } = services.settings.meetings
    const query = parse(MeetingsQuery, readQuery(request.req.url, MEETINGS_QUERY_ROLES), 'query')
    const read = await openMeetings(request, services, (grant) => {
      const { search, fields, forced, canonical } = effectiveQuery(query, grant, wire, fieldNames)
      return {
        path: wire.listPath + search,
        canonical,
        rebuild: (body) => rebuildList(body, wire.items, fields, forced && wire.ownershipWords[forced]),
      }
    })
    return services.meetings.read({ operation: 'meetings', ...read })
  },
}
