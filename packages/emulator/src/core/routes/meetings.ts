import { MEETINGS_PARAMS, type MeetingsWire } from '@stagepass/contract'
import type { MeetingsAccess } from '../meetings/access.js'
import type { CursorCodec } from '../meetings/cursor.js'
import {
  DETAIL_FIELDS,
  formatAnswer,
  formatMeeting,
  formatMeetingsError,
  LIST_FIELDS,
} from '../meetings/formatMeetings.js'
import { parseFields, parseListQuery } from '../meetings/parseListQuery.js'
import { isBehind, isVisible, positionOf, selectMeetings } from '../meetings/selectMeetings.js'
import type { Store } from '../store/store.js'
import type { Route } from './Route.js'

/**
 * The meetings interface has its own base address. The emulator serves it under this prefix on the same
 * server, and also without the prefix, because a BFF without `meetings.baseUrl` uses `baseUrl`.
 */
export const MEETINGS_PREFIX = '/v1'

/** The addresses of a path of the meetings interface. */
const meetingsPaths = (path: string): readonly string[] => [MEETINGS_PREFIX + path, path]

/** The options that all routes of the meetings interface share. */
interface MeetingsRouteOptions {
  readonly store: Store
  readonly access: MeetingsAccess
  readonly wire: MeetingsWire
}

interface ListRouteOptions extends MeetingsRouteOptions {
  readonly cursors: CursorCodec
  /** If true, the response has `total`. */
  readonly total: boolean
  /** How the last page is marked. */
  readonly endOfList: 'null' | 'missing'
}

/** (Contract: "Meetings list".) */
export function meetingsRoute({ store, access, wire, cursors, total, endOfList }: ListRouteOptions): Route {
  const fieldNames = [...LIST_FIELDS, ...wire.extraFields]
  const defaultLimit = Math.min(MEETINGS_PARAMS.pageSize.schema.default, wire.maxPageSize)

  return {
    endpoint: 'list',
    method: 'GET',
    paths: meetingsPaths(wire.listPath),
    hasCursor: (query) => query[wire.params.cursor] !== undefined,

    respond(request) {
      const holder = access.enter(request)
      const query = parseListQuery(request.query, wire, fieldNames)
      const { cursor, limit = defaultLimit, fields, ...list } = query
      // A cursor is valid for one list, with any page size and any fields.
      const scope = [list, holder]
      const position = cursor === undefined ? undefined : cursors.parse(cursor, scope)
      if (cursor !== undefined && !position) {
        return formatMeetingsError('INVALID_FIELDS', 'The cursor does not belong to this list.')
      }

      const all = selectMeetings(store.meetings.all(), holder, query)
      const rest = position ? all.filter((row) => isBehind(row, position, query)) : all
      const page = rest.slice(0, limit)
      const last = page.at(-1)
      const isLast = rest.length === page.length
      // With a flag, the last page has a cursor too.
      const next =
        last && (!isLast || wire.more !== '') ? cursors.format(positionOf(last, query), scope) : null

      return {
        status: 200,
        body: formatAnswer([
          [wire.items, page.map((row) => formatMeeting(row, wire, fields, request.odd))],
          [wire.cursor, next === null && endOfList === 'missing' ? undefined : next],
          ...(wire.more === '' ? [] : [[wire.more, !isLast] as const]),
          [wire.total, total ? all.length : undefined],
        ]),
      }
    },
  }
}

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
      return {
        status: 200,
        body: formatAnswer([[wire.meeting, formatMeeting(row, wire, fields, request.odd)]]),
      }
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

interface TagsRouteOptions extends MeetingsRouteOptions {
  /** `{ "tags": [...] }` or the bare array. (Assumptions: "Tags".) */
  readonly tagsShape: 'object' | 'array'
}

/** `GET /tags` (Contract: "Tags"). Each tag is `{ id, name }`, a form that the emulator invented. */
export function tagsRoute({ store, access, wire, tagsShape }: TagsRouteOptions): Route {
  return {
    endpoint: 'tags',
    method: 'GET',
    paths: meetingsPaths(wire.tagsPath),

    respond(request) {
      const holder = access.enter(request)
      const rows = store.meetings.all().filter((row) => isVisible(row, holder))
      const ids = [...new Set(rows.flatMap((row) => row.tags))].toSorted()
      const tags = ids.map((id) => ({ id, name: nameOf(id) }))
      return { status: 200, body: tagsShape === 'array' ? tags : formatAnswer([[wire.tags, tags]]) }
    },
  }
}

/** The name of `tag-customer-call` is "Customer call". */
function nameOf(id: string): string {
  const words = id.replace(/^tag[-_]/, '').replaceAll(/[-_]/g, ' ')
  return words.charAt(0).toUpperCase() + words.slice(1)
}
