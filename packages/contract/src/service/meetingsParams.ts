/** A time: ISO 8601 with its offset, or a date. */
const TIME = { type: 'string', anyOf: [{ format: 'date-time' }, { format: 'date' }] } as const

/**
 * What a parameter may be, in the words of JSON Schema. Lengths are in UTF-16 units (Assumptions: "Lengths").
 * A text without `minLength` may be empty, which is the same as no text. A list is separated by commas.
 */
export type ParamSchema =
  | { readonly type: 'integer'; readonly minimum: number; readonly maximum: number; readonly default: number }
  | { readonly type: 'string'; readonly enum: readonly string[]; readonly default: string }
  | { readonly type: 'string'; readonly minLength?: number; readonly maxLength: number }
  | typeof TIME
  | {
      readonly type: 'array'
      readonly items: { readonly type: 'string'; readonly minLength: 1; readonly maxLength: number }
      readonly maxItems: number
    }

/**
 * A parameter of the list. Its key in `MEETINGS_PARAMS` is the filter of the hooks. The comment above it is
 * its documentation.
 */
interface MeetingsParam {
  /** Name on the BFF's own wire, and of the role in `MeetingsWire.params`. */
  readonly name: string
  /** Name on the service's wire, unless `MeetingsWire.params` has another. (Assumptions: "Meetings wire".) */
  readonly upstream: string
  /** How sure `upstream` is. */
  readonly confidence: 'high' | 'medium'
  readonly schema: ParamSchema
  /** A value that changes the list. The doctor asks for it. */
  readonly example: string
}

/**
 * The parameters of the list, a row for each. From it come the BFF's and the emulator's parser, the filters
 * of the hooks, the default `MeetingsWire.params`, the questions of the doctor, `docs/openapi.yaml` and the
 * tables in the documentation (`npx tsx scripts/params.ts`). (Contract: "Query parameters".)
 */
export const MEETINGS_PARAMS = {
  /** Meetings per page. */
  pageSize: {
    name: 'limit',
    upstream: 'limit',
    confidence: 'high',
    schema: { type: 'integer', minimum: 1, maximum: 100, default: 20 },
    example: '3',
  },
  /** `next_cursor` of the page before. */
  cursor: {
    name: 'cursor',
    upstream: 'cursor',
    confidence: 'high',
    schema: { type: 'string', minLength: 1, maxLength: 1_024 },
    example: 'eyJpZCI6MX0',
  },
  /** Owned and shared (`all`), owned only (`mine`), shared with the key holder only (`shared`). */
  ownership: {
    name: 'ownership',
    upstream: 'ownership',
    confidence: 'medium',
    schema: { type: 'string', enum: ['all', 'mine', 'shared'], default: 'all' },
    example: 'shared',
  },
  /** Created date (`date`), `duration`, last updated (`last_modified`). */
  sortBy: {
    name: 'sort_by',
    upstream: 'sort_by',
    confidence: 'high',
    schema: { type: 'string', enum: ['date', 'duration', 'last_modified'], default: 'date' },
    example: 'duration',
  },
  /** Which end comes first. (Assumptions: "Meetings wire", for `oldest`.) */
  order: {
    name: 'order',
    upstream: 'order',
    confidence: 'high',
    schema: { type: 'string', enum: ['newest', 'oldest'], default: 'newest' },
    example: 'oldest',
  },
  /** Full text over titles, notes and participants. Transcripts are not searched. */
  search: {
    name: 'q',
    upstream: 'q',
    confidence: 'medium',
    schema: { type: 'string', maxLength: 500 },
    example: 'roadmap',
  },
  /** Meetings at this time or later. */
  from: {
    name: 'from',
    upstream: 'from',
    confidence: 'high',
    schema: TIME,
    example: '2026-01-31T09:00:00Z',
  },
  /** Meetings at this time or earlier. */
  to: {
    name: 'to',
    upstream: 'to',
    confidence: 'high',
    schema: TIME,
    example: '2026-01-31T09:00:00Z',
  },
  /** Meetings with one of these tags, by their identifiers. */
  tags: {
    name: 'tags',
    upstream: 'tags',
    confidence: 'medium',
    schema: { type: 'array', items: { type: 'string', minLength: 1, maxLength: 128 }, maxItems: 50 },
    example: 'tag-sales',
  },
  /**
   * Fields of each meeting. `id` is always there. If it is left out, all but `participants`. (Contract:
   * "Meeting".)
   */
  fields: {
    name: 'fields',
    upstream: 'fields',
    confidence: 'high',
    schema: { type: 'array', items: { type: 'string', minLength: 1, maxLength: 64 }, maxItems: 64 },
    example: 'title',
  },
} as const satisfies Record<string, MeetingsParam>

type Params = typeof MEETINGS_PARAMS
type ParamRow = Params[keyof Params]

/** A parameter of the list, by its name on the BFF's wire. */
export type MeetingsQueryRole = ParamRow['name']
/** The parameters by their names on the BFF's wire, in the order of their table. */
export const MEETINGS_QUERY_ROLES: readonly MeetingsQueryRole[] = Object.values(MEETINGS_PARAMS).map(
  ({ name }) => name,
)

/** The value of a parameter in a program, by its schema. */
export type ParamValue<TSchema extends ParamSchema> = TSchema extends { readonly type: 'integer' }
  ? number
  : TSchema extends { readonly type: 'array' }
    ? readonly string[]
    : TSchema extends { readonly enum: readonly (infer TWord)[] }
      ? TWord
      : string

/** A query of the list as it was read: its values by their names on the BFF's wire. */
export type MeetingsQueryValues = {
  readonly [TRow in ParamRow as TRow['name']]?: ParamValue<TRow['schema']> | undefined
}

/** Whose meetings. Default `all`. */
export type OwnershipFilter = NonNullable<MeetingsQueryValues['ownership']>
/** What the list is sorted by. Default `date`. */
export type SortField = NonNullable<MeetingsQueryValues['sort_by']>
/** Which end of the list comes first. Default `newest`. */
export type SortOrder = NonNullable<MeetingsQueryValues['order']>
