import type { Check } from '../checks/Check.js'
import { explainFailure } from '../net/explainFailure.js'
import { fail, ok, skipped, warn } from '../report/Result.js'
import { isObject } from '../net/isObject.js'
import { idOfTag, type Page } from './list/readPage.js'
import type { WireContext } from './WireContext.js'

/** The tag list: path and form. (Assumptions: "Tags".) */
export const tagList: Check<WireContext> = {
  name: 'tag list',
  needs: ['meetings'],
  async run({ settings, requests, draft }) {
    const paths = [...new Set([draft.tagsPath, '/tags', '/labels'])]
    for (const path of paths) {
      const sent = await requests
        .get(path)
        .catch((error: unknown) => explainFailure(settings.meetingsUrl, error))
      if ('seen' in sent) return sent
      if (sent.status !== 200) continue
      const { json } = sent
      const tags: unknown = Array.isArray(json) ? json : isObject(json) ? json.tags : undefined
      if (!Array.isArray(tags))
        return fail(
          `${path} is neither an array nor an object with "tags".`,
          'The BFF cannot read this form. Report this line.',
        )
      draft.tagsPath = path
      draft.seen.add('tagsPath')
      const form = Array.isArray(json) ? 'an array' : 'an object with "tags"'
      const [tag] = tags as unknown[]
      const element =
        tag === undefined ? 'which is empty' : typeof tag === 'string' ? 'of texts' : 'of objects'
      const hasId = tag === undefined || idOfTag(tag) !== undefined
      const seen = `${path} is ${form}, ${element}.`
      return hasId
        ? ok(seen)
        : warn(seen, 'The objects have no text "id". Look which of their values the tag filter takes.')
    }
    return warn(
      `No tag list was found: ${paths.join(', ')} were tried.`,
      'Ask the service for its path, and set meetings.wire.tagsPath.',
    )
  },
}

/** One meeting: path, `fields`, form. (Contract: "One meeting". Assumptions: "One meeting".) */
export const oneMeeting: Check<WireContext> = {
  name: 'one meeting',
  needs: ['meetings'],
  async run({ settings, requests, draft, found }) {
    const id = (found.first as Page).items[0]?.id
    if (id === undefined)
      return skipped('Not checked, because there is no meeting.', 'Use a credential that sees meetings.')
    const singular = draft.listPath.replace(/s$/, '')
    const paths = [
      ...new Set([draft.meetingPath, '/meetings/{id}', `${singular}/{id}`, `${draft.listPath}/{id}/detail`]),
    ]
    for (const path of paths) {
      const sent = await requests
        .get(path.replace('{id}', encodeURIComponent(id)), { fields: 'id,title' })
        .catch((error: unknown) => explainFailure(settings.meetingsUrl, error))
      if ('seen' in sent) return sent
      if (sent.status === 404) continue
      if (sent.status !== 200) return warn(`${path} answers ${sent.status}.`, 'Report this line.')
      if (!isObject(sent.json) || sent.json.id !== id)
        return fail(
          `${path} has the meeting in an envelope.`,
          'The BFF cannot read this form. Report this line.',
        )
      draft.meetingPath = path
      draft.seen.add('meetingPath')
      const { fields } = draft.params
      const chosen =
        'status' in sent.json ? `and ignores ${fields}` : `with the ${fields} that were asked for`
      return ok(`${path} is the meeting without an envelope, ${chosen}.`)
    }
    return warn(
      `One meeting was not found: ${paths.join(', ')} were tried.`,
      'Ask the service for its path, and set meetings.wire.meetingPath.',
    )
  },
}

const NO_FIELD = 'stagepass_no_such_field'

/** An invalid field is 400. It also shows the form of an error. (Contract: "Meetings errors". Assumptions: "Meetings error body".) */
export const errorForm: Check<WireContext> = {
  name: 'meetings errors',
  needs: ['meetings'],
  async run({ settings, requests, draft, found }) {
    const isList = requests.listsLeft > 0
    const path = isList ? draft.listPath : draft.meetingPath.replace('{id}', 'stagepass-no-such-meeting')
    const params = { [draft.params.fields]: `id,${NO_FIELD}` }
    const sent = await (isList ? requests.list(path, params) : requests.get(path, params)).catch(
      (error: unknown) => explainFailure(settings.meetingsUrl, error),
    )
    if ('seen' in sent) return sent
    const end =
      found.end === undefined
        ? 'The end of a list was not seen.'
        : `At the end of a list next_cursor is ${found.end === 'null' ? 'null' : 'missing'}.`
    if (sent.status < 400)
      return warn(
        `An invalid field name is accepted (${sent.status}). ${end}`,
        'The contract says 400. The BFF checks the names itself, so nothing breaks.',
      )
    if (isList && sent.status === 400) draft.seen.add('params.fields')
    return ok(
      `An error is ${sent.status}, with ${formOfError(sent.json)}. ${end}`,
      'Nothing to do: the BFF uses only the status.',
    )
  },
}

function formOfError(json: unknown): string {
  if (!isObject(json)) return 'a body that is not a JSON object'
  if (typeof json.error === 'string') return 'a text "error" in JSON'
  return isObject(json.error) ? 'an object "error" in JSON' : 'JSON without "error"'
}
