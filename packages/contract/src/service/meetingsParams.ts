import { SIZES } from './limits.js'

/*
 * The schemas of the parameters, in the words of JSON Schema. Lengths are in UTF-16 units. (Assumptions:
 * "Lengths".)
 */
const integer = (minimum: number, maximum: number, usual: number) =>
  ({ type: 'integer', minimum, maximum, default: usual }) as const
/** An empty text counts as a missing parameter, unless `minLength` refuses it. */
const text = (maxLength: number, minLength = 0) => ({ type: 'string', minLength, maxLength }) as const
/** The first word is the default. */
const oneOf = <TFirst extends string, const TRest extends readonly string[]>(first: TFirst, ...rest: TRest) =>
  ({ type: 'string', enum: [first, ...rest], default: first }) as const
/** The items are separated by commas. */
const list = (maxItems: number, maxLength: number) =>
  ({ type: 'array', items: { type: 'string', minLength: 1, maxLength }, maxItems }) as const
/** ISO 8601: a time with an offset, or a date. */
const TIME = { type: 'string', anyOf: [{ format: 'date-time' }, { format: 'date' }] } as const

/** The schema of a parameter, in the words of JSON Schema. */
export type ParamSchema =
  | ReturnType<typeof integer | typeof text | typeof list>
  | { readonly type: 'string'; readonly enum: readonly string[]; readonly default: string }
  | typeof TIME

/**
 * A parameter of the list. Its key in `MEETINGS_PARAMS` is the name of the filter in the hooks. The comment
 * above a row is copied into the documentation.
 */
interface MeetingsParam {
  /** Name on the BFF's wire, and name of the role in `MeetingsWire.params`. */
  readonly name: string
  readonly schema: ParamSchema
}

/**
 * The parameters of the list, one row each. Many things are derived from this table: the parsers of the BFF
 * and of the emulator, the filters of the hooks, the default `MeetingsWire.params`, the OpenAPI description
 * and the tables in the documentation (`docs/generate`). (Contract: "Query parameters".)
 */
export const MEETINGS_PARAMS = {
  /** Meetings per page. */
  pageSize: { name: 'limit', schema: integer(1, 100, 20) },
  /** `next_cursor` of the previous page. */
  cursor: { name: 'cursor', schema: text(SIZES.cursor, 1) },
  /** Owned and shared (`all`), owned only (`mine`), shared with the key holder only (`shared`). */
  ownership: {
    name: 'ownership',
    schema: oneOf('all', 'mine', 'shared'),
  },
  /** Date of creation (`date`), `duration`, or time of the last change (`last_modified`). */
  sortBy: {
    name: 'sort_by',
    schema: oneOf('date', 'duration', 'last_modified'),
  },
  /** Order of the list. */
  order: { name: 'order', schema: oneOf('newest', 'oldest') },
  /** Full text over titles, notes and participants. Transcripts are not searched. */
  search: { name: 'q', schema: text(500) },
  /** Only meetings at this time or later. */
  from: { name: 'from', schema: TIME },
  /** Only meetings at this time or earlier. */
  to: { name: 'to', schema: TIME },
  /** Only meetings with at least one of these tags. A tag is given by its identifier. */
  tags: { name: 'tags', schema: list(50, SIZES.tag) },
  /**
   * Fields of each meeting. `id` is always included. Default: all fields except `participants`. (Contract:
   * "Meeting".)
   */
  fields: { name: 'fields', schema: list(64, 64) },
} as const satisfies Record<string, MeetingsParam>

type Params = typeof MEETINGS_PARAMS

/** How certain it is that the service uses the same name. (Assumptions: "Meetings wire".) */
export const PARAM_CONFIDENCE: Readonly<Record<keyof Params, 'high' | 'medium'>> = {
  pageSize: 'high',
  cursor: 'high',
  ownership: 'medium',
  sortBy: 'high',
  order: 'high',
  search: 'medium',
  from: 'high',
  to: 'high',
  tags: 'medium',
  fields: 'high',
}

type ParamRow = Params[keyof Params]

/** A parameter of the list, by its name on the BFF's wire. */
export type MeetingsQueryRole = ParamRow['name']
/** The parameters by their names on the BFF's wire, in the order of their table. */
export const MEETINGS_QUERY_ROLES: readonly MeetingsQueryRole[] = Object.values(MEETINGS_PARAMS).map(
  ({ name }) => name,
)

/** The TypeScript type of a parameter's value. */
export type ParamValue<TSchema extends ParamSchema> = TSchema extends { readonly type: 'integer' }
  ? number
  : TSchema extends { readonly type: 'array' }
    ? readonly string[]
    : TSchema extends { readonly enum: readonly (infer TWord)[] }
      ? TWord
      : string

/** A parsed query of the list: its values by their names on the BFF's wire. */
export type MeetingsQueryValues = {
  readonly [TRow in ParamRow as TRow['name']]?: ParamValue<TRow['schema']> | undefined
}

/** Filter by owner. Default `all`. */
export type OwnershipFilter = NonNullable<MeetingsQueryValues['ownership']>
/** The sort key of the list. Default `date`. */
export type SortField = NonNullable<MeetingsQueryValues['sort_by']>
/** The order of the list. Default `newest`. */
export type SortOrder = NonNullable<MeetingsQueryValues['order']>

/*
 * What an application writes to read a list, in a page and on a server. (Contract: "Query parameters".)
 */

/** A time can be a `Date` too. */
type FilterValue<TSchema extends ParamSchema> =
  ParamValue<TSchema> | (TSchema extends { readonly anyOf: unknown } ? Date : never)

type FiltersOf<TParams extends Record<string, { readonly schema: ParamSchema }>> = {
  readonly [TName in keyof TParams]?: FilterValue<TParams[TName]['schema']> | undefined
}

/** The filters of a list, one for each row of `MEETINGS_PARAMS` that names no page and no field. */
export type ListFilters = Omit<FiltersOf<typeof MEETINGS_PARAMS>, 'cursor' | 'fields'>

/** The given filters as query parameters of the BFF. Also used in the query key of a page. */
export type MeetingsParams = Readonly<Partial<Record<Exclude<MeetingsQueryRole, 'cursor'>, string>>>

/** Equal filters have equal parameters, even if they were written differently. */
export function meetingsParams(
  filters: ListFilters & { readonly fields?: readonly string[] | undefined },
): MeetingsParams {
  const given: Readonly<Record<string, unknown>> = { ...filters }
  const all = ROWS.map(([filter, { name }]) => [name, write(given[filter])])
  // An empty search and an empty set of tags are not a filter.
  return Object.fromEntries(all.filter(([, value]) => value))
}

const ROWS = Object.entries(MEETINGS_PARAMS)

function write(value: unknown): string | undefined {
  // `toISOString` of an invalid Date would throw in a render. As text the BFF refuses it, with
  // VALIDATION_ERROR and its field.
  if (value instanceof Date) return Number.isNaN(value.getTime()) ? String(value) : value.toISOString()
  return Array.isArray(value) ? listParam(value) : value?.toString().trim()
}

/**
 * A list on the wire. It is sorted, so that equal sets are one query. An empty list counts as `undefined`. A
 * comma in an item is written twice: the BFF refuses the empty item, and never reads one item as two.
 */
export function listParam(names: readonly string[] | undefined): string | undefined {
  if (!names || names.length === 0) return undefined
  const items = [...new Set(names)].sort()
  return items.map((item) => item.replaceAll(',', ',,')).join(',')
}
