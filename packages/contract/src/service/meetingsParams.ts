/*
 * What a parameter may be, in the words of JSON Schema. Lengths are in UTF-16 units. (Assumptions:
 * "Lengths".)
 */
const integer = (minimum: number, maximum: number, usual: number) =>
  ({ type: 'integer', minimum, maximum, default: usual }) as const
/** An empty text is no text, unless `minLength` refuses it. */
const text = (maxLength: number, minLength = 0) => ({ type: 'string', minLength, maxLength }) as const
/** The first word is the default. */
const oneOf = <TFirst extends string, const TRest extends readonly string[]>(first: TFirst, ...rest: TRest) =>
  ({ type: 'string', enum: [first, ...rest], default: first }) as const
/** With commas between its items. */
const list = (maxItems: number, maxLength: number) =>
  ({ type: 'array', items: { type: 'string', minLength: 1, maxLength }, maxItems }) as const
/** ISO 8601 with its offset, or a date. */
const TIME = { type: 'string', anyOf: [{ format: 'date-time' }, { format: 'date' }] } as const

/** The values that a parameter may have, in the words of JSON Schema. */
export type ParamSchema =
  | ReturnType<typeof integer | typeof text | typeof list>
  | { readonly type: 'string'; readonly enum: readonly string[]; readonly default: string }
  | typeof TIME

/**
 * A parameter of the list. Its key in `MEETINGS_PARAMS` is the filter of the hooks. The comment above it is
 * its documentation.
 */
interface MeetingsParam {
  /** Name on the BFF's own wire, and of the role in `MeetingsWire.params`. */
  readonly name: string
  readonly schema: ParamSchema
  /** How sure it is that the service has the same name for it. (Assumptions: "Meetings wire".) */
  readonly confidence: 'high' | 'medium'
  /** A value that changes most lists. The doctor asks for it, unless it has a better one. */
  readonly example: string
}

/**
 * The parameters of the list, a row for each. From it come the BFF's and the emulator's parser, the filters
 * of the hooks, the default `MeetingsWire.params`, the questions of the doctor, `docs/openapi.yaml` and the
 * tables in the documentation (`npx tsx scripts/params.ts`). (Contract: "Query parameters".)
 */
export const MEETINGS_PARAMS = {
  /** Meetings per page. */
  pageSize: { name: 'limit', schema: integer(1, 100, 20), confidence: 'high', example: '3' },
  /** `next_cursor` of the page before. */
  cursor: { name: 'cursor', schema: text(1_024, 1), confidence: 'high', example: 'eyJpZCI6MX0' },
  /** Owned and shared (`all`), owned only (`mine`), shared with the key holder only (`shared`). */
  ownership: {
    name: 'ownership',
    schema: oneOf('all', 'mine', 'shared'),
    confidence: 'medium',
    example: 'shared',
  },
  /** Created date (`date`), `duration`, last updated (`last_modified`). */
  sortBy: {
    name: 'sort_by',
    schema: oneOf('date', 'duration', 'last_modified'),
    confidence: 'high',
    example: 'duration',
  },
  /** Which end comes first. */
  order: { name: 'order', schema: oneOf('newest', 'oldest'), confidence: 'high', example: 'oldest' },
  /** Full text over titles, notes and participants. Transcripts are not searched. */
  search: { name: 'q', schema: text(500), confidence: 'medium', example: 'roadmap' },
  /** Meetings at this time or later. */
  from: { name: 'from', schema: TIME, confidence: 'high', example: '2100-01-01T00:00:00Z' },
  /** Meetings at this time or earlier. */
  to: { name: 'to', schema: TIME, confidence: 'high', example: '2000-01-01T00:00:00Z' },
  /** Meetings with one of these tags, by their identifiers. */
  tags: { name: 'tags', schema: list(50, 128), confidence: 'medium', example: 'tag-sales' },
  /**
   * Fields of each meeting. `id` is always there. If it is left out, all but `participants`. (Contract:
   * "Meeting".)
   */
  fields: { name: 'fields', schema: list(64, 64), confidence: 'high', example: 'title' },
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
