import { Problem, SessionTokenAnswer } from '@stagepass/contract/schemas'
import type { Check } from '../checks/Check.js'
import type { HttpResponse } from '../net/createHttp.js'
import type { Redactor } from '../report/createRedactor.js'
import { isObject } from '../net/isObject.js'
import { fail, ok, warn } from '../report/Result.js'
import { type BffContext, problemCode } from './BffContext.js'

/** Headers of HTTP, of the host and of its proxies, which differ from response to response for good reasons. */
const USUAL = new Set(
  'age alt-svc cache-control connection content-length content-type date etag keep-alive retry-after server set-cookie transfer-encoding vary via'.split(
    ' ',
  ),
)

/** Nothing of the service passes: no secret, no header, no further value. (S16, S18.) */
export const leaks: Check<BffContext> = {
  name: 'leaks',
  needs: ['health'],
  async run({ found, upstreamSecrets, redactor, target }) {
    const { responses, tokenResponse } = found
    const searched = [...responses].map(({ text, headers }) => text + JSON.stringify(headers))
    if (searched.some((text) => !upstreamSecrets.isSafe(text)))
      return fail(
        'A response holds a part of VOICE_API_KEY or VOICE_MEETINGS_TOKEN.',
        'Take the server off the network, replace the secret, and look for what prints it. The BFF never does.',
      )
    const values = responses.flatMap(unknownValues)
    if (values.length > 0)
      return fail(
        `A response holds values that no BFF sends: ${shown(values, redactor)}.`,
        'Something between adds them, or passes the response of the service on. Only the BFF must answer below this path.',
      )
    const plain = new Set(responses[0] ? Object.keys(responses[0].headers) : [])
    const added = Object.keys(tokenResponse?.headers ?? {}).filter(
      (name) => !plain.has(name) && !USUAL.has(name),
    )
    if (added.length > 0)
      return warn(
        `The token came with headers that /health does not have: ${shown(added, redactor)}.`,
        'Find out what adds them. If they are of the voice service, something passes its responses on.',
      )
    const extent = tokenResponse ? 'the token included' : 'the token not included, because it needs --cookie'
    return ok(
      `Nothing of the service was in ${responses.length} responses, ${extent}.`,
      target.cookie === undefined
        ? 'Run it with --cookie too, and with VOICE_API_KEY set, to search for it.'
        : undefined,
    )
  },
}

const TOKEN_VALUES = Object.keys(SessionTokenAnswer.shape)
const PROBLEM_VALUES = Object.keys(Problem.shape)

/** Names of values that a token or a problem of the BFF does not have, such as `key_id`. */
function unknownValues(response: HttpResponse): string[] {
  const { json, status } = response
  if (!isObject(json)) return []
  const known =
    problemCode(response) !== undefined
      ? PROBLEM_VALUES
      : status === 200 && 'session_key' in json
        ? TOKEN_VALUES
        : undefined
  return known ? Object.keys(json).filter((name) => !known.includes(name)) : []
}

const shown = (names: readonly string[], redactor: Redactor): string =>
  names
    .map((name) =>
      /^[\w-]{1,40}$/.test(name) && redactor.isSafe(name) ? name : 'one with unusual characters',
    )
    .join(', ')
