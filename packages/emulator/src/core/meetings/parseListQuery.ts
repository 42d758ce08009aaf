import { MEETINGS_PARAMS, type MeetingsWire, type SortOrder } from '@stagepass/contract'
import { MeetingQuery, MeetingsQuery } from '@stagepass/contract/schemas'
import { Refused } from '../request/failure.js'
import type { Query } from '../request/http.js'
import { formatMeetingsError } from './formatMeetings.js'

/**
 * Parses the query of the list. The names of the parameters come from `wire`; unknown names are ignored.
 * Throws `Refused`.
 */
export function parseListQuery(
  query: Query,
  wire: MeetingsWire,
  fieldNames: readonly string[],
): MeetingsQuery {
  const given = Object.fromEntries(
    Object.values(MEETINGS_PARAMS).map(({ name }) => [name, query[wire.params[name]]]),
  )
  const order = readDirection(given['order'], wire)
  const parsed = parse(MeetingsQuery, { ...given, order }, wire, fieldNames)
  if ((parsed.limit ?? 0) > wire.maxPageSize)
    throw refuse(`${wire.params.limit}: at most ${wire.maxPageSize}.`)
  return parsed
}

/** Parses `fields`, the only parameter for a single meeting. Throws `Refused`. */
export const parseFields = (
  query: Query,
  wire: MeetingsWire,
  fieldNames: readonly string[],
): readonly string[] | undefined =>
  parse(MeetingQuery, { fields: query[wire.params.fields] }, wire, fieldNames).fields

function parse<TQuery extends Pick<MeetingsQuery, 'fields'>>(
  schema: { safeParse(input: object): { data?: TQuery | undefined; error?: { issues: readonly Issue[] } } },
  given: object,
  { params, fields: hasFields }: MeetingsWire,
  fieldNames: readonly string[],
): TQuery {
  // A service that cannot choose fields sends all of them.
  const { data, error } = schema.safeParse(hasFields ? given : { ...given, fields: fieldNames.join(',') })
  // The names of the wire, such as `page_size`, differ from those of the schema.
  const [issue] = error?.issues ?? []
  const names: Readonly<Record<string, string>> = params
  if (!data) throw refuse(`${names[String(issue?.path[0])]}: ${issue?.message}.`)
  const unknown = data.fields?.find((field) => !fieldNames.includes(field))
  if (unknown === undefined) return data
  throw refuse(`"${unknown}" is not a field. Fields are ${fieldNames.join(', ')}.`)
}

interface Issue {
  readonly path: readonly PropertyKey[]
  readonly message: string
}

/**
 * Returns the sort order for a word of the wire. For an unknown word it returns `null`, which the schema
 * refuses.
 */
function readDirection(
  word: Query[string] | undefined,
  { order }: MeetingsWire,
): SortOrder | null | undefined {
  if (word === undefined) return undefined
  const directions = Object.keys(order) as SortOrder[]
  return directions.find((direction) => order[direction] === word) ?? null
}

const refuse = (reason: string): Refused => new Refused(formatMeetingsError('INVALID_FIELDS', reason))
