import type { MeetingsWire } from './meetingsWire.js'
import { isObject } from './isObject.js'

/** A meeting in a response: its id as text, its start as ISO 8601, and all other fields unchanged. */
export interface MeetingRow {
  readonly id: string
  readonly [field: string]: unknown
}

/** One response of the list. */
export interface MeetingsPage {
  readonly rows: readonly MeetingRow[]
  /** `null` at the end of the list. */
  readonly cursor: string | null
  /** `undefined` if the response has none. */
  readonly total: number | undefined
}

/** The places of the parts in a response. */
type Paths<TPart extends keyof MeetingsWire> = Pick<MeetingsWire, TPart>

/**
 * Reads a response of the list. Returns `undefined` if it does not have the form that the wire describes.
 * (Assumptions: "List envelope".)
 */
export function readMeetingsPage(
  body: unknown,
  wire: Paths<'items' | 'cursor' | 'total'>,
): MeetingsPage | undefined {
  const items = valueAt(body, wire.items)
  const cursor = readCursor(valueAt(body, wire.cursor))
  if (!Array.isArray(items) || cursor === undefined) return undefined
  const rows = items.map(readRow)
  if (!rows.every((row) => row !== undefined)) return undefined
  const total = valueAt(body, wire.total)
  return { rows, cursor, total: isCount(total) ? total : undefined }
}

/**
 * Reads a response with one meeting. Returns `undefined` if it does not have the form that the wire
 * describes. (Assumptions: "One meeting".)
 */
export function readMeeting(body: unknown, wire: Paths<'meeting'>): MeetingRow | undefined {
  return readRow(valueAt(body, wire.meeting))
}

/**
 * Reads a response with tags, and leaves each tag unchanged. Returns `undefined` if the response does not
 * have the form that the wire describes. (Assumptions: "Tags".)
 */
export function readTags(body: unknown, wire: Paths<'tags'>): unknown[] | undefined {
  const tags = Array.isArray(body) ? body : valueAt(body, wire.tags)
  return Array.isArray(tags) ? tags : undefined
}

function valueAt(body: unknown, path: string): unknown {
  let value = body
  for (const key of path === '' ? [] : path.split('.'))
    value = isObject(value) && Object.hasOwn(value, key) ? value[key] : undefined
  return value
}

function readRow(value: unknown): MeetingRow | undefined {
  if (!isObject(value)) return undefined
  const id = readText(value['id'])
  if (!id) return undefined
  const { started_at } = value
  return { ...value, id, ...(typeof started_at === 'number' && { started_at: readEpoch(started_at) }) }
}

/** `null`: the end of the list. `undefined`: not a valid cursor. */
function readCursor(value: unknown): string | null | undefined {
  return value === undefined || value === null || value === '' ? null : readText(value)
}

/**
 * Reads an id or a cursor. The JSON parser has rounded any larger integer, which would then name something
 * else.
 */
function readText(value: unknown): string | undefined {
  if (typeof value === 'string') return value
  return Number.isSafeInteger(value) ? String(value) : undefined
}

/** Read as seconds this is the year 5138, read as milliseconds 1973. */
const MIN_EPOCH_MS = 100_000_000_000

/**
 * Converts seconds or milliseconds since the epoch to ISO 8601. A number that is not a valid date stays
 * unchanged.
 */
function readEpoch(epoch: number): string | number {
  const date = new Date(Math.abs(epoch) < MIN_EPOCH_MS ? epoch * 1_000 : epoch)
  return Number.isNaN(date.getTime()) ? epoch : date.toISOString()
}

const isCount = (value: unknown): value is number =>
  typeof value === 'number' && Number.isSafeInteger(value) && value >= 0
