import {
  type AnyMeeting,
  type MeetingRow,
  type MeetingsPage,
  type MeetingsResponse,
  type MeetingsWire,
  readMeeting,
  readMeetingsPage,
  readTags,
} from '@stagepass/contract'
import { BffError } from '../errors/BffError.js'
import type { MeetingsOperation } from '../upstream/createUpstream.js'

/** What a user may see of a response. */
export interface Shown {
  readonly operation: MeetingsOperation
  /** The fields of a meeting beside `id`. */
  readonly fields: readonly string[]
  /** Values of `ownership` that a meeting must have; `undefined`: any, or none. */
  readonly words: readonly unknown[] | undefined
}

/** The body of the response, rebuilt from the upstream's by known fields. */
export function rebuild(body: unknown, shown: Shown, wire: MeetingsWire): object {
  if (shown.operation === 'tags') return { tags: readTags(body, wire) ?? malformed() }
  if (shown.operation === 'meetings') return rebuildList(readMeetingsPage(body, wire) ?? malformed(), shown)
  const meeting = readMeeting(body, wire) ?? malformed()
  // By id there is no upstream filter.
  if (!isInside(meeting, shown)) throw new BffError('NOT_FOUND')
  return pick(meeting, shown)
}

function malformed(): never {
  throw new BffError('UPSTREAM_MALFORMED')
}

/** An interface with another name for the filter ignores ours. (Assumptions: "Meetings wire".) */
const isInside = ({ ownership }: MeetingRow, { words }: Shown): boolean =>
  words === undefined || words.includes(ownership)

/** `id` and those of the fields that the meeting has. */
const pick = (meeting: MeetingRow, { fields }: Shown): AnyMeeting => ({
  id: meeting.id,
  ...Object.fromEntries(
    fields.flatMap((name) => (Object.hasOwn(meeting, name) ? [[name, meeting[name]]] : [])),
  ),
})

function rebuildList({ rows, cursor, total }: MeetingsPage, shown: Shown): MeetingsResponse {
  const inside = rows.filter((row) => isInside(row, shown))
  return {
    meetings: inside.map((row) => pick(row, shown)),
    next_cursor: cursor,
    // The count would include the meetings that are not shown.
    ...(total !== undefined && inside.length === rows.length && { total }),
  }
}
