import {
  type AnyMeeting,
  type MeetingRow,
  type MeetingsResponse,
  type MeetingsWire,
  readMeeting,
  readMeetingsPage,
  readTags,
  type TagsResponse,
} from '@stagepass/contract'
import { BffError } from '../errors/BffError.js'
import type { MeetingsOperation } from '../upstream/Upstream.js'

/** What a user may see of a response. */
export interface Shown {
  readonly operation: MeetingsOperation
  /** The fields of a meeting beside `id`. */
  readonly fields: readonly string[]
  /** Values of `ownership` that a meeting must have; `undefined`: any, or none. */
  readonly words: ForcedWords
}

/** The body of the response, rebuilt from the upstream's by known fields. */
export function rebuild(body: unknown, { operation, fields, words }: Shown, wire: MeetingsWire): object {
  if (operation === 'meetings') return rebuildList(body, wire, fields, words)
  return operation === 'meeting' ? rebuildMeeting(body, wire, fields, words) : rebuildTags(body, wire)
}

const malformed = () => new BffError('UPSTREAM_MALFORMED')

/**
 * Values of `ownership` that a meeting must have to be shown; `undefined`: no restriction. A meeting without
 * the field is not shown.
 */
type ForcedWords = readonly unknown[] | undefined

const isInside = (meeting: MeetingRow, words: ForcedWords): boolean =>
  words === undefined || words.includes(meeting['ownership'])

/** `id` and those of the given fields that the meeting has. */
const pick = (meeting: MeetingRow, fields: readonly string[]): AnyMeeting => ({
  id: meeting.id,
  ...Object.fromEntries(
    fields.flatMap((name) => (Object.hasOwn(meeting, name) ? [[name, meeting[name]]] : [])),
  ),
})

/** A page of the list with the requested fields only. */
function rebuildList(
  body: unknown,
  wire: MeetingsWire,
  fields: readonly string[],
  words: ForcedWords,
): MeetingsResponse {
  const page = readMeetingsPage(body, wire)
  if (!page) throw malformed()
  const { rows, cursor, total } = page
  // An interface with another name for the filter ignores ours and lists all meetings. (Assumptions:
  // "Meetings wire".)
  const inside = rows.filter((row) => isInside(row, words))
  return {
    meetings: inside.map((row) => pick(row, fields)),
    next_cursor: cursor,
    // The count would include the meetings that are not shown.
    ...(total !== undefined && inside.length === rows.length && { total }),
  }
}

/**
 * One meeting. By id there is no upstream filter, so a forced ownership is checked here: any other meeting is
 * 404.
 */
function rebuildMeeting(
  body: unknown,
  wire: MeetingsWire,
  fields: readonly string[],
  words: ForcedWords,
): AnyMeeting {
  const meeting = readMeeting(body, wire)
  if (!meeting) throw malformed()
  if (!isInside(meeting, words)) throw new BffError('NOT_FOUND')
  return pick(meeting, fields)
}

/** The tags as the upstream sent them. */
function rebuildTags(body: unknown, wire: MeetingsWire): TagsResponse {
  const tags = readTags(body, wire)
  if (!tags) throw malformed()
  return { tags }
}
