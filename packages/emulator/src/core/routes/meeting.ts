import { formatAnswer } from '../meetings/formatAnswer.js'
import { formatMeetingsError } from '../meetings/formatMeetingsError.js'
import { DETAIL_FIELDS, formatMeeting, LIST_FIELDS } from '../meetings/formatMeeting.js'
import { parseFields } from '../meetings/parseListQuery.js'
import { isVisible } from '../meetings/selectMeetings.js'
import { meetingsPaths, type MeetingsRouteOptions, type Route } from './Route.js'

/** `GET /meetings/{id}`. (Contract: "One meeting". Assumptions: "One meeting".) */
export function meetingRoute({ store, access, wire }: MeetingsRouteOptions): Route {
  const fieldNames = [...LIST_FIELDS, ...DETAIL_FIELDS, ...wire.extraFields]

  return {
    endpoint: 'meeting',
    method: 'GET',
    paths: meetingsPaths(wire.meetingPath),

    respond(request, rawId) {
      const holder = access.enter(request)
      const fields = parseFields(request.query, wire, fieldNames)
      const row = store.meetings.get(decodeId(rawId))
      if (!row || !isVisible(row, holder)) return formatMeetingsError('UNKNOWN_MEETING')
      if (row.processing) return formatMeetingsError('STILL_PROCESSING')
      return { status: 200, body: formatAnswer([[wire.meeting, formatMeeting(row, wire, fields)]]) }
    },
  }
}

function decodeId(rawId: string): string {
  try {
    return decodeURIComponent(rawId)
  } catch {
    return rawId
  }
}
