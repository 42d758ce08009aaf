import { readMeeting, readMeetingsPage, readTags, type SortOrder } from '@stagepass/contract'
import type { Check } from '../checks/Check.js'
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
import { paramChecks } from './paramChecks.js'
import {
  countOf,
  haveCommon,
  isSame,
  MORE,
  type Page,
  type Params,
  startsOf,
  type WireContext,
} from './WireContext.js'

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

const askForList = ({ ask, wire }: WireContext): Promise<HttpResponse> => ask(wire.listPath)
const askForTags = ({ ask, wire }: WireContext): Promise<HttpResponse> => ask(wire.tagsPath)

/** One meeting, the first of the list. Ends the check if the list is empty. */
async function askForOne({ ask, wire, list }: WireContext, params?: Params) {
  const [first] = (await list()).rows
  if (!first) throw new CheckEnded(notProvable('There is no meeting.', MORE))
  const id = encodeURIComponent(first.id)
  return {
    ...(await ask(
      wire.meetingPath.replace('{id}', () => id),
      params,
    )),
    id: first.id,
  }
}

/** A path is proven by an answer in JSON. */
function provePath(
  name: 'listPath' | 'meetingPath' | 'tagsPath',
  { wire }: WireContext,
  response: HttpResponse,
): Outcome {
  const { status } = response
  const strange = strangeResponse(response)
  if (status === 200 && strange === undefined) return proven(`${wire[name]} answers with JSON.`)
  if (status === 429 || status >= 500) return notProvable(`${wire[name]} answers ${status}.`, TROUBLE)
  return contradicted(
    `${wire[name]} ${strange ?? `answers ${status}`}.`,
    `Ask the service for this path, and set ${name}. Check VOICE_MEETINGS_URL too: it often has another host than the tokens, and often ends in /v1.`,
  )
}

/** A place in an answer is proven by what is there. */
function provePlace(
  name: 'items' | 'meeting' | 'tags',
  what: string,
  isThere: boolean,
  { wire, shapeOf }: WireContext,
  response: HttpResponse,
): Outcome {
  const where = wire[name] === '' ? 'The whole answer' : `"${wire[name]}"`
  if (isThere) return proven(`${where} is ${what}.`)
  return contradicted(
    `${where} is not ${what}. The answer is ${shapeOf(response)}.`,
    `Set ${name} to its place in this answer, and the other places in the same way.`,
  )
}

async function items(context: WireContext): Promise<Outcome> {
  const response = await askForList(context)
  const isThere = readMeetingsPage(response.json, context.wire) !== undefined
  const what = 'a list of meetings with ids, with a cursor or none beside it'
  return provePlace('items', what, isThere, context, response)
}

async function tags(context: WireContext): Promise<Outcome> {
  const response = await askForTags(context)
  const isThere = readTags(response.json, context.wire) !== undefined
  return provePlace('tags', 'a list of tags', isThere, context, response)
}

async function meeting(context: WireContext): Promise<Outcome> {
  const response = await askForOne(context)
  const isThere = readMeeting(response.json, context.wire)?.id === response.id
  return provePlace('meeting', 'the meeting that was asked for', isThere, context, response)
}

/** A page that is not the last one, and what it was asked with. */
async function partOfList({ list }: WireContext): Promise<{ page: Page; params: Params }> {
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
async function followCursor(name: 'cursor' | 'params.cursor', context: WireContext): Promise<Outcome> {
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
async function total(context: WireContext): Promise<Outcome> {
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

/** The word of a direction: the usual order is newest first. (Contract: "Query parameters".) */
async function order(direction: SortOrder, { wire, list }: WireContext): Promise<Outcome> {
  const { rows: usual } = await list()
  const page = await list({ order: wire.order[direction] })
  const isOlder = (startsOf(page.rows)[0] ?? NaN) < (startsOf(usual)[0] ?? NaN)
  const isRight = direction === 'newest' ? isSame(page.rows, usual) : isOlder
  const seen = `"${wire.order[direction]}" gave ${countOf(page)}`
  if (isRight) return proven(`${seen}, the ${direction} first.`)
  const advice = `Ask the service for its word for ${direction} first, and set order.${direction}.`
  return contradicted(`${seen}, and not the ${direction} first.`, advice)
}

/**
 * The words in the field `ownership` of a meeting. A forced ownership shows only meetings that have them.
 * (Assumptions: "Meeting fields".)
 */
async function ownershipWords(filter: 'mine' | 'shared', context: WireContext): Promise<Outcome> {
  const { wire, list, redactor } = context
  const { rows } = await list({ ownership: filter })
  const words = [...new Set(rows.map(({ ownership }) => ownership))]
  if (words.length === 0) return notProvable(`No meeting came for ${filter}.`, MORE)
  const seen = `Meetings for "${filter}" say ${words.map((word) => `"${redactor.show(word)}"`).join(', ')}.`
  const known: readonly unknown[] = wire.ownershipWords[filter]
  if (words.every((word) => known.includes(word))) return proven(seen)
  return contradicted(seen, `Put the words into ownershipWords.${filter}.`)
}

/** One meeting with fields that it has only if they are asked for. (Assumptions: "One meeting".) */
async function extraFields(context: WireContext): Promise<Outcome> {
  const fields = ['participants', ...context.wire.extraFields]
  const seen = `One meeting, asked for ${fields.join(', ')},`
  const { status, json } = await askForOne(context, { fields: fields.join(',') })
  if (status !== 200)
    return contradicted(`${seen} is refused (${status}).`, 'Ask the service for its fields.')
  const row = readMeeting(json, context.wire) ?? {}
  const missing = fields.filter((field) => !Object.hasOwn(row, field))
  if (missing.length === 0) return proven(`${seen} has them.`)
  return notProvable(`${seen} has no ${missing.join(', ')}.`, MORE)
}

/** A check for each setting of the wire, in order. Before them comes `meetings`. */
export const wireChecks: readonly Check<WireContext>[] = [
  {
    name: 'listPath',
    needs: ['meetings'],
    run: async (context) => provePath('listPath', context, await askForList(context)),
  },
  { name: 'items', needs: ['listPath'], run: items },
  { name: 'cursor', needs: ['items'], run: (context) => followCursor('cursor', context) },
  { name: 'params.cursor', needs: ['items'], run: (context) => followCursor('params.cursor', context) },
  { name: 'total', needs: ['items'], run: total },
  {
    name: 'tagsPath',
    needs: ['meetings'],
    run: async (context) => provePath('tagsPath', context, await askForTags(context)),
  },
  { name: 'tags', needs: ['tagsPath'], run: tags },
  ...paramChecks,
  ...(['newest', 'oldest'] as const).map((direction) => ({
    name: `order.${direction}`,
    needs: ['params.order'],
    run: (context: WireContext) => order(direction, context),
  })),
  ...(['mine', 'shared'] as const).map((filter) => ({
    name: `ownershipWords.${filter}`,
    needs: ['params.ownership'],
    run: (context: WireContext) => ownershipWords(filter, context),
  })),
  {
    name: 'meetingPath',
    needs: ['items'],
    run: async (context) => provePath('meetingPath', context, await askForOne(context)),
  },
  { name: 'meeting', needs: ['meetingPath'], run: meeting },
  { name: 'extraFields', needs: ['meeting', 'params.fields'], run: extraFields },
]
