import { MAX_MEETING_ID_LENGTH } from '@stagepass/contract'
import { MeetingQuery } from '@stagepass/contract/schemas'
import { BffError } from '../context/BffError.js'
import {
  askedFields,
  effectiveFields,
  fieldsParam,
  forcedOwnership,
  searchOf,
} from '../meetings/narrowQuery.js'
import { rebuildMeeting } from '../meetings/rebuild.js'
import { parse } from '../request/parseRequest.js'
import { readQuery } from '../request/readQuery.js'
import { openMeetings } from './readMeetings.js'
import type { Route } from './Route.js'

/** `GET /meetings/:id`: one meeting, cut to the grant. */
export const meeting: Route = {
  name: 'meeting',
  method: 'GET',
  path: '/meetings/:id',
  async answer(request, services) {
    const { wire, fieldNames } = services.settings.meetings
    const id = readMeetingId(request.encodedId)
    const query = parse(MeetingQuery, readQuery(request.req.url, ['fields']), 'query')
    const read = await openMeetings(request, services, (grant) => {
      const { fields, narrowed } = effectiveFields(query.fields, grant, fieldNames)
      const forced = forcedOwnership(grant)
      const asked = fieldsParam(askedFields(fields, forced))
      const search = searchOf([[wire.params.fields, narrowed || forced ? asked : undefined]])
      return {
        path: wire.meetingPath.replace('{id}', () => encodeURIComponent(id)) + search,
        canonical: [id, fields.toSorted(), forced],
        rebuild: (body) => rebuildMeeting(body, fields, forced && wire.ownershipWords[forced]),
      }
    })
    return services.meetings.read({ operation: 'meeting', ...read })
  },
}

/**
 * The id behind the percent-escapes. Dot segments are refused, for a URL parser on the way would take them for a path; so is what is no
 * text. Anything else is encoded again and stays inert.
 */
export function readMeetingId(encoded: string): string {
  let id: string
  try {
    id = decodeURIComponent(encoded)
  } catch {
    throw new BffError('VALIDATION_ERROR', { field: 'id' })
  }
  if (id === '.' || id === '..' || id.length > MAX_MEETING_ID_LENGTH)
    throw new BffError('VALIDATION_ERROR', { field: 'id' })
  return id
}
