/** Returned when `fields` is omitted, next to `id`. (Contract: "Meeting".) */
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

/** Whose meetings: owned plus shared (default), owned only, shared with the key holder only. */
export const OWNERSHIP_FILTERS = ['all', 'mine', 'shared'] as const
/** One of `OWNERSHIP_FILTERS`. Default `all`. */
export type OwnershipFilter = (typeof OWNERSHIP_FILTERS)[number]

/** Created date (default), duration, last updated. */
export const SORT_FIELDS = ['date', 'duration', 'last_modified'] as const
/** One of `SORT_FIELDS`. Default `date`. */
export type SortField = (typeof SORT_FIELDS)[number]

/**
 * `newest` is the default (Contract: "Query parameters"), `oldest` the other value (Assumptions: "Meetings
 * wire").
 */
export const SORT_ORDERS = ['newest', 'oldest'] as const
/** One of `SORT_ORDERS`. Default `newest`. */
export type SortOrder = (typeof SORT_ORDERS)[number]

/** What the list applies if a query says nothing. (Contract: "Query parameters".) */
export const MEETINGS_DEFAULTS = { ownership: 'all', sort_by: 'date', order: 'newest' } as const

/**
 * The ten roles of the list's query, by the names they have on the BFF's own wire. Their upstream names are
 * in `meetings.wire`: see `assumptions.ts`. (Assumptions: "Meetings wire".)
 */
export const MEETINGS_QUERY_ROLES = [
  'limit',
  'cursor',
  'ownership',
  'sort_by',
  'order',
  'q',
  'from',
  'to',
  'tags',
  'fields',
] as const
/** One of `MEETINGS_QUERY_ROLES`: a parameter of the list, by its name on the BFF's wire. */
export type MeetingsQueryRole = (typeof MEETINGS_QUERY_ROLES)[number]
