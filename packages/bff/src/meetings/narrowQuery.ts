import {
  DEFAULT_MEETING_FIELDS,
  MEETINGS_DEFAULTS,
  type MeetingsWire,
  type OwnershipFilter,
  PAGE_SIZE,
} from '@stagepass/contract'
import type { MeetingsQuery } from '@stagepass/contract/schemas'
import { BffError } from '../context/BffError.js'
import type { MeetingsGrant } from '../settings/Grant.js'

/** A query cut to what the grant allows. */
export interface NarrowedQuery {
  /** The query in the names of the upstream's wire. */
  readonly search: string
  /** The fields of a response beside `id`. */
  readonly fields: readonly string[]
  /** The ownership that the grant forces, or `undefined`. */
  readonly forced: 'mine' | 'shared' | undefined
  /** Equal for equal queries, in any spelling. */
  readonly canonical: readonly unknown[]
}

/** Throws a VALIDATION_ERROR for a field that the interface does not have. */
export function narrowFields(
  asked: readonly string[] | undefined,
  grant: MeetingsGrant,
  fieldNames: ReadonlySet<string>,
): { fields: readonly string[]; narrowed: boolean } {
  if (asked && !asked.every((name) => fieldNames.has(name)))
    throw new BffError('VALIDATION_ERROR', { field: 'fields' })
  const wanted = new Set<string>(asked ?? DEFAULT_MEETING_FIELDS)
  wanted.delete('id')
  const granted = grant.fields
  const fields = [...wanted].filter((name) => granted === undefined || granted.includes(name))
  return { fields, narrowed: asked !== undefined || fields.length < wanted.size }
}

/** Every meeting has an `id`, so `id` is the parameter for no further field. */
export const fieldsParam = (fields: readonly string[]): string =>
  fields.length === 0 ? 'id' : fields.join(',')

export const forcedOwnership = (grant: MeetingsGrant): 'mine' | 'shared' | undefined =>
  grant.ownership === 'all' ? undefined : grant.ownership

/** The fields to request: a forced ownership needs the field `ownership`, even if the user may not read it. */
export const askedFields = (
  fields: readonly string[],
  forced: 'mine' | 'shared' | undefined,
): readonly string[] =>
  forced === undefined || fields.includes('ownership') ? fields : [...fields, 'ownership']

function narrowOwnership(
  asked: OwnershipFilter | undefined,
  forced: 'mine' | 'shared' | undefined,
): OwnershipFilter | undefined {
  if (forced === undefined) return asked
  if (asked !== undefined && asked !== 'all' && asked !== forced)
    throw new BffError('FORBIDDEN', { field: 'ownership' })
  return forced
}

/** Cuts a list query to the grant and writes it in the names of the wire. */
export function narrowQuery(
  query: MeetingsQuery,
  grant: MeetingsGrant,
  wire: MeetingsWire,
  fieldNames: ReadonlySet<string>,
): NarrowedQuery {
  const forced = forcedOwnership(grant)
  const ownership = narrowOwnership(query.ownership, forced)
  const { fields, narrowed } = narrowFields(query.fields, grant, fieldNames)
  const { limit, cursor, sort_by, order, q, from, to, tags } = query

  const params = {
    limit: limit?.toString(),
    cursor,
    ownership,
    sort_by,
    order: order && wire.order[order],
    q,
    from,
    to,
    tags: tags?.join(','),
    fields: narrowed ? fieldsParam(askedFields(fields, forced)) : undefined,
  } satisfies Record<keyof MeetingsWire['params'], string | undefined>

  return {
    search: searchOf(
      Object.entries(params).map(([role, value]) => [wire.params[role as keyof typeof params], value]),
    ),
    fields,
    forced,
    canonical: [
      limit ?? PAGE_SIZE.default,
      cursor,
      ownership ?? MEETINGS_DEFAULTS.ownership,
      sort_by ?? MEETINGS_DEFAULTS.sort_by,
      order ?? MEETINGS_DEFAULTS.order,
      q,
      from,
      to,
      tags && [...new Set(tags)].toSorted(),
      fields.toSorted(),
      forced,
    ],
  }
}

/** `?a=b&c=d`, percent-encoded: a value of a browser means nothing to a URL parser. */
export function searchOf(params: readonly (readonly [string, string | undefined])[]): string {
  const pairs = params.flatMap(([name, value]) =>
    value === undefined ? [] : [`${encodeURIComponent(name)}=${encodeURIComponent(value)}`],
  )
  return pairs.length === 0 ? '' : `?${pairs.join('&')}`
}
