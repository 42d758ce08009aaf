import {
  ASSUMED_MEETINGS_WIRE,
  DEFAULT_MEETING_FIELDS,
  MAX_MEETING_ID_LENGTH,
  MEETING_FIELDS,
  MEETINGS_QUERY_ROLES,
  type MeetingsWire,
} from '@stagepass/contract'
import { MeetingQuery, MeetingsQuery } from '@stagepass/contract/schemas'
import type { PageRequest } from '../wire/PageRequest.js'
import { askService, isRecord, type Service } from './askService.js'
import { Problem } from './Problem.js'
import { parseWith, readQuery } from './readPageRequest.js'

export interface MeetingsReader {
  /** `GET /meetings` */
  list(request: PageRequest, credential: string): Promise<object>
  /** `GET /meetings/:id` */
  one(request: PageRequest, credential: string, encodedId: string): Promise<object>
  /** `GET /tags` */
  tags(request: PageRequest, credential: string): Promise<object>
}

/** The meetings routes of the BFF, for users who may see all that their credential shows. */
export function createMeetingsReader(
  service: Service,
  givenWire: Partial<MeetingsWire> | undefined,
): MeetingsReader {
  const wire = { ...ASSUMED_MEETINGS_WIRE, ...givenWire }
  const names = new Set<string>(['id', ...MEETING_FIELDS, ...wire.extraFields])

  async function get({ signal }: PageRequest, credential: string, path: string): Promise<unknown> {
    const { body } = await askService(service, {
      surface: 'meetings',
      url: service.meetingsUrl + path,
      authorization: `Bearer ${credential}`,
      field: 'fields',
      signal,
    })
    return body
  }

  /** The fields of a response beside `id`. */
  function fieldsOf(requested: readonly string[] | undefined): readonly string[] {
    if (requested?.some((name) => !names.has(name)))
      throw new Problem('VALIDATION_ERROR', { field: 'fields' })
    return [...new Set<string>(requested ?? DEFAULT_MEETING_FIELDS)].filter((name) => name !== 'id')
  }

  return {
    async list(request, credential) {
      const query = parseWith(MeetingsQuery, readQuery(request, MEETINGS_QUERY_ROLES), 'query')
      const fields = fieldsOf(query.fields)
      const { limit, order, tags } = query
      const values: Partial<Record<keyof MeetingsQuery, string | undefined>> = {
        ...query,
        limit: limit?.toString(),
        order: order && wire.order[order],
        tags: tags?.join(','),
        fields: query.fields && paramOf(fields),
      }
      const search = searchOf(MEETINGS_QUERY_ROLES.map((role) => [wire.params[role], values[role]]))
      const body = await get(request, credential, wire.listPath + search)
      const rows = isRecord(body) ? body[wire.items] : undefined
      if (!isRecord(body) || !Array.isArray(rows)) throw new Problem('UPSTREAM_MALFORMED')
      const { total, next_cursor } = body
      return {
        meetings: rows.map((row) => pick(row, fields)),
        next_cursor: typeof next_cursor === 'string' && next_cursor !== '' ? next_cursor : null,
        ...(typeof total === 'number' && { total }),
      }
    },

    async one(request, credential, encodedId) {
      const id = readId(encodedId)
      const query = parseWith(MeetingQuery, readQuery(request, ['fields']), 'query')
      const fields = fieldsOf(query.fields)
      const search = searchOf([[wire.params.fields, query.fields && paramOf(fields)]])
      const path = wire.meetingPath.replace('{id}', () => encodeURIComponent(id))
      return pick(await get(request, credential, path + search), fields)
    },

    async tags(request, credential) {
      readQuery(request, [])
      const body = await get(request, credential, wire.tagsPath)
      const tags = isRecord(body) ? body['tags'] : body
      if (!Array.isArray(tags)) throw new Problem('UPSTREAM_MALFORMED')
      return { tags }
    },
  }
}

const paramOf = (fields: readonly string[]): string => (fields.length === 0 ? 'id' : fields.join(','))

function searchOf(params: readonly (readonly [string, string | undefined])[]): string {
  const pairs = params.flatMap(([name, value]) =>
    value === undefined ? [] : [`${encodeURIComponent(name)}=${encodeURIComponent(value)}`],
  )
  return pairs.length === 0 ? '' : `?${pairs.join('&')}`
}

/** `id` and those of the fields that the meeting has. */
function pick(row: unknown, fields: readonly string[]): object {
  if (!isRecord(row) || typeof row['id'] !== 'string') throw new Problem('UPSTREAM_MALFORMED')
  return Object.fromEntries(
    ['id', ...fields].flatMap((name) => (Object.hasOwn(row, name) ? [[name, row[name]]] : [])),
  )
}

function readId(encoded: string): string {
  let id = '.'
  try {
    id = decodeURIComponent(encoded)
  } catch {
    // It stays one that is refused.
  }
  if (id.length > MAX_MEETING_ID_LENGTH || !isOneSegment(id))
    throw new Problem('VALIDATION_ERROR', { field: 'id' })
  return id
}

/** As the BFF decides: one segment of a path, also after further decoding. */
function isOneSegment(id: string): boolean {
  if (/[/\\?#\p{Cc}]|^\.\.?(?:;|$)/u.test(id)) return false
  const decoded = id.replaceAll(/%([0-7][\da-f])/gi, (_, hex: string) =>
    String.fromCharCode(Number.parseInt(hex, 16)),
  )
  return decoded === id || isOneSegment(decoded)
}
