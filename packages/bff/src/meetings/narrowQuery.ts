import {
  DEFAULT_MEETING_FIELDS,
  MEETINGS_PARAMS,
  type MeetingsWire,
  type ParamSchema,
} from '@stagepass/contract'
import type { MeetingsQuery } from '@stagepass/contract/schemas'
import { BffError } from '../errors/BffError.js'
import type { MeetingsGrant } from '../settings/Grant.js'

/** The fields of a read, cut to what the grant allows. */
interface NarrowedFields {
  /** The fields of a response beside `id`. */
  readonly fields: readonly string[]
  /** True if these are not the default fields, or were requested by name. */
  readonly narrowed: boolean
  /** Values of `ownership` that a meeting must have to be shown; `undefined`: the grant forces none. */
  readonly words: readonly string[] | undefined
  /** The fields as a parameter for the upstream. */
  readonly param: string
  /** Equal for equal reads, in any spelling. */
  readonly canonical: readonly unknown[]
}

/** A query cut to what the grant allows. */
export interface NarrowedQuery extends Pick<NarrowedFields, 'fields' | 'words' | 'canonical'> {
  /** The query in the names of the upstream's wire. */
  readonly search: string
}

const forcedOwnership = ({ ownership }: MeetingsGrant): 'mine' | 'shared' | undefined =>
  ownership === 'all' ? undefined : ownership

/** Throws a VALIDATION_ERROR for a field that the interface does not have. */
export function narrowFields(
  requested: readonly string[] | undefined,
  grant: MeetingsGrant,
  wire: MeetingsWire,
  fieldNames: ReadonlySet<string>,
): NarrowedFields {
  if (requested && !requested.every((name) => fieldNames.has(name)))
    throw new BffError('VALIDATION_ERROR', { field: 'fields' })
  const wanted = new Set<string>(requested ?? DEFAULT_MEETING_FIELDS)
  wanted.delete('id')
  const fields = [...wanted].filter((name) => grant.fields === undefined || grant.fields.includes(name))
  const forced = forcedOwnership(grant)
  // A forced ownership is checked in each meeting, even if the user may not read the field.
  const names = forced && !fields.includes('ownership') ? [...fields, 'ownership'] : fields
  return {
    fields,
    narrowed: requested !== undefined || fields.length < wanted.size,
    words: forced && wire.ownershipWords[forced],
    // Every meeting has an `id`, so `id` is the parameter for no further field.
    param: names.length === 0 ? 'id' : names.join(','),
    canonical: [fields.toSorted(), forced],
  }
}

/** Cuts a list query to the grant and writes it in the names of the wire. */
export function narrowQuery(
  query: MeetingsQuery,
  grant: MeetingsGrant,
  wire: MeetingsWire,
  fieldNames: ReadonlySet<string>,
): NarrowedQuery {
  const forced = forcedOwnership(grant)
  const ownership = forced ?? query.ownership
  if (forced && query.ownership && query.ownership !== 'all' && query.ownership !== forced)
    throw new BffError('FORBIDDEN', { field: 'ownership' })
  const narrowed = narrowFields(query.fields, grant, wire, fieldNames)
  const asked: MeetingsQuery = { ...query, ownership }
  const sent = {
    ...asked,
    order: query.order && wire.order[query.order],
    fields: narrowed.narrowed ? narrowed.param : undefined,
  }
  // The fields are in `narrowed.canonical`, cut to the grant.
  const meant: MeetingsQuery = { ...asked, fields: undefined }
  const rows = Object.values(MEETINGS_PARAMS)

  return {
    // The text of a list has commas between its items.
    search: searchOf(rows.map(({ name }) => [wire.params[name], sent[name]?.toString()])),
    fields: narrowed.fields,
    words: narrowed.words,
    canonical: [...rows.map(({ name, schema }) => meaningOf(meant[name], schema)), ...narrowed.canonical],
  }
}

/** Equal for values that ask for the same: the default of an omitted one, and the set of a list. */
function meaningOf(value: MeetingsQuery[keyof MeetingsQuery], schema: ParamSchema): unknown {
  if (value === undefined) return 'default' in schema ? schema.default : undefined
  return typeof value === 'object' ? [...new Set(value)].toSorted() : value
}

/** `?a=b&c=d`, percent-encoded: a value of a browser means nothing to a URL parser. */
export function searchOf(params: readonly (readonly [string, string | undefined])[]): string {
  const pairs = params.flatMap(([name, value]) =>
    value === undefined ? [] : [`${encodeURIComponent(name)}=${encodeURIComponent(value)}`],
  )
  return pairs.length === 0 ? '' : `?${pairs.join('&')}`
}
