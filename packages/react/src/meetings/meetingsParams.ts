import {
  MEETINGS_PARAMS,
  type MeetingsQueryRole,
  type ParamSchema,
  type ParamValue,
} from '@stagepass/contract'
import type { Client } from '../identity/Client.js'
import { sayUnknown } from '../errors/sayUnknown.js'
import { type FieldList, listParam } from './meetingFields.js'

/** A time can be a `Date` too. */
type FilterValue<TSchema extends ParamSchema> =
  ParamValue<TSchema> | (TSchema extends { readonly anyOf: unknown } ? Date : never)

type FiltersOf<TParams extends Record<string, { readonly schema: ParamSchema }>> = {
  readonly [TName in keyof TParams]?: FilterValue<TParams[TName]['schema']> | undefined
}

/**
 * The filters of a list. All are optional; `{}` is the default list. The filters are those of
 * `MEETINGS_PARAMS` in `@stagepass/contract`. (Contract: "Query parameters".)
 */
export interface MeetingsFilters<TFields extends FieldList = FieldList> extends Omit<
  FiltersOf<typeof MEETINGS_PARAMS>,
  'cursor' | 'fields'
> {
  /**
   * Fields of each meeting. The type of a meeting has only these. Default: all except `participants`.
   * (Contract: "Meeting".)
   */
  readonly fields?: TFields
}

/** The given filters as query parameters of the BFF. Also used in the query key. */
export type MeetingsParams = Readonly<Partial<Record<Exclude<MeetingsQueryRole, 'cursor'>, string>>>

const ROWS = Object.entries(MEETINGS_PARAMS)

/** In development: logs filters that do not exist. */
export function sayUnknownFilters(client: Client, where: string, filters: MeetingsFilters): void {
  const { cursor: _, ...known } = MEETINGS_PARAMS
  sayUnknown(client.said, `${where} does not know the filter`, filters, known)
}

/** Equal filters have equal parameters, even if they were written differently. */
export function meetingsParams(filters: MeetingsFilters): MeetingsParams {
  const given: Readonly<Record<string, Filter>> = { ...filters }
  const all = ROWS.map(([filter, { name }]) => [name, write(given[filter])])
  // An empty search and an empty set of tags are not a filter.
  return Object.fromEntries(all.filter(([, value]) => value))
}

type Filter = MeetingsFilters[keyof MeetingsFilters]

function write(value: Filter): string | undefined {
  // `toISOString` of an invalid Date would throw in a render. As text the BFF refuses it, with
  // VALIDATION_ERROR and its field.
  if (value instanceof Date) return Number.isNaN(value.getTime()) ? String(value) : value.toISOString()
  if (typeof value === 'object') return listParam(value)
  return value?.toString().trim()
}

/**
 * For a mounted list, times that differ by less than this are equal: `from: new Date()` in a render must not
 * send a request at every render.
 */
const SAME_TIME_MS = 60_000

const TIMES: ReadonlySet<string> = new Set(
  ROWS.flatMap(([, { name, schema }]) => ('anyOf' in schema ? [name] : [])),
)

/** True if both ask for the same list, with a minute of tolerance in their times. */
export function isSameParams(a: MeetingsParams, b: MeetingsParams): boolean {
  const names = new Set([...Object.keys(a), ...Object.keys(b)]) as Set<keyof MeetingsParams>
  for (const name of names) {
    const [left, right] = [a[name], b[name]]
    if (left === right) continue
    if (!TIMES.has(name)) return false
    if (!(Math.abs(Date.parse(left ?? '') - Date.parse(right ?? '')) < SAME_TIME_MS)) return false
  }
  return true
}
