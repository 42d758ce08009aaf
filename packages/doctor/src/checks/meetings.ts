import {
  type MeetingRow,
  type MeetingsPage,
  type MeetingsQueryRole,
  type MeetingsWire,
  readMeeting,
  readMeetingsPage,
  readTags,
  encodeText,
} from '@stagepass/contract'
import type { HttpResponse } from '../net/createSend.js'
import { shownAddress } from '../net/explainFailure.js'
import {
  CheckEnded,
  contradicted,
  fail,
  notProvable,
  ok,
  type Outcome,
  proven,
  skipped,
} from '../report/Result.js'
import { shapeOf } from '../report/shapeOf.js'
import { below } from '../settings/readVariables.js'
import type { ServiceSettings } from '../settings/Settings.js'
import type { Run } from './Check.js'
import { strangeResponse, TROUBLE } from './service.js'

/** Parameters of the list by their roles. */
type Params = Readonly<Partial<Record<MeetingsQueryRole, string>>>
export type Rows = readonly MeetingRow[]

/** The parts that the checks of the meetings interface share. */
export interface MeetingsContext extends Run {
  readonly settings: ServiceSettings
  readonly wire: MeetingsWire
  /** Responses by address, because several checks use the same response. */
  readonly responses: Map<string, Promise<HttpResponse>>
}

/** Sends a GET below the meetings base. */
function ask(context: MeetingsContext, path: string, params: Params = {}): Promise<HttpResponse> {
  const { settings, wire, responses, send } = context
  const url = below(settings.meetingsUrl, path)
  // Encoded as in the BFF.
  url.search = (Object.keys(params) as MeetingsQueryRole[])
    .map((role) => [wire.params[role], params[role] ?? ''].map(encodeText).join('='))
    .join('&')
  const headers = { authorization: `Bearer ${settings.meetingsToken}` }
  const response = responses.get(url.href) ?? send({ url, headers })
  responses.set(url.href, response)
  return response
}

export interface Page extends MeetingsPage {
  /** The status of a refusal, which contains no meetings. */
  readonly refusedBy?: number | undefined
}

/** Reads a page of the list. Ends the check if the response says nothing about the parameters. */
export async function askForList(context: MeetingsContext, params: Params = {}): Promise<Page> {
  const response = await ask(context, context.wire.listPath, params)
  const { status } = response
  if (status >= 400 && status < 500 && status !== 429)
    return { rows: [], cursor: null, total: undefined, unreadable: [], refusedBy: status }
  const page = status === 200 ? readMeetingsPage(response.json, context.wire) : undefined
  if (page) return page
  const asked = Object.keys(params).join(' and ')
  throw new CheckEnded(
    notProvable(`With ${asked} the service answered ${status}.`, 'Run the doctor again later.'),
  )
}

/** Most proofs need several different meetings. */
export const MORE =
  'Use the credential of a person with more meetings, with different days, lengths and tags.'

/**
 * Checks that the meetings interface answers and accepts the credential. (Assumptions: "Meetings address",
 * "Meetings credential".)
 */
export async function meetings(context: MeetingsContext): Promise<Outcome> {
  const { settings, wire } = context
  if (settings.meetingsToken === undefined)
    return skipped(
      'Not checked, because VOICE_MEETINGS_TOKEN is not set.',
      'Set VOICE_MEETINGS_TOKEN. If the meetings have a different address than the tokens, also set VOICE_MEETINGS_URL.',
    )
  const { status } = await ask(context, wire.listPath)
  const seen = `${shownAddress(settings.meetingsUrl)} answers`
  if (status === 429)
    return fail(`${seen} 429.`, 'Run the doctor again when no other program reads meetings.')
  if (status >= 500) return fail(`${seen} ${status}.`, TROUBLE)
  if (status !== 401 && status !== 403) return ok(`${seen}.`)
  return fail(
    `${seen} ${status}: the credential or the address is wrong.`,
    'Check VOICE_MEETINGS_TOKEN. It must be a personal key with permission to read, and not the API key. Check VOICE_MEETINGS_URL, and listPath in the file of --wire.',
  )
}

/** Proves a path and a place in its response together, by the content of the response. */
function prove(
  { wire }: MeetingsContext,
  path: 'listPath' | 'meetingPath' | 'tagsPath',
  place: 'items' | 'meeting' | 'tags',
  what: string,
  isThere: boolean,
  response: HttpResponse,
): Outcome {
  const { status, json } = response
  const seen = wire[path]
  if (status === 429 || status >= 500) return notProvable(`${seen} answers ${status}.`, TROUBLE)
  if (status !== 200 || json === undefined)
    return contradicted(
      `${seen} ${strangeResponse(response) ?? `answers ${status}`}.`,
      `Ask the service for this path, and set ${path}. Also check VOICE_MEETINGS_URL. It often has a different host than the tokens, and often ends in /v1.`,
    )
  const where = wire[place] === '' ? 'the whole response' : `"${wire[place]}"`
  if (isThere) return proven(`${seen} answers with ${what}: ${where}.`)
  return contradicted(
    `${seen}: ${where} is not ${what}. The response is ${shapeOf(json)}.`,
    `Set ${place} to its place in this response, and the other places in the same way.`,
  )
}

export async function list(context: MeetingsContext): Promise<Outcome> {
  const response = await ask(context, context.wire.listPath)
  const page = readMeetingsPage(response.json, context.wire)
  // A list of something else has no row with an id.
  const odd = page?.unreadable.map(({ field }) => field) ?? []
  const isThere = page && !odd.includes('next_cursor') && (page.rows.length > 0 || !odd.includes('id'))
  return prove(context, 'listPath', 'items', 'a list of meetings with ids', isThere === true, response)
}

export async function tags(context: MeetingsContext): Promise<Outcome> {
  const response = await ask(context, context.wire.tagsPath)
  const isThere = readTags(response.json, context.wire) !== undefined
  return prove(context, 'tagsPath', 'tags', 'a list of tags', isThere, response)
}

/** Checks one meeting, the first of the list. (Assumptions: "One meeting".) */
export async function meeting(context: MeetingsContext): Promise<Outcome> {
  const [first] = (await askForList(context)).rows
  if (!first) return notProvable('There is no meeting.', MORE)
  const path = context.wire.meetingPath.replace('{id}', () => encodeText(first.id))
  const response = await ask(context, path)
  const isThere = readMeeting(response.json, context.wire)?.row.id === first.id
  return prove(context, 'meetingPath', 'meeting', 'the requested meeting', isThere, response)
}

/** The form of a page, for a message that it differs from the wire. */
export async function shapeOfPage(context: MeetingsContext, params: Params): Promise<string> {
  return shapeOf((await ask(context, context.wire.listPath, params)).json)
}
