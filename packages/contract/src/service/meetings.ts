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
