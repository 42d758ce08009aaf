import {
  type AnyMeeting,
  type MeetingRow,
  type MeetingsPage,
  type MeetingsResponse,
  type MeetingsWire,
  readMeeting,
  readMeetingsPage,
  readTags,
  type Unreadable,
} from '@stagepass/contract'
import { BffError } from '../base/BffError.js'
import type { MeetingsOperation } from '../upstream/createUpstream.js'
import { returnProblem } from '../upstream/returnProblem.js'
import { shownValue } from '../upstream/whatWasSeen.js'
import { isMeetingId } from './meetingId.js'

/** The part of a response that a user may see. */
export interface Shown {
  readonly operation: MeetingsOperation
  /** The fields of a meeting, in addition to `id`. */
  readonly fields: readonly string[]
  /** Only meetings with one of these values of `ownership` are shown. `undefined`: all meetings are shown. */
  readonly words: readonly unknown[] | undefined
}

/** The body of a response, and the parts of the upstream's body that could not be read. */
interface Rebuilt {
  readonly body: object
  readonly unreadable: readonly Unreadable[]
}

/** Builds the body of the response from the known fields of the upstream's body. */
export function rebuild(body: unknown, shown: Shown, wire: MeetingsWire): Rebuilt {
  if (shown.operation === 'tags') {
    const { tags, unreadable } = readTags(body, wire) ?? malformed(body, 'tags', wire, 'a list')
    if (tags.length === 0 && unreadable.length > 0) malformed(body, 'tags', wire, 'a list of tags', NONE)
    return { body: { tags }, unreadable }
  }
  if (shown.operation === 'meetings') {
    const page = withUsableIds(readMeetingsPage(body, wire) ?? malformed(body, 'items', wire, A_LIST))
    // An empty list would say that there are no meetings.
    if (page.rows.length === 0 && page.unreadable.some(({ field }) => field === 'id'))
      malformed(body, 'items', wire, A_LIST, NONE)
    return { body: rebuildList(page, shown, wire), unreadable: page.unreadable }
  }
  const meeting = readMeeting(body, wire) ?? malformed(body, 'meeting', wire, 'a meeting with an id')
  const { row, unreadable } = meeting
  // The upstream has no filter for a request by id.
  if (!isInside(row, shown)) throw new BffError('NOT_FOUND', { seen: { cause: 'ownership' } })
  return { body: pick(row, shown), unreadable }
}

const A_LIST = 'a list of meetings'
const NONE = 'a list in which nothing has an id that can be used'

/** Leaves out each meeting that a request by its id could not open. */
function withUsableIds(page: MeetingsPage): MeetingsPage {
  const rows = page.rows.filter(({ id }) => isMeetingId(id))
  const refused = page.rows.slice(rows.length).map(() => ({ field: 'id', kind: 'text' }) as const)
  return { ...page, rows, unreadable: [...page.unreadable, ...refused] }
}

/** Names the part of the wire that did not fit, and what is at its place. */
function malformed(
  body: unknown,
  part: 'items' | 'meeting' | 'tags',
  wire: MeetingsWire,
  expected: string,
  value = shownValue(body, wire[part]),
): never {
  const place = wire[part]
  const seen = {
    cause: 'place',
    path: place || 'the whole response',
    value,
    expected,
    part,
  } as const
  throw new BffError('UPSTREAM_MALFORMED', { seen })
}

/**
 * Checked here too, because an interface with another name for the filter ignores ours. An ownership that
 * cannot be read is not inside. (Assumptions: "Meetings wire".)
 */
const isInside = ({ ownership }: MeetingRow, { words }: Shown): boolean =>
  words === undefined || words.includes(ownership)

/** Returns `id` and the allowed fields that the meeting has. */
const pick = (meeting: MeetingRow, { fields }: Shown): AnyMeeting => ({
  id: meeting.id,
  ...Object.fromEntries(
    fields.flatMap((name) => (Object.hasOwn(meeting, name) ? [[name, meeting[name]]] : [])),
  ),
})

function rebuildList(
  { rows, cursor, total, unreadable }: MeetingsPage,
  shown: Shown,
  wire: MeetingsWire,
): MeetingsResponse {
  const problem = cursor === null ? undefined : returnProblem(wire.cursor, 'cursor', cursor)
  if (problem !== undefined) throw new BffError('UPSTREAM_MALFORMED', { seen: problem })
  const inside = rows.filter((row) => isInside(row, shown))
  // Nothing is known of the ownership of a meeting that could not be read.
  const isHidden =
    inside.length < rows.length ||
    (shown.words !== undefined && unreadable.some(({ field }) => field === 'id'))
  return {
    meetings: inside.map((row) => pick(row, shown)),
    next_cursor: cursor,
    // Otherwise the total would count meetings that are not shown.
    ...(total !== undefined && !isHidden && { total }),
  }
}
