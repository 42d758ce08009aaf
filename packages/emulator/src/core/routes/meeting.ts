import { failMeetings, formatMeetingsError } from '../meetings/formatMeetingsError.js'
import { DETAIL_FIELDS, formatMeeting, LIST_FIELDS } from '../meetings/formatMeeting.js'
import { parseFields } from '../meetings/parseQuery.js'
import { holderOf, isVisible } from '../meetings/selectMeetings.js'
import type { MeetingsRouteOptions } from './meetings.js'
import type { Route } from './Route.js'
import { MEETINGS_PREFIX } from './Route.js'

/** `GET /meetings/{id}`. (Contract: "One meeting". Assumptions: "One meeting".) */
export function meetingRoute({ store, access, wire }: MeetingsRouteOptions): Route {
  const fieldNames = [...LIST_FIELDS, ...DETAIL_FIELDS, ...wire.extraFields]

  return {
    surface: 'meeting',
    method: 'GET',
    path: MEETINGS_PREFIX + wire.meetingPath,
    productOf: () => undefined,
    fail: failMeetings,

    answer(call, rawId) {
      const entered = access.enter(call)
      if (!entered.ok) return entered.answer
      const fields = parseFields(call.query, wire, fieldNames)
      if (!fields.ok) return formatMeetingsError('INVALID_FIELDS', fields.reason)

      const row = store.meetings.get(decodeId(rawId))
      if (!row || !isVisible(row) || holderOf(row) !== entered.holder) {
        return formatMeetingsError('UNKNOWN_MEETING')
      }
      if (row.processing) return formatMeetingsError('STILL_PROCESSING')
      return { status: 200, body: formatMeeting(row, fields.value) }
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
