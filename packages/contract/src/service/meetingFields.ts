import { isObject } from './isObject.js'
import { readId, readSeconds, readText, readTime, valueOf } from './readValue.js'

/** The fields of a meeting, in addition to `id`, if `fields` is omitted. (Contract: "Meeting".) */
export const DEFAULT_MEETING_FIELDS = [
  'title',
  'started_at',
  'duration',
  'status',
  'source',
  'tags',
  'ownership',
] as const

/** Every field that `fields` may name; `id` is always sent. `participants` is sent only if it is named. */
export const MEETING_FIELDS = [...DEFAULT_MEETING_FIELDS, 'participants'] as const

/** A name that `fields` may hold. */
export type MeetingField = (typeof MEETING_FIELDS)[number]

/** Called with each value, or part of one, that cannot be read. */
export type SkipValue = (part: unknown) => void

/** Returns a value of the promised type, or `null` if the value says nothing or cannot be read. */
type Reader<T> = (value: unknown, skip: SkipValue) => T | null

/** A person in a meeting. Each value may be null or missing. (Assumptions: "Meeting fields".) */
export interface Participant {
  email?: string | null | undefined
  first_name?: string | null | undefined
  last_name?: string | null | undefined
  status?: string | null | undefined
  photo?: string | null | undefined
  /** Other members come as the service sends them. */
  [member: string]: unknown
}

/** The members of `Participant`. */
export const PARTICIPANT_MEMBERS = ['email', 'first_name', 'last_name', 'status', 'photo'] as const

/**
 * The fields of a meeting, one row each. The contract shows their names but not their types. So each field
 * has a reader: it takes the forms that services are known to send, and everything else becomes `null`. The
 * type `Meeting`, the BFF's responses, the emulator's rows and the OpenAPI description follow from this
 * table. (Contract: "Meeting". Assumptions: "Meeting fields".)
 */
export const MEETING_READERS = {
  title: single(readText),
  /** ISO 8601 in UTC, with milliseconds. */
  started_at: single(readTime),
  /** In seconds. */
  duration: single(readSeconds),
  /** An open set. Seen so far: `completed` and `ready`. */
  status: single(readText),
  source: single(readText),
  /** Identifiers for the tag filter. `null`: not known. An empty list: there are none. */
  tags: listOf(splitTags, single(readTagId)),
  /** `owned` or `shared`. The filter has other words. */
  ownership: single(readText),
  /** Only if `fields` names it. `null`: not known. */
  participants: listOf((value) => (isObject(value) ? [value] : toList(value)), single(readParticipant)),
} as const satisfies Record<MeetingField, Reader<unknown>>

/**
 * A meeting, the same on both wires: `id` and the requested fields. A field is `null` if it is not known.
 */
export type Meeting = {
  -readonly [TField in 'id' | keyof Readers]: TField extends keyof Readers
    ? ReturnType<Readers[TField]>
    : string
}
type Readers = typeof MEETING_READERS

/** Reports the value if nothing was read from it, unless it says itself that there is nothing. */
function single<T>(read: Reader<T>): Reader<T> {
  return (value, skip) => {
    const found = read(value, skip)
    if (found === null && value !== null && value !== undefined) skip(value)
    return found
  }
}

/** `null` too if there are parts, but none can be read: an empty list would say that there are none. */
function listOf<T>(
  toParts: (value: unknown) => readonly unknown[] | undefined,
  read: Reader<T>,
): Reader<T[]> {
  return (value, skip) => {
    if (value === null || value === undefined) return null
    const parts = toParts(value)
    if (!parts) {
      skip(value)
      return null
    }
    const items = parts.map((part) => read(part, skip)).filter((item) => item !== null)
    return items.length === 0 && parts.length > 0 ? null : items
  }
}

const toList = (value: unknown): readonly unknown[] | undefined => (Array.isArray(value) ? value : undefined)

/** Tags of a text. The number of values of a response is bounded, but a text is one value. */
const MAX_TAGS = 1_000

/** A text is a list with commas, as in the filter. (Contract: "Query parameters".) */
function splitTags(value: unknown): readonly unknown[] | undefined {
  if (typeof value !== 'string') return toList(value)
  const parts = value.split(',', MAX_TAGS + 1)
  if (parts.length > MAX_TAGS) return undefined
  return parts.map((part) => part.trim()).filter((part) => part !== '')
}

/** A tag is its identifier, or an object with one, as in the response to `GET /tags`. */
function readTagId(value: unknown): string | null {
  return readId(value) ?? readId(valueOf(value, 'id'))
}

/** A text is an address or a name. Members that cannot be read are `null`; other members stay. */
function readParticipant(value: unknown, skip: SkipValue): Participant | null {
  if (typeof value === 'string' && value.trim() !== '')
    return value.includes('@') ? { email: value } : { first_name: value }
  if (!isObject(value)) return null
  const read = single(readText)
  const known = PARTICIPANT_MEMBERS.flatMap((name) =>
    Object.hasOwn(value, name) ? [[name, read(value[name], skip)] as const] : [],
  )
  return { ...value, ...Object.fromEntries(known) }
}

/** A tag of the account. Its other members come as the service sends them. (Assumptions: "Tags".) */
export interface Tag {
  /** The value for the filter `tags`, and in `tags` of a meeting. */
  id: string
  /** The identifier, if the service sends no name. */
  name: string
  [member: string]: unknown
}

/** Reads an element of `GET /tags`. `null`: it has no identifier, so no filter can take it. */
export const readTag: Reader<Tag> = single((value, skip) => {
  const id = readTagId(value)
  if (id === null) return null
  const name = single(readText)(valueOf(value, 'name'), skip)
  return { ...(isObject(value) && value), id, name: name ?? id }
})

/**
 * The row of a meeting with only the requested fields of `TAll`. If the names are known only at run time,
 * each field may be missing.
 */
export type RowWith<
  TAll extends { id: string },
  TFields extends readonly (keyof TAll)[] | undefined,
> = TFields extends readonly (keyof TAll)[]
  ? number extends TFields['length']
    ? Pick<TAll, 'id'> & Partial<Pick<TAll, TFields[number]>>
    : Pick<TAll, 'id' | TFields[number]>
  : Pick<TAll, 'id' | Extract<(typeof DEFAULT_MEETING_FIELDS)[number], keyof TAll>>
