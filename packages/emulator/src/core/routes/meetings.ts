import { MEETINGS_PARAMS } from '@stagepass/contract'
import { formatAnswer } from '../meetings/formatAnswer.js'
import { formatMeetingsError } from '../meetings/formatMeetingsError.js'
import type { CursorCodec } from '../meetings/cursor.js'
import { formatMeeting, LIST_FIELDS } from '../meetings/formatMeeting.js'
import { parseListQuery } from '../meetings/parseListQuery.js'
import { isBehind, positionOf, selectMeetings } from '../meetings/selectMeetings.js'
import { meetingsPaths, type MeetingsRouteOptions, type Route } from './Route.js'

export interface ListRouteOptions extends MeetingsRouteOptions {
  readonly cursors: CursorCodec
  /** Does the response hold `total`? */
  readonly total: boolean
  /** How the last page says so. */
  readonly endOfList: 'null' | 'missing'
}

/** (Contract: "Meetings list".) */
export function meetingsRoute({ store, access, wire, cursors, total, endOfList }: ListRouteOptions): Route {
  const fieldNames = [...LIST_FIELDS, ...wire.extraFields]

  return {
    endpoint: 'list',
    method: 'GET',
    paths: meetingsPaths(wire.listPath),

    respond(request) {
      const holder = access.enter(request)
      const query = parseListQuery(request.query, wire, fieldNames)
      const { cursor, limit = MEETINGS_PARAMS.pageSize.schema.default, fields, ...list } = query
      // A cursor is valid for one list, with any page size and any fields.
      const scope = [list, holder]
      const position = cursor === undefined ? undefined : cursors.parse(cursor, scope)
      if (cursor !== undefined && !position) {
        return formatMeetingsError('INVALID_FIELDS', 'The cursor is not one of this list.')
      }

      const all = selectMeetings(store.meetings.all(), holder, query)
      const rest = position ? all.filter((row) => isBehind(row, position, query)) : all
      const page = rest.slice(0, limit)
      const last = page.at(-1)
      const next = last && rest.length > page.length ? cursors.format(positionOf(last, query), scope) : null

      return {
        status: 200,
        body: formatAnswer([
          [wire.items, page.map((row) => formatMeeting(row, wire, fields))],
          [wire.cursor, next === null && endOfList === 'missing' ? undefined : next],
          [wire.total, total ? all.length : undefined],
        ]),
      }
    },
  }
}
