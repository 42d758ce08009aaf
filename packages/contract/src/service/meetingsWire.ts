import {
  MEETINGS_PARAMS,
  MEETINGS_QUERY_ROLES,
  type MeetingsQueryRole,
  type SortOrder,
} from './meetingsParams.js'
import { withDefaults } from './withDefaults.js'

/** A setting of the wire, and its default. */
interface WireSetting {
  /**
   * `path`: the path of a URL. `place`: the position of a part in a response, as keys with dots between them,
   * such as `data.items`; an empty place is the whole response. `names`: the service's name for each of our
   * words. `words`: a list of words of the service. `wordsOf`: a list of words of the service for each of our
   * words. `size`: a number of meetings. `flag`: true or false.
   */
  readonly kind: 'path' | 'place' | 'names' | 'words' | 'wordsOf' | 'size' | 'flag'
  readonly assumed: unknown
  /** How certain `assumed` is. (Assumptions: "Meetings wire".) */
  readonly confidence: 'high' | 'medium' | 'open'
}

// By default the service uses our names. The cast: `fromEntries` does not keep the keys in its type.
const PARAMS = Object.fromEntries(MEETINGS_QUERY_ROLES.map((role) => [role, role])) as Readonly<
  Record<MeetingsQueryRole, string>
>
const ORDER: Readonly<Record<SortOrder, string>> = { newest: 'newest', oldest: 'oldest' }
const OWNERSHIP_WORDS: Readonly<Record<'mine' | 'shared', readonly string[]>> = {
  mine: ['owned', 'mine'],
  shared: ['shared'],
}
const EXTRA_FIELDS: readonly string[] = []
const MAX_PAGE_SIZE: number = MEETINGS_PARAMS.pageSize.schema.maximum
const HAS_FIELDS: boolean = true

/**
 * Everything about the meetings interface that the service's contract does not show, one row for each
 * setting. The values were seen in public clients. The table in the documentation is derived from this one.
 * (Assumptions: "Meetings wire".)
 */
export const MEETINGS_WIRE = {
  /** Path of the list under the meetings base. (Assumptions: "Meetings address".) */
  listPath: { kind: 'path', assumed: '/meetings', confidence: 'high' },
  /** Path of one meeting; `{id}` stands for the percent-encoded id. (Contract: "One meeting".) */
  meetingPath: { kind: 'path', assumed: '/meetings/{id}', confidence: 'high' },
  /** Path of the tag list. (Contract: "Tags".) */
  tagsPath: { kind: 'path', assumed: '/tags', confidence: 'high' },
  /** Name of the query parameter for each role. (Contract: "Query parameters".) */
  params: { kind: 'names', assumed: PARAMS, confidence: 'medium' },
  /** The service's words for the sort order. (Contract: "Query parameters".) */
  order: { kind: 'names', assumed: ORDER, confidence: 'medium' },
  /**
   * For each value of the filter `ownership`, the values of the field `ownership` in the meetings that it
   * selects. If a grant forces an ownership, the BFF shows only meetings whose field has one of these values.
   * It does not rely on the filter alone: a service with another name for the filter would ignore ours and
   * return every meeting.
   */
  ownershipWords: { kind: 'wordsOf', assumed: OWNERSHIP_WORDS, confidence: 'high' },
  /** Place of the array of meetings in a response of the list. (Assumptions: "List envelope".) */
  items: { kind: 'place', assumed: 'meetings', confidence: 'high' },
  /** Place of the cursor of the next page in a response of the list. */
  cursor: { kind: 'place', assumed: 'next_cursor', confidence: 'high' },
  /**
   * Place of a flag that is true if a further page follows, such as `has_more`. With `false` the list ends,
   * even if there is a cursor. Empty: only the cursor says it.
   */
  more: { kind: 'place', assumed: '', confidence: 'high' },
  /** Most meetings of a page. A request for more gets this many. (Contract: "Query parameters".) */
  maxPageSize: { kind: 'size', assumed: MAX_PAGE_SIZE, confidence: 'high' },
  /**
   * False for a service that cannot choose fields. Then no request names fields, and a request without fields
   * gets all that a meeting has and the grant allows. (Contract: "Query parameters".)
   */
  fields: { kind: 'flag', assumed: HAS_FIELDS, confidence: 'high' },
  /** Place of the number of all meetings in the list. The number may be missing. */
  total: { kind: 'place', assumed: 'total', confidence: 'high' },
  /** Place of the meeting in a response to `meetingPath`. (Assumptions: "One meeting".) */
  meeting: { kind: 'place', assumed: '', confidence: 'medium' },
  /**
   * Place of the tags in a response to `tagsPath`, if the response is not an array. (Assumptions: "Tags".)
   */
  tags: { kind: 'place', assumed: 'tags', confidence: 'open' },
  /**
   * Additional fields that a request may name, such as `transcript` or `notes`. (Assumptions: "One meeting".)
   */
  extraFields: { kind: 'words', assumed: EXTRA_FIELDS, confidence: 'medium' },
} satisfies Record<string, WireSetting>

/**
 * Paths, names and places of the meetings interface. The BFF's option `meetings.wire` overrides any part.
 * (Assumptions: "Meetings wire".)
 */
export type MeetingsWire = {
  readonly [TPart in keyof typeof MEETINGS_WIRE]: (typeof MEETINGS_WIRE)[TPart]['assumed']
}

type Optional<TPart> = { readonly [Key in keyof TPart]?: TPart[Key] | undefined }

/** Any part of the wire. The other parts are those of `ASSUMED_MEETINGS_WIRE`. */
export interface MeetingsWireOptions extends Optional<
  Omit<MeetingsWire, 'params' | 'order' | 'ownershipWords'>
> {
  readonly params?: Optional<MeetingsWire['params']> | undefined
  readonly order?: Optional<MeetingsWire['order']> | undefined
  readonly ownershipWords?: Optional<MeetingsWire['ownershipWords']> | undefined
}

const PARTS = Object.keys(MEETINGS_WIRE) as (keyof MeetingsWire)[]

/** The assumed value of each setting. (Assumptions: "Meetings wire".) */
// The cast: `fromEntries` does not keep the keys in its type.
export const ASSUMED_MEETINGS_WIRE = Object.fromEntries(
  PARTS.map((part) => [part, MEETINGS_WIRE[part].assumed]),
) as MeetingsWire

/**
 * Throws the caller's error. `part` is a path inside the wire, such as `params.limit`, and empty for the wire
 * itself. `problem` is the end of a sentence, followed by a remedy.
 */
export type RefuseWire = (part: string, problem: string) => never

/** No query, and no dot segment, which a URL parser would remove. */
const PATH = /^(?!.*\/\.\.?(?:\/|$))\/[^?#\\\s]*$/
const PLACE = /^(?=.{0,128}$)(?:[^.\s]+(?:\.[^.\s]+)*)?$/
const NAME = /^[\w.[\]-]{1,64}$/

/**
 * Returns the whole wire: the given parts, and the defaults of the others. Calls `refuse` for the first
 * invalid part. (Assumptions: "Meetings wire".)
 */
export function resolveMeetingsWire(given: unknown, refuse: RefuseWire): MeetingsWire {
  const values = withDefaults(ASSUMED_MEETINGS_WIRE, given, (problem) => refuse('', problem))
  // The cast: each setting was checked.
  const wire = Object.fromEntries(PARTS.map((part) => [part, read(part, values[part])])) as MeetingsWire
  if (wire.meetingPath.split('{id}').length !== 2)
    refuse('meetingPath', 'does not contain {id} exactly once. Use a path such as /meetings/{id}.')
  if (wire.cursor === '') refuse('cursor', 'is empty. Use the path of the cursor, such as next_cursor.')
  if (new Set(Object.values(wire.params)).size < Object.keys(wire.params).length)
    refuse('params', 'has the same name for two roles. Use a different name for each.')
  return wire

  function read(part: keyof MeetingsWire, value: unknown): unknown {
    const { kind, assumed } = MEETINGS_WIRE[part]
    if (kind === 'path') {
      if (typeof value === 'string' && PATH.test(value)) return value
      return refuse(part, 'is not a path. Use one that begins with / and has no query and no dot segment.')
    }
    if (kind === 'place') {
      if (typeof value === 'string' && PLACE.test(value)) return value
      return refuse(part, 'is not a path in a response. Use keys with dots between them, such as data.items.')
    }
    if (kind === 'size') {
      if (Number.isInteger(value) && Number(value) >= 1 && Number(value) <= MAX_PAGE_SIZE) return value
      return refuse(
        part,
        `is not a whole number from 1 to ${MAX_PAGE_SIZE}. Use the largest page of the service.`,
      )
    }
    if (kind === 'flag')
      return typeof value === 'boolean' ? value : refuse(part, 'is neither true nor false. Use one of them.')
    if (kind === 'words') return readWords(part, value)
    const readOne = kind === 'names' ? readName : readWords
    const words = withDefaults(assumed, value, (problem) => refuse(part, problem))
    return Object.fromEntries(
      Object.entries(words).map(([key, one]) => [key, readOne(`${part}.${key}`, one)]),
    )
  }

  function readName(part: string, name: unknown): string {
    if (typeof name === 'string' && NAME.test(name)) return name
    return refuse(part, 'is not a name. Use 1 to 64 letters, digits and . _ - [ ].')
  }

  function readWords(part: string, words: unknown): readonly string[] {
    if (!Array.isArray(words)) return refuse(part, 'is not a list. Use a list of names.')
    return words.map((word, index) => readName(`${part}.${index}`, word))
  }
}
