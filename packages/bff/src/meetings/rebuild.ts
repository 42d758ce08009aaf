import type { AnyMeeting, MeetingsAnswer, TagsAnswer } from '@stagepass/contract'
import { BffError } from '../errors.js'

const isRecord = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value)

const malformed = () => new BffError('UPSTREAM_MALFORMED')

/** Words of the field `ownership`; those of the filter are accepted too. (Assumed: `owned` and `shared`.) */
const OWNERSHIP_WORDS = { mine: ['owned', 'mine'], shared: ['shared'] } as const

/** True where the meeting itself says that it is outside the forced ownership. */
function isOutside(meeting: Record<string, unknown>, forced: 'mine' | 'shared' | undefined): boolean {
  if (forced === undefined) return false
  const other: readonly unknown[] = OWNERSHIP_WORDS[forced === 'mine' ? 'shared' : 'mine']
  return other.includes(meeting['ownership'])
}

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
  forced: 'mine' | 'shared' | undefined,
): MeetingsAnswer {
  if (!isRecord(body)) throw malformed()
  const rows = Object.hasOwn(body, items) ? body[items] : undefined
  if (!Array.isArray(rows) || !rows.every(isRecord)) throw malformed()
  const { total } = body
  return {
    // The name of the filter is an assumption: an interface that ignored it would otherwise show everything.
    meetings: rows.filter((row) => !isOutside(row, forced)).map((row) => pick(row, fields)),
    next_cursor: readCursor(body['next_cursor']),
    ...(typeof total === 'number' && Number.isSafeInteger(total) && total >= 0 && { total }),
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
export function rebuildMeeting(
  body: unknown,
  fields: readonly string[],
  forced: 'mine' | 'shared' | undefined,
): AnyMeeting {
  if (!isRecord(body)) throw malformed()
  const words: readonly unknown[] | undefined = forced && OWNERSHIP_WORDS[forced]
  if (words && !words.includes(body['ownership'])) throw new BffError('NOT_FOUND')
  return pick(body, fields)
}

/** The tags as they came, from a bare array or an object that holds one. */
export function rebuildTags(body: unknown): TagsAnswer {
  const tags = isRecord(body) ? body['tags'] : body
  if (!Array.isArray(tags)) throw malformed()
  return { tags }
}
