import {
  MEETINGS_DEFAULTS,
  MEETINGS_QUERY_ROLES,
  type MeetingsQueryRole,
  type MeetingsWire,
  OWNERSHIP_FILTERS,
  PAGE_SIZE,
  SORT_FIELDS,
  SORT_ORDERS,
} from '@stagepass/contract'
import { Refused } from '../request/failure.js'
import type { Query } from '../request/http.js'
import type { MeetingRow, NoteBlock } from '../store/rows.js'
import { formatMeetingsError } from './formatMeetingsError.js'
import type { ListQuery } from './MeetingsQuery.js'

/** A parameter that narrows the list, as one query has it. */
interface Filter {
  /** JSON: a cursor is valid for equal values only. */
  readonly value: unknown
  readonly keeps: (row: MeetingRow) => boolean
}

/** `text` is `undefined` if the parameter was not given; `name` is its name on the wire. */
type Read<T> = (text: string | undefined, name: string) => T

type FilterRole = Exclude<MeetingsQueryRole, 'limit' | 'cursor' | 'sort_by' | 'order' | 'fields'>

/**
 * The parameters that narrow the list: how each is read, and which meetings it keeps. (Contract: "Query
 * parameters".)
 */
const FILTERS: Readonly<Record<FilterRole, Read<Filter>>> = {
  ownership: filter(
    (text, name) => readWord(text, name, OWNERSHIP_FILTERS) ?? MEETINGS_DEFAULTS.ownership,
    (row, wanted) => wanted === 'all' || (wanted === 'shared') === (row.visibility === 'shared'),
  ),
  q: filter(
    (text = '') => foldText(text).split(/\s+/).filter(Boolean),
    (row, terms) => terms.length === 0 || includesAll(searchedText(row), terms),
  ),
  from: filter(
    (text, name) => readBound(text, name, 'start'),
    (row, fromMs = -Infinity) => Date.parse(row.started_at) >= fromMs,
  ),
  to: filter(
    (text, name) => readBound(text, name, 'end'),
    (row, toMs = Infinity) => Date.parse(row.started_at) <= toMs,
  ),
  tags: filter(
    (text) => (text ? splitList(text) : []),
    (row, tags) => tags.length === 0 || tags.some((tag) => row.tags.includes(tag)),
  ),
}

const FILTER_ROLES = Object.keys(FILTERS) as FilterRole[]

function filter<T>(read: Read<T>, keeps: (row: MeetingRow, value: T) => boolean): Read<Filter> {
  return (text, name) => {
    const value = read(text, name)
    return { value, keeps: (row) => keeps(row, value) }
  }
}

/** Names of the query parameters come from `wire`; unknown ones are ignored. Throws `Refused`. */
export function parseListQuery(query: Query, wire: MeetingsWire, fieldNames: readonly string[]): ListQuery {
  const { params } = wire
  const given = pickRoles(query, wire)
  const filters = FILTER_ROLES.map((role) => FILTERS[role](given[role], params[role]))
  const directions = SORT_ORDERS.map((word) => wire.order[word])
  const direction = readWord(given.order, params.order, directions)
  return {
    filter: filters.map(({ value }) => value),
    keeps: (row) => filters.every(({ keeps }) => keeps(row)),
    order: {
      sortBy: readWord(given.sort_by, params.sort_by, SORT_FIELDS) ?? MEETINGS_DEFAULTS.sort_by,
      order: SORT_ORDERS.find((word) => wire.order[word] === direction) ?? MEETINGS_DEFAULTS.order,
    },
    limit: readPageSize(given.limit),
    cursor: given.cursor,
    fields: readFields(given.fields, fieldNames),
  }
}

/** `fields` of a single meeting; the only parameter that it takes. Throws `Refused`. */
export function parseFields(
  query: Query,
  wire: MeetingsWire,
  fieldNames: readonly string[],
): readonly string[] | undefined {
  return readFields(pickRoles(query, wire).fields, fieldNames)
}

function refuse(reason: string): Refused {
  return new Refused(formatMeetingsError('INVALID_FIELDS', reason))
}

function pickRoles(query: Query, wire: MeetingsWire): Partial<Record<MeetingsQueryRole, string>> {
  const given: Partial<Record<MeetingsQueryRole, string>> = {}
  for (const role of MEETINGS_QUERY_ROLES) {
    const value = query[wire.params[role]]
    if (Array.isArray(value)) throw refuse(`${wire.params[role]} was given more than once.`)
    if (value !== undefined) given[role] = value
  }
  return given
}

function readWord<T extends string>(
  text: string | undefined,
  name: string,
  words: readonly T[],
): T | undefined {
  const word = words.find((candidate) => candidate === text)
  if (text === undefined || word !== undefined) return word
  throw refuse(`${name} must be one of ${words.join(', ')}.`)
}

function readPageSize(text: string | undefined): number {
  if (text === undefined) return PAGE_SIZE.default
  const size = /^\d+$/.test(text) ? Number(text) : NaN
  if (size >= PAGE_SIZE.min && size <= PAGE_SIZE.max) return size
  throw refuse(`The page size must be from ${PAGE_SIZE.min} to ${PAGE_SIZE.max}.`)
}

const DATE = /^\d{4}-\d{2}-\d{2}$/
const DATE_TIME = /^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}(:\d{2}(\.\d+)?)?(Z|[+-]\d{2}:\d{2})$/
const DAY_MS = 86_400_000

/** ISO 8601 with an offset; a date alone is its whole day in UTC, which is the emulator's reading. */
function readBound(text: string | undefined, name: string, side: 'start' | 'end'): number | undefined {
  if (text === undefined) return undefined
  const timeMs = DATE.test(text) || DATE_TIME.test(text) ? Date.parse(text) : NaN
  if (Number.isNaN(timeMs)) throw refuse(`${name} must be an ISO 8601 date-time.`)
  return side === 'end' && DATE.test(text) ? timeMs + DAY_MS - 1 : timeMs
}

function readFields(text: string | undefined, names: readonly string[]): readonly string[] | undefined {
  if (text === undefined) return undefined
  const fields = splitList(text)
  const unknown = fields.find((field) => !names.includes(field))
  if (unknown === undefined) return [...new Set(fields)]
  throw refuse(`"${unknown}" is not a field. Fields are ${names.join(', ')}.`)
}

function splitList(text: string): string[] {
  return text.split(',').map((part) => part.trim())
}

/** Title, notes and participants. The transcript is not searched. */
function searchedText({ title, notes, participants }: MeetingRow): string {
  const people = participants.flatMap(({ first_name, last_name, email }) => [first_name, last_name, email])
  return foldText([title, ...people, ...noteTexts(notes.blocks)].filter(Boolean).join('\n'))
}

function noteTexts(blocks: readonly NoteBlock[]): string[] {
  return blocks.flatMap(({ text = '', assignee = '', children = [] }) => [
    text,
    assignee,
    ...noteTexts(children),
  ])
}

/** Without regard to case and accents: "Zoe" finds "Zoë". */
function foldText(text: string): string {
  return text.normalize('NFD').replace(/\p{M}/gu, '').toLowerCase()
}

function includesAll(text: string, terms: readonly string[]): boolean {
  return terms.every((term) => text.includes(term))
}
