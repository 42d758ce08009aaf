import { BFF_ERRORS, type BffErrorCode } from '@stagepass/contract'
import { Problem } from '@stagepass/contract/schemas'
import type { Run } from '../checks/Check.js'
import type { HttpRequest, HttpResponse } from '../net/createHttp.js'
import type { Redactor } from '../report/createRedactor.js'
import { CheckEnded, fail, type Outcome, skipped } from '../report/Result.js'
import { below } from '../settings/readVariables.js'
import type { BffTarget } from '../settings/Settings.js'

/** What the checks of a BFF share. */
export interface BffContext extends Run {
  readonly target: BffTarget
  /** Knows the secrets of the voice service alone, as far as the variables name them. */
  readonly upstreamSecrets: Redactor
  readonly found: {
    /** Every response so far, and what it was to, such as `POST /session-token`. */
    readonly responses: { readonly what: string; readonly response: HttpResponse }[]
    /** Does a request without a cookie pass `authorize`? */
    isOpen?: boolean
    token?: { readonly product: string; readonly sessionKey: string; readonly streamUrl: string }
  }
}

/** As a browser sends it from a page of the same origin. */
export const ownPage = ({ target }: BffContext): Record<string, string> => ({
  'x-stagepass': '1',
  origin: target.url.origin,
  'sec-fetch-site': 'same-origin',
  'sec-fetch-mode': 'cors',
})

/** With the login too. Ends the check if there is none, and the BFF asks for one. */
export function signedIn(context: BffContext): Record<string, string> {
  const { cookie } = context.target
  if (cookie !== undefined) return { ...ownPage(context), cookie }
  if (context.found.isOpen) return ownPage(context)
  const advice = 'Set STAGEPASS_COOKIE to the cookie of a user who is signed in.'
  throw new CheckEnded(skipped('Not checked, because it needs a login.', advice))
}

export interface BffRequest extends Pick<HttpRequest, 'method' | 'headers'> {
  /** Path and query below the mount. */
  readonly path: string
  /** Sent as JSON. */
  readonly json?: unknown
}

/** Sends it, and keeps the response for the checks of all responses. */
export async function send(
  { target, found, send: sendPlainly }: BffContext,
  { path, method = 'GET', headers, json }: BffRequest,
  sendIt = sendPlainly,
): Promise<HttpResponse> {
  const [pathname = '', search = ''] = path.split('?')
  const url = below(target.url, pathname)
  url.search = search
  const response = await sendIt({
    url,
    method,
    // A proxy that compresses is to be seen.
    headers: { 'accept-encoding': 'gzip, br', ...headers, ...(json !== undefined && JSON_TYPE) },
    body: json === undefined ? undefined : JSON.stringify(json),
  })
  found.responses.push({ what: `${method} ${pathname}`, response })
  return response
}

const JSON_TYPE = { 'content-type': 'application/json' }

/**
 * Asks as the page of a user who is signed in: the answer, or the code of a problem. Ends the check if
 * another than the BFF answers.
 */
export async function askAsPage<T extends object>(
  context: BffContext,
  schema: { safeParse(json: unknown): { readonly data?: T | undefined } },
  path: string,
  json?: object,
): Promise<T | BffErrorCode> {
  const request = { path, json, headers: signedIn(context), method: json ? 'POST' : 'GET' } as const
  const response = await send(context, request, context.sendToMeetings)
  const answer = response.status === 200 ? schema.safeParse(response.json).data : problemCode(response)
  if (answer !== undefined) return answer
  throw new CheckEnded(notTheBff(response))
}

export const notTheBff = ({ status }: HttpResponse): Outcome =>
  fail(
    `Something else than the BFF answers (${status}), or changes what it answers.`,
    'Let the proxy pass every path below the mount to the BFF, and its responses unchanged.',
  )

/** The code of a problem of the BFF. `undefined`: something else answered. */
export const problemCode = ({ json }: HttpResponse): BffErrorCode | undefined =>
  Problem.pick({ error_code: true, request_id: true }).safeParse(json).data?.error_code

const ADVICE: Partial<Readonly<Record<BffErrorCode, string>>> = {
  UNAUTHENTICATED: 'The cookie is not of a user who is signed in. Copy the whole Cookie header again.',
  UPSTREAM_UNREACHABLE:
    'The server of the BFF cannot reach the service. Run the doctor there, without --bff.',
  UPSTREAM_TIMEOUT: 'The service is too slow for the server of the BFF. Run the doctor there, without --bff.',
  AUTHORIZE_FAILED: 'Look at the events of the BFF (onEvent), and correct authorize.',
  MEETINGS_CREDENTIAL_REJECTED: 'Check meetings.credential in the grant of authorize.',
  RATE_LIMITED: 'Wait a minute, and run it again.',
}

export const explainCode = (code: BffErrorCode, advice = ADVICE[code]): Outcome =>
  fail(`${code}: ${BFF_ERRORS[code].title}`, advice ?? `Look up ${code} in docs/errors.md of Stagepass.`)
