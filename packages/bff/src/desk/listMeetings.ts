import { encodeText } from '@stagepass/contract'
import type { MeetingQuery, MeetingsQuery } from '@stagepass/contract/schemas'
import { userKey } from '../grant/userKey.js'
import type { CheckedMeetings } from '../grant/readGrant.js'
import type { MeetingsQuestion, Page } from '../meetings/createPages.js'
import { isOutsideGrant, narrowFields, narrowQuery, searchOf } from '../meetings/narrowQuery.js'
import type { Caller } from './Caller.js'
import type { MeetingId } from '../meetings/meetingId.js'
import { refuse } from './refuse.js'
import type { Services } from './Services.js'

interface ReadOptions {
  /** Do not use a stored page. */
  readonly noCache: boolean
}

/** Reads a page of the meetings that the grant's credential may see, limited to the grant. */
export async function listMeetings(
  caller: Caller,
  query: MeetingsQuery,
  options: ReadOptions,
  services: Services,
): Promise<Page> {
  const { meetings } = services.settings
  const grant = grantOf(caller)
  if (isOutsideGrant(query, grant)) refuse(caller, 'ownership', 'ownership')
  const { search, ...narrowed } = narrowQuery(query, grant, meetings)
  const path = meetings.wire.listPath + search
  return read(caller, grant, { operation: 'meetings', path, ...narrowed }, options, services)
}

/** Reads one meeting, limited to the grant. */
export async function getMeeting(
  caller: Caller,
  id: MeetingId,
  query: MeetingQuery,
  options: ReadOptions,
  services: Services,
): Promise<Page> {
  const { meetings } = services.settings
  const { wire } = meetings
  const grant = grantOf(caller)
  const { param, narrowed, fields, words, canonical } = narrowFields(query.fields, grant, meetings)
  const search = searchOf([[wire.params.fields, narrowed || words ? param : undefined]])
  const path = wire.meetingPath.replace('{id}', () => encodeText(id)) + search
  const question = { operation: 'meeting', path, canonical: [id, ...canonical], fields, words } as const
  return read(caller, grant, question, options, services)
}

/** Reads the tags for the filter of the list, unchanged from the upstream. */
export async function listTags(caller: Caller, options: ReadOptions, services: Services): Promise<Page> {
  const path = services.settings.meetings.wire.tagsPath
  const question = { operation: 'tags', path, canonical: [], fields: [], words: undefined } as const
  return read(caller, grantOf(caller), question, options, services)
}

const grantOf = (caller: Caller): CheckedMeetings => caller.grant.meetings ?? refuse(caller, 'meetings')

const read = (
  { context, grant: whole, meetingsAccount: account }: Caller,
  grant: CheckedMeetings,
  question: MeetingsQuestion,
  { noCache }: ReadOptions,
  { pages }: Services,
): Promise<Page> => pages.read({ grant, account, user: userKey(whole), context, noCache, ...question })
