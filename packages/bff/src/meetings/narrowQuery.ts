import {
  DEFAULT_MEETING_FIELDS,
  MEETINGS_DEFAULTS,
  MEETINGS_QUERY_ROLES,
  type MeetingsQueryRole,
  type MeetingsWire,
  type OwnershipFilter,
  PAGE_SIZE,
} from '@stagepass/contract'
import type { MeetingsQuery } from '@stagepass/contract/schemas'
import { BffError } from '../context/BffError.js'
import type { MeetingsGrant } from '../settings/Grant.js'

/** The fields of a read, cut to what the grant allows. */
interface NarrowedFields {
  /** The fields of a response beside `id`. */
  readonly fields: readonly string[]
  /** True if these are not the default fields, or were requested by name. */
  readonly narrowed: boolean
  /** The ownership that the grant forces, or `undefined`. */
  readonly forcedOwnership: 'mine' | 'shared' | undefined
  /** The fields as a parameter for the upstream. */
  readonly param: string
}

/** What a query means that says nothing of a role. */
const DEFAULTS: Partial<Record<MeetingsQueryRole, unknown>> = {
  ...MEETINGS_DEFAULTS,
  limit: PAGE_SIZE.default,
}

/** A query cut to what the grant allows. */
export interface NarrowedQuery extends Pick<NarrowedFields, 'fields' | 'forcedOwnership'> {
  /** The query in the names of the upstream's wire. */
  readonly search: string
  /** Equal for equal queries, in any spelling. */
  readonly canonical: readonly unknown[]
}

/** Throws a VALIDATION_ERROR for a field that the interface does not have. */
export function narrowFields(
  requested: readonly string[] | undefined,
  grant: MeetingsGrant,
  fieldNames: ReadonlySet<string>,
): NarrowedFields {
  if (requested && !requested.every((name) => fieldNames.has(name)))
    throw new BffError('VALIDATION_ERROR', { field: 'fields' })
  const wanted = new Set<string>(requested ?? DEFAULT_MEETING_FIELDS)
  wanted.delete('id')
  const fields = [...wanted].filter((name) => grant.fields === undefined || grant.fields.includes(name))
  const forcedOwnership = grant.ownership === 'all' ? undefined : grant.ownership
  // A forced ownership is checked in each meeting, even if the user may not read the field.
  const isMissing = forcedOwnership !== undefined && !fields.includes('ownership')
  const names = isMissing ? [...fields, 'ownership'] : fields
  return {
    fields,
    narrowed: requested !== undefined || fields.length < wanted.size,
    forcedOwnership,
    // Every meeting has an `id`, so `id` is the parameter for no further field.
    param: names.length === 0 ? 'id' : names.join(','),
  }
}

function narrowOwnership(
  requested: OwnershipFilter | undefined,
  { ownership: granted }: MeetingsGrant,
): OwnershipFilter | undefined {
  if (granted === undefined || granted === 'all') return requested
  if (requested !== undefined && requested !== 'all' && requested !== granted)
    throw new BffError('FORBIDDEN', { field: 'ownership' })
  return granted
}

/** Cuts a list query to the grant and writes it in the names of the wire. */
export function narrowQuery(
  query: MeetingsQuery,
  grant: MeetingsGrant,
  wire: MeetingsWire,
  fieldNames: ReadonlySet<string>,
): NarrowedQuery {
  const ownership = narrowOwnership(query.ownership, grant)
  const { fields, narrowed, forcedOwnership, param } = narrowFields(query.fields, grant, fieldNames)
  const { limit, order, tags } = query
  const asked: MeetingsQuery = { ...query, ownership }

  // What is not named here is a text, and goes to the service as it was given.
  const params: Partial<Record<MeetingsQueryRole, string | undefined>> = {
    ...asked,
    limit: limit?.toString(),
    order: order && wire.order[order],
    tags: tags?.join(','),
    fields: narrowed ? param : undefined,
  }
  const sets = { tags: tags && [...new Set(tags)].toSorted(), fields: fields.toSorted() }
  const canonical: Readonly<Record<string, unknown>> = { ...asked, ...sets }

  return {
    search: searchOf(MEETINGS_QUERY_ROLES.map((role) => [wire.params[role], params[role]])),
    fields,
    forcedOwnership,
    canonical: [...MEETINGS_QUERY_ROLES.map((role) => canonical[role] ?? DEFAULTS[role]), forcedOwnership],
  }
}

/** `?a=b&c=d`, percent-encoded: a value of a browser means nothing to a URL parser. */
export function searchOf(params: readonly (readonly [string, string | undefined])[]): string {
  const pairs = params.flatMap(([name, value]) =>
    value === undefined ? [] : [`${encodeURIComponent(name)}=${encodeURIComponent(value)}`],
  )
  return pairs.length === 0 ? '' : `?${pairs.join('&')}`
}
