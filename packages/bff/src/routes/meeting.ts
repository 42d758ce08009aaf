import { MAX_MEETING_ID_LENGTH } from '@stagepass/contract'
import { MeetingQuery } from '@stagepass/contract/schemas'
import { BffError } from '../context/BffError.js'
import { narrowFields, searchOf } from '../meetings/narrowQuery.js'
import { rebuildMeeting } from '../meetings/rebuild.js'
import { parseRequest } from '../request/parseRequest.js'
import { readMeetings } from './readMeetings.js'
import type { Route } from './Route.js'

/** `GET /meetings/:id`: one meeting, cut to the grant. */
export const meeting: Route = {
  name: 'meeting',
  method: 'GET',
  path: '/meetings/:id',
  query: ['fields'],
  async respond(request, services) {
    const { wire, fieldNames } = services.settings.meetings
    const id = readMeetingId(request.encodedId)
    const query = parseRequest(MeetingQuery, request.query, 'query')
    return readMeetings(request, services, (grant) => {
      const { fields, narrowed, forcedOwnership, param } = narrowFields(query.fields, grant, fieldNames)
      const search = searchOf([[wire.params.fields, narrowed || forcedOwnership ? param : undefined]])
      return {
        operation: 'meeting',
        path: wire.meetingPath.replace('{id}', () => encodeURIComponent(id)) + search,
        canonical: [id, fields.toSorted(), forcedOwnership],
        rebuild: (body) =>
          rebuildMeeting(body, fields, forcedOwnership && wire.ownershipWords[forcedOwnership]),
      }
    })
  },
}

/**
 * The decoded id. Dot segments are refused because a URL parser on the way would take them for a path, and so are broken percent-escapes.
 * Anything else is encoded again and means nothing to a URL parser.
 */
function readMeetingId(encoded: string): string {
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
