import { encodeText, MEETINGS_QUERY_ROLES, SIZES } from '@stagepass/contract'
import { MeetingQuery, MeetingsQuery } from '@stagepass/contract/schemas'
import { BffError } from '../../base/BffError.js'
import type { MeetingsQuestion } from '../../meetings/createPages.js'
import { narrowFields, narrowQuery, searchOf } from '../../meetings/narrowQuery.js'
import { parseRequest } from '../http/parseRequest.js'
import type { MeetingsGrant } from '../../grant/Grant.js'
import type { Route, RouteRequest, RouteResult, Services } from './Route.js'

/** `GET /meetings`: a page of the meetings that the grant's credential may see, limited to the grant. */
export const meetings: Route = {
  name: 'meetings',
  method: 'GET',
  limit: 'meetingsPerMinute',
  path: '/meetings',
  query: MEETINGS_QUERY_ROLES,
  async respond(request, services) {
    const settings = services.settings.meetings
    const query = parseRequest(MeetingsQuery, request.query, 'query')
    return readMeetings(request, services, (grant) => {
      const { search, ...narrowed } = narrowQuery(query, grant, settings)
      return { operation: 'meetings', path: settings.wire.listPath + search, ...narrowed }
    })
  },
}

/** `GET /meetings/:id`: one meeting, limited to the grant. */
export const meeting: Route = {
  name: 'meeting',
  method: 'GET',
  limit: 'meetingsPerMinute',
  path: '/meetings/:id',
  query: ['fields'],
  async respond(request, services) {
    const settings = services.settings.meetings
    const { wire } = settings
    const id = readMeetingId(request.encodedId)
    const query = parseRequest(MeetingQuery, request.query, 'query')
    return readMeetings(request, services, (grant) => {
      const { param, narrowed, fields, words, canonical } = narrowFields(query.fields, grant, settings)
      const search = searchOf([[wire.params.fields, narrowed || words ? param : undefined]])
      const path = wire.meetingPath.replace('{id}', () => encodeText(id)) + search
      return { operation: 'meeting', path, canonical: [id, ...canonical], fields, words }
    })
  },
}

/** `GET /tags`: the tags for the filter of the list, unchanged from the upstream. */
export const tags: Route = {
  name: 'tags',
  method: 'GET',
  limit: 'meetingsPerMinute',
  path: '/tags',
  query: [],
  respond(request, services) {
    const path = services.settings.meetings.wire.tagsPath
    const question = { operation: 'tags', path, canonical: [], fields: [], words: undefined } as const
    return readMeetings(request, services, () => question)
  },
}

/**
 * Checks that the grant allows meetings, limits the read to the grant with `narrow`, and then reads.
 */
async function readMeetings(
  { request, context, grant: { user, meetings: grant } }: RouteRequest,
  services: Services,
  narrow: (grant: MeetingsGrant) => MeetingsQuestion,
): Promise<RouteResult> {
  const emitRefused = (what: 'meetings' | 'ownership') =>
    context.emit?.({ type: 'grant.refused', requestId: context.id, user, what })
  if (!grant) {
    emitRefused('meetings')
    throw new BffError('FORBIDDEN')
  }
  let question: MeetingsQuestion
  try {
    question = narrow(grant)
  } catch (error) {
    if (error instanceof BffError && error.code === 'FORBIDDEN') emitRefused('ownership')
    throw error
  }
  const noCache = /\bno-cache\b/i.test(request.header('cache-control') ?? '')
  return services.pages.read({ grant, user, context, noCache, ...question })
}

/**
 * Returns the decoded id. Throws a VALIDATION_ERROR unless it is one segment of a path, even after further
 * decoding.
 */
function readMeetingId(encoded: string): string {
  let id = '.'
  try {
    id = decodeURIComponent(encoded)
  } catch {
    // The id stays `.`, which is refused below.
  }
  if (id.length > SIZES.meetingId || !isOneSegment(id))
    throw new BffError('VALIDATION_ERROR', { field: 'id', seen: { cause: 'id' } })
  return id
}

/**
 * Matches a character that ends a segment or the path, a control character, or a dot segment with or without
 * a parameter.
 */
const NOT_IN_A_SEGMENT = /[/\\?#\p{Cc}]|^\.\.?(?:;|$)/u

/**
 * The id is sent percent-encoded. But each proxy in front of the service may decode the path before it
 * forwards the request. `..%2Fusers` would become a different path, and the request has the credential.
 */
function isOneSegment(id: string): boolean {
  if (NOT_IN_A_SEGMENT.test(id)) return false
  const decoded = id.replaceAll(/%([0-7][\da-f])/gi, (_, hex: string) =>
    String.fromCharCode(Number.parseInt(hex, 16)),
  )
  return decoded === id || isOneSegment(decoded)
}
