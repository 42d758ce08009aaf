import type { Check } from '../checks/Check.js'
import { strangeResponse } from '../checks/wording.js'
import type { HttpResponse } from '../net/createHttp.js'
import { explainFailure, shownAddress } from '../net/explainFailure.js'
import { fail, ok, type Outcome, skipped, warn } from '../report/Result.js'
import { LIST_PATHS } from './list/candidates.js'
import { ownershipOf, readPage } from './list/readPage.js'
import type { WireContext } from './WireContext.js'

/** Fewer tell too little about sorting and filters. */
export const FEW_ITEMS = 6

/** The list without parameters: path, envelope, fields. (Assumptions: "Meetings address", "List envelope", "Meeting fields".) */
export const meetingsList: Check<WireContext> = {
  name: 'meetings',
  async run(context) {
    const { settings, requests } = context
    if (settings.meetingsToken === undefined)
      return skipped(
        'Not checked, because VOICE_MEETINGS_TOKEN is not set.',
        'Set VOICE_MEETINGS_TOKEN, and VOICE_MEETINGS_URL if the meetings are at another address than the tokens.',
      )
    for (const path of LIST_PATHS) {
      const sent = await requests
        .list(path)
        .catch((error: unknown) => explainFailure(settings.meetingsUrl, error))
      if ('seen' in sent) return sent
      if (sent.status === 404) continue
      return describeList(context, path, sent)
    }
    return fail(
      `There is no list of meetings below ${shownAddress(settings.meetingsUrl)}: ${LIST_PATHS.join(', ')} were tried.`,
      'Check VOICE_MEETINGS_URL: it often has another host than the tokens, and often ends in /v1.',
    )
  },
}

function describeList(context: WireContext, path: string, response: HttpResponse): Outcome {
  const { status } = response
  const { draft, found, redactor } = context
  if (status === 401 || status === 403)
    return fail(
      `The meetings interface refuses the credential (${status}).`,
      'Check VOICE_MEETINGS_TOKEN: it is a key of one person with permission to read, and not the API key.',
    )
  if (status === 429)
    return fail(
      'The rate limit of the account is used up.',
      'Run it again when no other program reads meetings.',
    )
  if (status !== 200)
    return fail(
      `The list ${strangeResponse(response) ?? `answers ${status}`}.`,
      status >= 500 ? 'The service has trouble of its own. Try again later.' : 'Check VOICE_MEETINGS_URL.',
    )
  const page = readPage(response.json)
  if (typeof page === 'string') return UNREADABLE[page]
  if (!redactor.isSafe(page.key)) return UNREADABLE['no-array']
  found.first = page
  draft.listPath = path
  draft.seen.add('listPath')
  draft.items = page.key
  draft.seen.add('items')
  const base = path.slice(0, path.lastIndexOf('/meetings') === 0 ? 0 : path.lastIndexOf('/'))
  if (path !== '/meetings') Object.assign(draft, { meetingPath: `${path}/{id}`, tagsPath: `${base}/tags` })
  const cursor = typeof page.cursor === 'string' ? 'a next_cursor' : 'no next_cursor'
  const total = page.hasTotal ? 'with a total' : 'without a total'
  const seen = `${path} has ${page.items.length} meetings under "${page.key}", ${cursor}, ${total}.`
  if (page.items.length < FEW_ITEMS)
    return warn(
      seen,
      `Use the credential of a person who has at least ${FEW_ITEMS} meetings, better 30: fewer say too little about the parameters.`,
    )
  if (new Set(page.items.map(ownershipOf)).size < 2)
    return ok(
      seen,
      'To see the words of ownership, use the credential of a person who has own and shared meetings.',
    )
  return ok(seen)
}

const NOT_SUPPORTED = 'The BFF cannot read this form. Report this line.'

const UNREADABLE: Readonly<Record<Exclude<ReturnType<typeof readPage>, object>, Outcome>> = {
  'not-json': fail('The list is not a JSON object.', 'Check VOICE_MEETINGS_URL.'),
  array: fail('The list is an array, without an object around it that can hold next_cursor.', NOT_SUPPORTED),
  'no-array': fail('The list is an object without an array in it.', NOT_SUPPORTED),
  'no-ids': fail('The list has meetings without an id.', NOT_SUPPORTED),
}
