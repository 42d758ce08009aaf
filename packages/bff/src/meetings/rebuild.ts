import type { AnyMeeting, MeetingsAnswer, TagsAnswer } from '@stagepass/contract'
import { BffError } from '../context/BffError.js'

const isRecord = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value)

const malformed = () => new BffError('UPSTREAM_MALFORMED')

/**
 * Words of the field `ownership` that a meeting must bear to be shown; `undefined` where the grant forces none. What does not say that it is inside
 * is outside.
 */
type ForcedWords = readonly unknown[] | undefined

const isInside = (meeting: Record<string, unknown>, words: ForcedWords): boolean =>
  words === undefined || words.includes(meeting['ownership'])

/** `id` and the given fields, as far as they are there. */
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

/** A page of the list with what was asked for and nothing else, whatever the upstream sent. */
export function rebuildList(
  body: unknown,
  items: string,
  fields: readonly string[],
  words: ForcedWords,
): MeetingsAnswer {
  if (!isRecord(body)) throw malformed()
  const rows = Object.hasOwn(body, items) ? body[items] : undefined
  if (!Array.isArray(rows) || !rows.every(isRecord)) throw malformed()
  // An interface that knows the filter by another name ignores ours and shows everything. (Assumptions: "Meetings wire".)
  const inside = rows.filter((row) => isInside(row, words))
  const { total } = body
  const isCount = typeof total === 'number' && Number.isSafeInteger(total) && total >= 0
  return {
    meetings: inside.map((row) => pick(row, fields)),
    next_cursor: readCursor(body['next_cursor']),
    // A count of what was not shown would tell of it.
    ...(isCount && inside.length === rows.length && { total }),
  }
}

function readCursor(value: unknown): string | null {
  if (value === undefined || value === null || value === '') return null
  if (typeof value === 'number') return String(value)
  if (typeof value !== 'string') throw malformed()
  return value
}

/**
 * One meeting. Reading by id has no filter upstream, so a forced ownership is checked here: what does not say that it is inside does not exist
 * for this user.
 */
export function rebuildMeeting(body: unknown, fields: readonly string[], words: ForcedWords): AnyMeeting {
  if (!isRecord(body)) throw malformed()
  if (!isInside(body, words)) throw new BffError('NOT_FOUND')
  return pick(body, fields)
}

/** The tags as they came, from a bare array or an object that holds one. */
export function rebuildTags(body: unknown): TagsAnswer {
  const tags = isRecord(body) ? body['tags'] : body
  if (!Array.isArray(tags)) throw malformed()
  return { tags }
}
