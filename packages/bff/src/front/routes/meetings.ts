import { MEETINGS_QUERY_ROLES } from '@stagepass/contract'
import { MeetingQuery, MeetingsQuery } from '@stagepass/contract/schemas'
import { meetingId } from '../../meetings/meetingId.js'
import { getMeeting, listMeetings, listTags } from '../../desk/listMeetings.js'
import type { IncomingRequest } from '../http/IncomingRequest.js'
import { parseRequest } from '../../desk/parseRequest.js'
import type { Route } from './Route.js'

/** `GET /meetings`: a page of the meetings that the user may see. */
export const meetings: Route = {
  query: MEETINGS_QUERY_ROLES,
  async respond({ request, caller, query }, services) {
    const wanted = parseRequest(MeetingsQuery, query, 'query')
    return listMeetings(caller, wanted, optionsOf(request), services)
  },
}

/** `GET /meetings/:id`: one meeting. */
export const meeting: Route = {
  query: ['fields'],
  async respond({ request, caller, query, encodedId }, services) {
    const id = meetingId(decode(encodedId))
    const wanted = parseRequest(MeetingQuery, query, 'query')
    return getMeeting(caller, id, wanted, optionsOf(request), services)
  },
}

/** `GET /tags`: the tags for the filter of the list. */
export const tags: Route = {
  query: [],
  respond: ({ request, caller }, services) => listTags(caller, optionsOf(request), services),
}

const optionsOf = (request: Pick<IncomingRequest, 'header'>) => ({
  noCache: /\bno-cache\b/i.test(request.header('cache-control') ?? ''),
})

/** A text with an invalid escape becomes `.`, which is no id. */
function decode(encoded: string): string {
  try {
    return decodeURIComponent(encoded)
  } catch {
    return '.'
  }
}
