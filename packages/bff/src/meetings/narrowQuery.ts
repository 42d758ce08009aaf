import { DEFAULT_MEETING_FIELDS, MEETINGS_PARAMS, type ParamSchema } from '@stagepass/contract'
import type { MeetingsQuery } from '@stagepass/contract/schemas'
import { BffError } from '../errors/BffError.js'
import type { MeetingsGrant } from '../settings/Grant.js'
import type { Settings } from '../settings/readOptions.js'

/** A query, or its fields alone, cut to what the grant allows. */
interface Narrowed {
  /** The fields of a response beside `id`. */
  readonly fields: readonly string[]
  /** Values of `ownership` that a meeting must have to be shown; `undefined`: the grant forces none. */
  readonly words: readonly string[] | undefined
  /** Equal for equal reads, in any spelling. */
  readonly canonical: readonly unknown[]
}

type Interface = Pick<Settings['meetings'], 'wire' | 'fieldNames'>

const forcedOwnership = ({ ownership }: MeetingsGrant): 'mine' | 'shared' | undefined =>
  ownership === 'all' ? undefined : ownership

/**
 * `param`: the fields as a parameter for the upstream. `narrowed`: they are not the default ones, or were
 * requested by name. Throws a VALIDATION_ERROR for a field that the interface does not have.
 */
export function narrowFields(
  requested: readonly string[] | undefined,
  grant: MeetingsGrant,
  { wire, fieldNames }: Interface,
): Narrowed & { readonly param: string; readonly narrowed: boolean } {
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
    words: forced && wire.ownershipWords[forced],
    canonical: [fields.toSorted(), forced],
    // Every meeting has an `id`, so `id` is the parameter for no further field.
    param: names.join(',') || 'id',
    narrowed: requested !== undefined || fields.length < wanted.size,
  }
}

/** Cuts a list query to the grant. `search` is the query in the names of the wire. */
export function narrowQuery(
  query: MeetingsQuery,
  grant: MeetingsGrant,
  settings: Interface,
): Narrowed & { readonly search: string } {
  const { wire } = settings
  const forced = forcedOwnership(grant)
  if (forced && query.ownership && query.ownership !== 'all' && query.ownership !== forced)
    throw new BffError('FORBIDDEN', { field: 'ownership' })
  const { param, narrowed, fields, words, canonical } = narrowFields(query.fields, grant, settings)
  // The fields are in `canonical`, cut to the grant.
  const meant: MeetingsQuery = { ...query, ownership: forced ?? query.ownership, fields: undefined }
  const sent = {
    ...meant,
    order: query.order && wire.order[query.order],
    fields: narrowed ? param : undefined,
  }
  const rows = Object.values(MEETINGS_PARAMS)
  return {
    fields,
    words,
    // The text of a list has commas between its items.
    search: searchOf(rows.map(({ name }) => [wire.params[name], sent[name]?.toString()])),
    canonical: [...rows.map(({ name, schema }) => meaningOf(meant[name], schema)), ...canonical],
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
