import { isObject } from './isObject.js'
import { MEETING_READERS, readTag, type Tag } from './meetingFields.js'
import { MEETING_FIELDS, type MeetingField } from './meetingFields.js'
import type { MeetingsWire } from './meetingsWire.js'
import { kindOf, readCount, readId, type ValueKind, valueOf } from './readValue.js'

/**
 * A meeting in a response: its id as text, each field of the contract with its promised type, and every other
 * field unchanged. (Assumptions: "Meeting fields".)
 */
export interface MeetingRow {
  readonly id: string
  readonly [field: string]: unknown
}

/** A part of a response that could not be read. */
export interface Unreadable {
  /**
   * A field of a meeting, or a part of the response. `id`: the whole meeting or tag is left out. `tags` is
   * also an element of the response with tags.
   */
  readonly field: MeetingField | 'id' | 'next_cursor' | 'total'
  readonly kind: ValueKind
}

/** One response of the list. */
export interface MeetingsPage {
  readonly rows: readonly MeetingRow[]
  /** `null` at the end of the list, and if it cannot be read. */
  readonly cursor: string | null
  /** `undefined` if the response has none. */
  readonly total: number | undefined
  readonly unreadable: readonly Unreadable[]
}

/** One meeting. */
export interface OneMeeting {
  readonly row: MeetingRow
  readonly unreadable: readonly Unreadable[]
}

/** The tags of the account. */
export interface TagList {
  readonly tags: readonly unknown[]
  readonly unreadable: readonly Unreadable[]
}

/** The places of the parts in a response, and the fields that stay unchanged. */
type Parts<TPart extends keyof MeetingsWire> = Pick<MeetingsWire, TPart | 'extraFields'>

/**
 * Reads a response of the list. A meeting without an id is left out. Returns `undefined` if there is no list
 * at its place. (Assumptions: "List envelope".)
 */
export function readMeetingsPage(
  body: unknown,
  wire: Parts<'items' | 'cursor' | 'more' | 'total'>,
): MeetingsPage | undefined {
  const items = valueAt(body, wire.items)
  if (!Array.isArray(items)) return undefined
  const unreadable: Unreadable[] = []
  const rows = items.map((item) => readRow(item, wire, unreadable)).filter((row) => row !== undefined)
  const isLast = wire.more !== '' && valueAt(body, wire.more) === false
  const cursor = isLast ? null : valueAt(body, wire.cursor)
  const total = valueAt(body, wire.total)
  const [next, count] = [readId(cursor), readCount(total)]
  if (next === null && !isEnd(cursor)) unreadable.push({ field: 'next_cursor', kind: kindOf(cursor) })
  if (count === null && total !== undefined && total !== null)
    unreadable.push({ field: 'total', kind: kindOf(total) })
  return { rows, cursor: next, total: count ?? undefined, unreadable }
}

/** Some services say `false` if there is no further page. */
const isEnd = (cursor: unknown): boolean =>
  cursor === undefined || cursor === null || cursor === '' || cursor === false

/**
 * Reads a response with one meeting. Returns `undefined` if there is no meeting with an id at its place.
 * (Assumptions: "One meeting".)
 */
export function readMeeting(body: unknown, wire: Parts<'meeting'>): OneMeeting | undefined {
  const unreadable: Unreadable[] = []
  const row = readRow(valueAt(body, wire.meeting), wire, unreadable)
  return row && { row, unreadable }
}

/**
 * Reads a response with tags. A tag without an identifier is left out. If `extraFields` names `tags`, each
 * tag stays unchanged. Returns `undefined` if there is no list at its place. (Assumptions: "Tags".)
 */
export function readTags(body: unknown, wire: Parts<'tags'>): TagList | undefined {
  const found: unknown = Array.isArray(body) ? body : valueAt(body, wire.tags)
  if (!Array.isArray(found)) return undefined
  if (wire.extraFields.includes('tags')) return { tags: found, unreadable: [] }
  const unreadable: Unreadable[] = []
  const skip = (part: unknown): void => void unreadable.push({ field: 'tags', kind: kindOf(part) })
  const tags: readonly (Tag | null)[] = found.map((tag) => readTag(tag, skip))
  return { tags: tags.filter((tag) => tag !== null), unreadable }
}

function valueAt(body: unknown, path: string): unknown {
  let value = body
  for (const key of path === '' ? [] : path.split('.')) value = valueOf(value, key)
  return value
}

function readRow(
  value: unknown,
  { extraFields }: Pick<MeetingsWire, 'extraFields'>,
  unreadable: Unreadable[],
): MeetingRow | undefined {
  const given = valueOf(value, 'id')
  const id = readId(given)
  if (!isObject(value) || id === null) {
    unreadable.push({ field: 'id', kind: kindOf(isObject(value) ? given : value) })
    return undefined
  }
  const known = MEETING_FIELDS.flatMap((field) => {
    // A field that the wire names comes as it is, whatever the table says.
    if (!Object.hasOwn(value, field) || extraFields.includes(field)) return []
    const skip = (part: unknown): void => void unreadable.push({ field, kind: kindOf(part) })
    return [[field, MEETING_READERS[field](value[field], skip)] as const]
  })
  return { ...value, ...Object.fromEntries(known), id }
}
