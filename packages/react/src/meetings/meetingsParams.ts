import type { OwnershipFilter, SortField, SortOrder } from '@stagepass/contract'
import { type FieldList, fieldsParam } from './meetingFields.js'

/** What to list. Everything is optional; `{}` is the default list. (Contract: "Query parameters".) */
export interface MeetingsFilters<TFields extends FieldList = FieldList> {
  /** Owned and shared (`all`, default), owned only (`mine`), shared with the key holder only (`shared`). */
  readonly ownership?: OwnershipFilter | undefined
  /** Created date (`date`, default), `duration`, last updated (`last_modified`). */
  readonly sortBy?: SortField | undefined
  /** Default `newest`. */
  readonly order?: SortOrder | undefined
  /**
   * Full text over titles, notes and participants; transcripts are not searched. Spaces at its ends do not
   * count.
   */
  readonly search?: string | undefined
  /** Meetings at or after it. A `Date` or ISO 8601. */
  readonly from?: Date | string | undefined
  /** Meetings at or before it. A `Date` or ISO 8601. */
  readonly to?: Date | string | undefined
  /** Identifiers from `useTags`. */
  readonly tags?: readonly string[] | undefined
  /**
   * Fields of each meeting. They are also what is on its type. Default: all but `participants`. (Contract:
   * "Meeting".)
   */
  readonly fields?: TFields
  /** Meetings per page, 1 to 100. Default 20. */
  readonly pageSize?: number | undefined
}

/**
 * The same filters as query parameters of the BFF, without the ones that were left out. Also the query key.
 */
export type MeetingsParams = Readonly<
  Partial<
    Record<'ownership' | 'sort_by' | 'order' | 'q' | 'from' | 'to' | 'tags' | 'fields' | 'limit', string>
  >
>

/** Equal filters give equal parameters, however they were written. */
export function meetingsParams(filters: MeetingsFilters): MeetingsParams {
  const { tags } = filters
  const all = {
    ownership: filters.ownership,
    sort_by: filters.sortBy,
    order: filters.order,
    q: filters.search?.trim(),
    from: bound(filters.from),
    to: bound(filters.to),
    tags: tags && [...new Set(tags)].toSorted().join(','),
    fields: fieldsParam(filters.fields),
    limit: filters.pageSize?.toString(),
  }
  // An empty search box and an empty set of tags are no filter.
  return Object.fromEntries(Object.entries(all).filter(([, value]) => value))
}

function bound(value: Date | string | undefined): string | undefined {
  // An invalid Date would throw in the middle of a render; as text it comes back from the BFF as
  // VALIDATION_ERROR with its field.
  return value instanceof Date && !Number.isNaN(value.getTime()) ? value.toISOString() : value?.toString()
}

/**
 * Bounds that differ by less than this are the same to a mounted list: `from: new Date()` in a render must
 * not ask at every render.
 */
const SAME_BOUND_MS = 60_000

/** True if both ask for the same list, with a minute of tolerance in their bounds. */
export function isSameParams(a: MeetingsParams, b: MeetingsParams): boolean {
  const names = new Set([...Object.keys(a), ...Object.keys(b)]) as Set<keyof MeetingsParams>
  for (const name of names) {
    const [left, right] = [a[name], b[name]]
    if (left === right) continue
    if (name !== 'from' && name !== 'to') return false
    if (!(Math.abs(Date.parse(left ?? '') - Date.parse(right ?? '')) < SAME_BOUND_MS)) return false
  }
  return true
}
