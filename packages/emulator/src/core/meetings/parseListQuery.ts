import type { MeetingsQueryRole, MeetingsWire, SortOrder } from '@stagepass/contract'
import {
  MEETINGS_DEFAULTS,
  MEETINGS_QUERY_ROLES,
  OWNERSHIP_FILTERS,
  PAGE_SIZE,
  SORT_FIELDS,
  SORT_ORDERS,
} from '@stagepass/contract'
import type { Query } from '../request/http.js'
import type { ListQuery, Parsed } from './MeetingsQuery.js'

class QueryError extends Error {}

/** Names of the query parameters come from `wire`; unknown ones are ignored. */
export function parseListQuery(
  query: Query,
  wire: MeetingsWire,
  fieldNames: readonly string[],
): Parsed<ListQuery> {
  return parse(() => {
    const given = pickRoles(query, wire)
    return {
      filter: {
        ownership: wordOf('ownership', given.ownership, OWNERSHIP_FILTERS) ?? MEETINGS_DEFAULTS.ownership,
        q: given.q ?? '',
        fromMs: bound('from', given.from, 'start') ?? -Infinity,
        toMs: bound('to', given.to, 'end') ?? Infinity,
        tags: commaList(given.tags) ?? [],
      },
      order: {
        sortBy: wordOf('sort_by', given.sort_by, SORT_FIELDS) ?? MEETINGS_DEFAULTS.sort_by,
        order: direction(given.order, wire) ?? MEETINGS_DEFAULTS.order,
      },
      limit: pageSize(given.limit),
      cursor: given.cursor,
      fields: fieldList(given.fields, fieldNames),
    }
  })
}

/** `fields` of a single meeting; the only parameter that it takes. */
export function parseFields(
  query: Query,
  wire: MeetingsWire,
  fieldNames: readonly string[],
): Parsed<readonly string[] | undefined> {
  return parse(() => fieldList(pickRoles(query, wire).fields, fieldNames))
}

function parse<T>(read: () => T): Parsed<T> {
  try {
    return { ok: true, value: read() }
  } catch (error) {
    if (error instanceof QueryError) return { ok: false, reason: error.message }
    throw error
  }
}

function pickRoles(query: Query, wire: MeetingsWire): Partial<Record<MeetingsQueryRole, string>> {
  const given: Partial<Record<MeetingsQueryRole, string>> = {}
  for (const role of MEETINGS_QUERY_ROLES) {
    const value = query[wire.params[role]]
    if (Array.isArray(value)) throw new QueryError(`${wire.params[role]} was given more than once.`)
    if (value !== undefined) given[role] = value
  }
  return given
}

function wordOf<T extends string>(
  name: string,
  value: string | undefined,
  words: readonly T[],
): T | undefined {
  if (value === undefined) return undefined
  const word = words.find((candidate) => candidate === value)
  if (word === undefined) throw new QueryError(`${name} must be one of ${words.join(', ')}.`)
  return word
}

function direction(value: string | undefined, wire: MeetingsWire): SortOrder | undefined {
  if (value === undefined) return undefined
  const order = SORT_ORDERS.find((candidate) => wire.order[candidate] === value)
  if (!order) throw new QueryError(`The sort direction must be ${wire.order.newest} or ${wire.order.oldest}.`)
  return order
}

function pageSize(value: string | undefined): number {
  if (value === undefined) return PAGE_SIZE.default
  const size = /^\d+$/.test(value) ? Number(value) : NaN
  if (!(size >= PAGE_SIZE.min && size <= PAGE_SIZE.max)) {
    throw new QueryError(`The page size must be from ${PAGE_SIZE.min} to ${PAGE_SIZE.max}.`)
  }
  return size
}

const DATE = /^\d{4}-\d{2}-\d{2}$/
const DATE_TIME = /^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}(:\d{2}(\.\d+)?)?(Z|[+-]\d{2}:\d{2})$/
const DAY_MS = 86_400_000

/** ISO 8601 with an offset; a date alone is its whole day in UTC, which is the emulator's reading. */
function bound(name: string, value: string | undefined, side: 'start' | 'end'): number | undefined {
  if (value === undefined) return undefined
  const timeMs = DATE.test(value) || DATE_TIME.test(value) ? Date.parse(value) : NaN
  if (Number.isNaN(timeMs)) throw new QueryError(`${name} must be an ISO 8601 date-time.`)
  return side === 'end' && DATE.test(value) ? timeMs + DAY_MS - 1 : timeMs
}

function commaList(value: string | undefined): string[] | undefined {
  return value === undefined || value === '' ? undefined : value.split(',').map((part) => part.trim())
}

function fieldList(value: string | undefined, names: readonly string[]): readonly string[] | undefined {
  if (value === undefined) return undefined
  const fields = value.split(',').map((part) => part.trim())
  const unknown = fields.find((field) => !names.includes(field))
  if (unknown !== undefined)
    throw new QueryError(`"${unknown}" is not a field. Fields are ${names.join(', ')}.`)
  return [...new Set(fields)]
}
