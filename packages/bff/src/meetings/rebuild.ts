import type { AnyMeeting, MeetingsAnswer, TagsAnswer } from '@stagepass/contract'
import { BffError } from '../context/BffError.js'
import { isRecord } from '../upstream/readResponse.js'

const malformed = () => new BffError('UPSTREAM_MALFORMED')

/** Values of `ownership` that a meeting must have to be shown; `undefined`: no restriction. A meeting without the field is not shown. */
type ForcedWords = readonly unknown[] | undefined

const isInside = (meeting: Record<string, unknown>, words: ForcedWords): boolean =>
  words === undefined || words.includes(meeting['ownership'])

/** `id` and those of the given fields that the meeting has. */
function pick(meeting: Record<string, unknown>, fields: readonly string[]): AnyMeeting {
  const { id } = meeting
  if (typeof id === 'number') return { ...fieldsOf(meeting, fields), id: String(id) }
  if (typeof id !== 'string' || id === '') throw malformed()
  return { id, ...fieldsOf(meeting, fields) }
}

function fieldsOf(meeting: Record<string, unknown>, fields: readonly string[]): Record<string, unknown> {
  return Object.fromEntries(
    fields.flatMap((name) => (Object.hasOwn(meeting, name) ? [[name, meeting[name]]] : [])),
  )
}

/** A page of the list with the requested fields only. */
export function rebuildList(
  body: unknown,
  items: string,
  fields: readonly string[],
  words: ForcedWords,
): MeetingsAnswer {
  if (!isRecord(body)) throw malformed()
  const rows = Object.hasOwn(body, items) ? body[items] : undefined
  if (!Array.isArray(rows) || !rows.every(isRecord)) throw malformed()
  // An interface with another name for the filter ignores ours and lists all meetings. (Assumptions: "Meetings wire".)
  const inside = rows.filter((row) => isInside(row, words))
  const { total } = body
  const isCount = typeof total === 'number' && Number.isSafeInteger(total) && total >= 0
  return {
    meetings: inside.map((row) => pick(row, fields)),
    next_cursor: readCursor(body['next_cursor']),
    // The count would include the meetings that are not shown.
    ...(isCount && inside.length === rows.length && { total }),
  }
}

function readCursor(value: unknown): string | null {
  if (value === undefined || value === null || value === '') return null
  if (typeof value === 'number') return String(value)
  if (typeof value !== 'string') throw malformed()
  return value
}

/** One meeting. By id there is no upstream filter, so a forced ownership is checked here: any other meeting is 404. */
export function rebuildMeeting(body: unknown, fields: readonly string[], words: ForcedWords): AnyMeeting {
  if (!isRecord(body)) throw malformed()
  if (!isInside(body, words)) throw new BffError('NOT_FOUND')
  return pick(body, fields)
}

/** The tags as the upstream sent them, in an array or in an object with one. */
export function rebuildTags(body: unknown): TagsAnswer {
  const tags = isRecord(body) ? body['tags'] : body
  if (!Array.isArray(tags)) throw malformed()
  return { tags }
}
