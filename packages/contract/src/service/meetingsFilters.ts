import type { DEFAULT_MEETING_FIELDS } from './meetings.js'
import {
  MEETINGS_PARAMS,
  type MeetingsQueryRole,
  type ParamSchema,
  type ParamValue,
} from './meetingsParams.js'

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
