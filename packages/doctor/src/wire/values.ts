import {
  type MeetingsPage,
  type MeetingsWire,
  readMeeting,
  readMeetingsPage,
  readTags,
} from '@stagepass/contract'
import { strangeResponse, timed, TROUBLE } from '../checks/wording.js'
import type { HttpResponse } from '../net/createHttp.js'
import { shownAddress } from '../net/explainFailure.js'
import {
  CheckEnded,
  contradicted,
  fail,
  notProvable,
  type Outcome,
  proven,
  skipped,
} from '../report/Result.js'
import { haveCommon, MORE, type Params, type WireContext } from './WireContext.js'

/**
 * Does the meetings interface answer, and does it take the credential? (Assumptions: "Meetings address",
 * "Meetings credential".)
 */
export async function meetings({ settings, wire, limits, ask }: WireContext): Promise<Outcome> {
  if (settings.meetingsToken === undefined)
    return skipped(
      'Not checked, because VOICE_MEETINGS_TOKEN is not set.',
      'Set VOICE_MEETINGS_TOKEN, and VOICE_MEETINGS_URL if the meetings are at another address than the tokens.',
    )
  const { status, tookMs } = await ask(wire.listPath)
  const seen = `${shownAddress(settings.meetingsUrl)} answers`
  if (status === 429) return fail(`${seen} 429.`, 'Run it again when no other program reads meetings.')
  if (status >= 500) return fail(`${seen} ${status}.`, TROUBLE)
  if (status !== 401 && status !== 403) return timed(seen, tookMs, limits.slowMs)
  // A gateway can refuse a path that it does not know in the same way.
  const nowhere = await ask('/stagepass-doctor-no-such-path')
  const isEverywhere = nowhere.status === status
  const what = isEverywhere ? 'to every path: the credential or the address is wrong' : 'to the credential'
  return fail(
    `${seen} ${status} ${what}.`,
    'Check VOICE_MEETINGS_TOKEN: it is a key of one person with permission to read, and not the API key. Check VOICE_MEETINGS_URL, and listPath in the file of --wire.',
  )
}

type Ask = (context: WireContext) => Promise<HttpResponse>

/** A path is proven by an answer in JSON. */
const provePath =
  (name: 'listPath' | 'meetingPath' | 'tagsPath', askThere: Ask) =>
  async (context: WireContext): Promise<Outcome> => {
    const response = await askThere(context)
    const path = context.wire[name]
    const { status } = response
    const strange = strangeResponse(response)
    if (status === 200 && strange === undefined) return proven(`${path} answers with JSON.`)
    if (status === 429 || status >= 500) return notProvable(`${path} answers ${status}.`, TROUBLE)
    return contradicted(
      `${path} ${strange ?? `answers ${status}`}.`,
      `Ask the service for this path, and set ${name}. Check VOICE_MEETINGS_URL too: it often has another host than the tokens, and often ends in /v1.`,
    )
  }

/** A place in an answer is proven by what is there. */
const provePlace =
  (
    name: 'items' | 'meeting' | 'tags',
    what: string,
    askThere: Ask,
    isThere: (json: unknown, wire: MeetingsWire, context: WireContext) => unknown,
  ) =>
  async (context: WireContext): Promise<Outcome> => {
    const response = await askThere(context)
    const where = context.wire[name] === '' ? 'The whole answer' : `"${context.wire[name]}"`
    if (await isThere(response.json, context.wire, context)) return proven(`${where} is ${what}.`)
    return contradicted(
      `${where} is not ${what}. The answer is ${context.shapeOf(response)}.`,
      `Set ${name} to its place in this answer, and the other places in the same way.`,
    )
  }

const askForList: Ask = ({ ask, wire }) => ask(wire.listPath)
const askForTags: Ask = ({ ask, wire }) => ask(wire.tagsPath)

async function askForOne(context: WireContext, params?: Params): Promise<HttpResponse> {
  const id = encodeURIComponent(await firstId(context))
  return context.ask(
    context.wire.meetingPath.replace('{id}', () => id),
    params,
  )
}

/** Ends the check if the list is empty. */
async function firstId({ list }: WireContext): Promise<string> {
  const [first] = (await list()).rows
  if (first) return first.id
  throw new CheckEnded(notProvable('There is no meeting.', MORE))
}

// (Contract: "Meetings interface". Assumptions: "List envelope", "One meeting", "Tags".)
export const listPath = provePath('listPath', askForList)
export const tagsPath = provePath('tagsPath', askForTags)
export const meetingPath = provePath('meetingPath', askForOne)
export const items = provePlace(
  'items',
  'a list of meetings with ids, with a cursor or none beside it',
  askForList,
  readMeetingsPage,
)
export const tags = provePlace('tags', 'a list of tags', askForTags, readTags)
export const meeting = provePlace(
  'meeting',
  'the meeting that was asked for',
  askForOne,
  async (json, wire, context) => readMeeting(json, wire)?.id === (await firstId(context)),
)

/** A page that is not the last one, and what it was asked with. */
async function partOfList({ list }: WireContext): Promise<{ page: MeetingsPage; params: Params }> {
  const all = await list()
  const params = { limit: '3' }
  const page = await list(params)
  if (!page.refusedBy && page.rows.length < all.rows.length) return { page, params }
  if (all.cursor !== null) return { page: all, params: {} }
  throw new CheckEnded(notProvable('No page was seen that is not the last one.', MORE))
}

/**
 * The cursor, and the parameter that takes it: two cursors give the second and the third page. (Contract:
 * "Query parameters".)
 */
export const cursor =
  (name: 'cursor' | 'params.cursor') =>
  async (context: WireContext): Promise<Outcome> => {
    const { wire, list, ask, shapeOf } = context
    const { page, params } = await partOfList(context)
    /** One of the two values is wrong. */
    const blame = (which: typeof name, seen: string): Outcome =>
      which === name
        ? contradicted(seen, `Ask the service for it, and set ${name}.`)
        : notProvable(seen, `Look at ${which} first.`)
    if (page.cursor === null) {
      const shape = shapeOf(await ask(wire.listPath, params))
      return blame(
        'cursor',
        `A page with more behind it has nothing at "${wire.cursor}". The answer is ${shape}.`,
      )
    }
    const seen = `"${wire.cursor}", sent as ${wire.params.cursor},`
    let last = page
    for (const ordinal of ['second', 'third']) {
      if (last.cursor === null) break
      const next = await list({ cursor: last.cursor, ...params })
      if (next.refusedBy) return blame('params.cursor', `${seen} is refused (${next.refusedBy}).`)
      if (next.rows.length === 0) return notProvable(`${seen} gave an empty ${ordinal} page.`, MORE)
      if (haveCommon(last.rows, next.rows))
        return blame('params.cursor', `${seen} gave meetings of the page before.`)
      last = next
    }
    return proven(`${seen} gave the next pages.`)
  }

/** Is there a number that could be a count? The meetings themselves are in an array. */
const hasNumber = (value: unknown): boolean =>
  typeof value === 'object' && value !== null && !Array.isArray(value)
    ? Object.values(value).some(hasNumber)
    : typeof value === 'number'

/** It may be missing. (Assumptions: "List envelope".) */
export async function total(context: WireContext): Promise<Outcome> {
  const all = await context.list()
  const response = await askForList(context)
  if (all.total === undefined && !hasNumber(response.json))
    return proven('The service sends no count: the answer has no number beside the meetings.')
  if (all.total === undefined)
    return notProvable(
      `There is no count at "${context.wire.total}". The answer is ${context.shapeOf(response)}.`,
      'If a number in it counts all meetings, set total to its place. If not, nothing is lost.',
    )
  const { page } = await partOfList(context)
  const seen = `A page of ${page.rows.length} meetings says ${page.total}, and one of ${all.rows.length} says ${all.total}.`
  if (page.total !== undefined && page.total > page.rows.length) return proven(seen)
  return contradicted(seen, 'Set total to the place of the number of all meetings.')
}

/**
 * The words in the field `ownership` of a meeting. A forced ownership shows only meetings that have them.
 * (Assumptions: "Meeting fields".)
 */
export const ownershipWords =
  (filter: 'mine' | 'shared') =>
  async ({ wire, list, redactor }: WireContext): Promise<Outcome> => {
    const { rows } = await list({ ownership: filter })
    const words = [...new Set(rows.map(({ ownership }) => ownership))]
    if (words.length === 0) return notProvable(`No meeting came for ${filter}.`, MORE)
    const seen = `Meetings for "${filter}" say ${words.map((word) => `"${redactor.show(word)}"`).join(', ')}.`
    const known: readonly unknown[] = wire.ownershipWords[filter]
    if (words.every((word) => known.includes(word))) return proven(seen)
    return contradicted(seen, `Put the words into ownershipWords.${filter}.`)
  }

/** One meeting with fields that it has only if they are asked for. (Assumptions: "One meeting".) */
export async function extraFields(context: WireContext): Promise<Outcome> {
  const fields = ['participants', ...context.wire.extraFields]
  const seen = `One meeting, asked for ${fields.join(', ')},`
  const { status, json } = await askForOne(context, { fields: fields.join(',') })
  if (status !== 200)
    return contradicted(`${seen} is refused (${status}).`, 'Ask the service for its fields.')
  const row = readMeeting(json, context.wire) ?? {}
  const missing = fields.filter((field) => !Object.hasOwn(row, field))
  return missing.length === 0
    ? proven(`${seen} has them.`)
    : notProvable(`${seen} has no ${missing.join(', ')}.`, MORE)
}
