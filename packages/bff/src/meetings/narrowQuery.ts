import { DEFAULT_MEETING_FIELDS, MEETINGS_PARAMS, type ParamSchema, encodeText } from '@stagepass/contract'
import type { MeetingsQuery } from '@stagepass/contract/schemas'
import { invalidValue } from '../base/invalidValue.js'
import type { MeetingsGrant } from '../grant/Grant.js'
import type { Settings } from '../settings/readOptions.js'

/** A query, or only its fields, limited to the grant. */
interface Narrowed {
  /** The fields of a meeting in the response, in addition to `id`. */
  readonly fields: readonly string[]
  /**
   * Only meetings with one of these values of `ownership` are shown. `undefined`: the grant forces no
   * ownership.
   */
  readonly words: readonly string[] | undefined
  /** Equal for equal reads, however they are written. */
  readonly canonical: readonly unknown[]
}

const ROWS = Object.values(MEETINGS_PARAMS)

type Interface = Pick<Settings['meetings'], 'wire' | 'fieldNames'>

const forcedOwnership = ({ ownership }: MeetingsGrant): 'mine' | 'shared' | undefined =>
  ownership === 'all' ? undefined : ownership

/** True for a list that is outside of the grant's meetings: the query and the grant name different ones. */
export function isOutsideGrant({ ownership }: MeetingsQuery, grant: MeetingsGrant): boolean {
  const forced = forcedOwnership(grant)
  return forced !== undefined && ownership !== undefined && ownership !== 'all' && ownership !== forced
}

/**
 * Limits the fields to the grant. `param`: the fields as a parameter for the upstream, if it can choose them.
 * `narrowed`: the fields differ from the default, or were requested by name. Throws a VALIDATION_ERROR for an
 * unknown field.
 */
export function narrowFields(
  requested: readonly string[] | undefined,
  grant: MeetingsGrant,
  { wire, fieldNames }: Interface,
): Narrowed & { readonly param: string | undefined; readonly narrowed: boolean } {
  const unknown = requested?.find((name) => !fieldNames.has(name))
  if (unknown !== undefined) {
    // Without digits, as in `nameable`: it may be a token in the wrong place.
    const got = /^[a-z_.-]{1,32}$/i.test(unknown) ? ` It is \`${unknown}\`.` : ''
    throw invalidValue('fields', got)
  }
  const wanted = new Set<string>(requested ?? (wire.fields ? DEFAULT_MEETING_FIELDS : fieldNames))
  wanted.delete('id')
  const fields = [...wanted].filter((name) => grant.fields === undefined || grant.fields.includes(name))
  const forced = forcedOwnership(grant)
  // A forced ownership is checked in each meeting, even if the user may not see the field.
  const names = forced && !fields.includes('ownership') ? [...fields, 'ownership'] : fields
  return {
    fields,
    words: forced && wire.ownershipWords[forced],
    canonical: [fields.toSorted(), forced],
    // Every meeting has an `id`, so the parameter `id` requests no other field.
    param: wire.fields ? names.join(',') || 'id' : undefined,
    narrowed: requested !== undefined || fields.length < wanted.size,
  }
}

/**
 * Limits a list query to the grant, whose ownership replaces the one of the query. `search` is the query with
 * the names of the wire.
 */
export function narrowQuery(
  query: MeetingsQuery,
  grant: MeetingsGrant,
  settings: Interface,
): Narrowed & { readonly search: string } {
  const { wire } = settings
  const forced = forcedOwnership(grant)
  const { param, narrowed, fields, words, canonical } = narrowFields(query.fields, grant, settings)
  // Without the fields: `canonical` contains them, limited to the grant.
  const meant: MeetingsQuery = { ...query, ownership: forced ?? query.ownership, fields: undefined }
  const sent = {
    ...meant,
    limit: query.limit && Math.min(query.limit, wire.maxPageSize),
    order: query.order && wire.order[query.order],
    fields: narrowed ? param : undefined,
  }
  return {
    fields,
    words,
    // `toString` of a list separates the items by commas.
    search: searchOf(ROWS.map(({ name }) => [wire.params[name], sent[name]?.toString()])),
    canonical: [...ROWS.map(({ name, schema }) => meaningOf(meant[name], schema)), ...canonical],
  }
}

/**
 * Returns equal results for values with the same meaning. A missing value becomes the default, and a list
 * becomes a sorted set.
 */
function meaningOf(value: MeetingsQuery[keyof MeetingsQuery], schema: ParamSchema): unknown {
  if (value === undefined) return 'default' in schema ? schema.default : undefined
  return typeof value === 'object' ? [...new Set(value)].toSorted() : value
}

/** Returns `?a=b&c=d`, percent-encoded, so that a value of a browser cannot change the URL. */
export function searchOf(params: readonly (readonly [string, string | undefined])[]): string {
  const pairs = params.flatMap(([name, value]) =>
    value === undefined ? [] : [`${encodeText(name)}=${encodeText(value)}`],
  )
  return pairs.length === 0 ? '' : `?${pairs.join('&')}`
}
