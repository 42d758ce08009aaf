import { BFF_ERRORS, type BffErrorCode, PRODUCT_NAMES } from '@stagepass/contract'
import {
  AnyMeeting,
  MeetingsResponse,
  Problem,
  SessionTokenResponse,
  TagsResponse,
} from '@stagepass/contract/schemas'
import type { HttpRequest, HttpResponse } from '../net/createSend.js'
import { shownAddress } from '../net/explainFailure.js'
import { describeRefusal, openSocket } from '../net/openSocket.js'
import { CheckEnded, fail, ok, type Outcome, skipped, warn } from '../report/Result.js'
import { below } from '../settings/readVariables.js'
import type { BffTarget } from '../settings/Settings.js'
import type { Run } from './Check.js'
import { strangeResponse } from './service.js'

/** What the checks of a BFF share. */
export interface BffContext extends Run {
  readonly target: BffTarget
  readonly found: {
    /** Every response so far, and what it was to, such as `POST /session-token`. */
    readonly responses: { readonly what: string; readonly response: HttpResponse }[]
    /** Does a request without a cookie pass `authorize`? */
    isOpen?: boolean
    token?: SessionTokenResponse
  }
}

type BffRequest = Omit<HttpRequest, 'url'>

/** Sends to a path below the mount, and keeps the response for the check of the headers. */
async function send(
  { target, found, ...run }: BffContext,
  path: string,
  request: BffRequest = {},
): Promise<HttpResponse> {
  const [pathname = '', search = ''] = path.split('?')
  const url = below(target.url, pathname)
  url.search = search
  // A proxy that compresses is to be seen.
  const headers = { 'accept-encoding': 'gzip, br', ...request.headers }
  const response = await run.send({ url, ...request, headers })
  found.responses.push({ what: `${request.method ?? 'GET'} ${pathname}`, response })
  return response
}

/** The code of a problem of the BFF. `undefined`: something else answered. */
const problemCode = ({ json }: HttpResponse): BffErrorCode | undefined =>
  Problem.pick({ error_code: true, request_id: true }).safeParse(json).data?.error_code

const notTheBff = ({ status }: HttpResponse): Outcome =>
  fail(
    `Something else than the BFF answers (${status}), or changes what it answers.`,
    'Let the proxy pass every path below the mount to the BFF, and its responses unchanged.',
  )

const ELSEWHERE = 'Run the doctor on the server of the BFF, without --bff.'
const WIRE =
  'Run the doctor without --bff, with VOICE_MEETINGS_TOKEN and --wire: it shows which value of meetings.wire is wrong.'

const ADVICE: Partial<Readonly<Record<BffErrorCode, string>>> = {
  UNAUTHENTICATED: 'The cookie is not of a user who is signed in. Copy the whole Cookie header again.',
  UPSTREAM_UNREACHABLE: ELSEWHERE,
  UPSTREAM_TIMEOUT: ELSEWHERE,
  NOT_FOUND: WIRE,
  VALIDATION_ERROR: WIRE,
  UPSTREAM_MALFORMED: WIRE,
  UPSTREAM_ERROR: WIRE,
}

const explain = (code: BffErrorCode): Outcome =>
  fail(`${code}: ${BFF_ERRORS[code].title}`, ADVICE[code] ?? BFF_ERRORS[code].hint)

/** `GET /health`, which has no gate: is the BFF mounted here? */
export async function health(context: BffContext): Promise<Outcome> {
  const response = await send(context, '/health')
  const where = `${shownAddress(context.target.url)}/health`
  const word: unknown = Reflect.get(Object(response.json), 'status')
  if (word === 'ok') return ok(`${where} answers ok.`)
  if (word === 'draining') return warn(`${where} says that this instance shuts down.`, 'Run it again.')
  if (word === 'degraded') return warn(`${where} says that it is degraded.`, 'Look at its Redis.')
  if (problemCode(response) !== undefined)
    return fail(
      `${where} reaches the BFF, but not its route.`,
      'Set the option basePath to the path of the mount, or check the path in --bff.',
    )
  return fail(
    `${where} ${strangeResponse(response) ?? `answers ${response.status}, and not as a BFF`}.`,
    'Check --bff: it is the address of the mount, such as https://app.example.com/api/voice. Check that the proxy passes that path.',
  )
}

/** Gate and `authorize` see a request to it, and nothing happens. */
const NOWHERE = '/stagepass-doctor'

/** The origin of a page that no BFF knows. */
const STRANGER = 'https://stagepass-doctor.invalid'

/** Without the header of the gate, and from another site. (SECURITY.md, S3, S4, S6.) */
export async function gate(context: BffContext): Promise<Outcome> {
  const stranger = { 'x-stagepass': '1', origin: STRANGER }
  for (const [what, path, request] of [
    ['without x-stagepass', '/session-token', { method: 'POST', json: { usage_type: 'stt' } }],
    ['from another origin', NOWHERE, { headers: stranger }],
    ['from another site', NOWHERE, { headers: { ...stranger, 'sec-fetch-site': 'cross-site' } }],
  ] as const) {
    const response = await send(context, path, request)
    if (problemCode(response) !== 'CROSS_SITE_BLOCKED')
      return fail(
        `A request ${what} gets ${response.status}, and not the 403 of the gate.`,
        'Check that POST reaches the BFF at this path, and that nothing in front answers itself, adds x-stagepass, or changes Origin and Sec-Fetch-Site.',
      )
  }
  return ok('Requests without x-stagepass, and of other sites, are refused.')
}

/** As a browser sends it from a page of the same origin. */
const ownPage = ({ target }: BffContext): Record<string, string> => ({
  'x-stagepass': '1',
  origin: target.url.origin,
  'sec-fetch-site': 'same-origin',
  'sec-fetch-mode': 'cors',
})

/** From the own page, in a browser of today: does `authorize` ask for a login? */
export async function login(context: BffContext): Promise<Outcome> {
  const response = await send(context, NOWHERE, { headers: ownPage(context) })
  const code = problemCode(response)
  context.found.isOpen = code === 'NOT_FOUND'
  if (code === 'UNAUTHENTICATED')
    return ok('The gate lets the own page through, and authorize asks for a login.')
  if (code === 'NOT_FOUND')
    return warn(
      'A request without a cookie gets a grant.',
      'Right only if anyone may use the voice service. Otherwise let authorize return null without a login.',
    )
  if (code === 'CROSS_SITE_BLOCKED')
    return fail(
      'A request of the own page is refused.',
      'Check that x-stagepass and Sec-Fetch-Site reach the BFF: something in front takes them away.',
    )
  return code === undefined ? notTheBff(response) : explain(code)
}

/** The same in a browser that sends `Origin` alone: it shows if the BFF knows its own address. */
export async function ownOrigin(context: BffContext): Promise<Outcome> {
  const { 'sec-fetch-site': _left, ...headers } = ownPage(context)
  const response = await send(context, NOWHERE, { headers })
  const { origin } = context.target.url
  if (problemCode(response) !== 'CROSS_SITE_BLOCKED')
    return ok(`The BFF knows that browsers see it as ${origin}.`)
  return fail(
    `The BFF does not know that browsers see it as ${origin}, so browsers without Sec-Fetch-Site are refused.`,
    `A proxy hides the address. Set the option origin: '${origin}' in createBff; or pass Host and X-Forwarded-Proto (nginx: proxy_set_header Host $http_host) and set trust proxy in Express.`,
  )
}

/**
 * Asks as the page of a user who is signed in: the answer, or the code of a problem. Ends the check without a
 * login, and if another than the BFF answers.
 */
async function askAsPage<T extends object>(
  context: BffContext,
  schema: { safeParse(json: unknown): { readonly data?: T | undefined } },
  path: string,
  json?: object,
): Promise<T | BffErrorCode> {
  const { cookie } = context.target
  if (cookie === undefined && !context.found.isOpen)
    throw new CheckEnded(
      skipped(
        'Not checked, because it needs a login.',
        'Set STAGEPASS_COOKIE to the cookie of a user who is signed in.',
      ),
    )
  const headers = { ...ownPage(context), ...(cookie !== undefined && { cookie }) }
  const response = await send(context, path, json ? { method: 'POST', headers, json } : { headers })
  const answer = response.status === 200 ? schema.safeParse(response.json).data : problemCode(response)
  if (answer !== undefined) return answer
  throw new CheckEnded(notTheBff(response))
}

/** A session token, as a page gets it. */
export async function token(context: BffContext): Promise<Outcome> {
  for (const product of PRODUCT_NAMES) {
    const json = { usage_type: product, expiration_ttl: 5 }
    const answer = await askAsPage(context, SessionTokenResponse, '/session-token', json)
    if (answer === 'FORBIDDEN' || answer === 'PRODUCT_NOT_ALLOWED') continue
    if (typeof answer === 'string') return explain(answer)
    context.redactor.hide(answer.session_key)
    context.found.token = answer
    return ok(`A token for ${product}.`)
  }
  return fail('This user may not use any product.', 'Check the products in the grant of authorize.')
}

/** The WebSocket of a page, which does not go through the BFF. */
export async function stream({ found, limits, signal }: BffContext): Promise<Outcome> {
  const { stream_url: address = '', session_key: sessionKey } = found.token ?? {}
  if (!URL.canParse(address))
    return fail('stream_url of the token is not an address.', 'Check the option streamingUrl of the BFF.')
  const url = new URL(address)
  const refused = await openSocket(url, sessionKey, limits, signal)
  if (refused)
    return fail(
      `${shownAddress(url)} refuses the token by ${describeRefusal(refused)}.`,
      'Check that baseUrl and streamingUrl of the BFF are of one environment, and that a session of the account is free.',
    )
  return ok(
    `${shownAddress(url)} opens with the token of the BFF.`,
    `Allow ${url.origin.replace(/^http/, 'ws')} in connect-src, if the page has a Content-Security-Policy.`,
  )
}

const explainMeetings = (code: BffErrorCode): Outcome =>
  code === 'FORBIDDEN'
    ? skipped('The grant of this user has no meetings.', 'Let authorize return meetings, if it should.')
    : explain(code)

/** The first meetings page, as a page asks for it, one meeting of it, and the tags. */
export async function meetings(context: BffContext): Promise<Outcome> {
  const answer = await askAsPage(context, MeetingsResponse, '/meetings?limit=3')
  if (typeof answer === 'string') return explainMeetings(answer)
  const tags = await askAsPage(context, TagsResponse, '/tags')
  if (typeof tags === 'string') return explainMeetings(tags)
  const [first] = answer.meetings
  if (!first) return ok('0 meetings.', 'To see that they come, use the cookie of a user who has meetings.')
  const one = await askAsPage(context, AnyMeeting, `/meetings/${encodeURIComponent(first.id)}`)
  if (typeof one === 'string') return explainMeetings(one)
  return ok(`${answer.meetings.length} meetings, one of them by its id, and ${tags.tags.length} tags.`)
}

/**
 * What can be wrong with the headers of a response. Everything that the BFF sends is JSON. A page of a proxy
 * is the finding of another check.
 */
const FAULTS: readonly {
  readonly when: (response: HttpResponse) => boolean
  readonly finding: typeof fail
  readonly seen: string
  readonly advice: string
}[] = [
  {
    when: ({ headers }) => [STRANGER, '*', 'null'].includes(headers['access-control-allow-origin'] ?? ''),
    finding: fail,
    seen: 'Access-Control-Allow-Origin lets any other site read the response',
    advice:
      'Remove the CORS middleware or the proxy rule that adds it to this path. The BFF has allowedOrigins.',
  },
  {
    when: ({ headers, json }) =>
      json !== undefined &&
      (!/\bno-store\b/.test(headers['cache-control'] ?? '') ||
        headers['x-content-type-options'] !== 'nosniff' ||
        headers['referrer-policy'] !== 'no-referrer'),
    finding: fail,
    seen: 'no-store, nosniff and no-referrer are not all as the BFF sends them',
    advice: 'Let the proxy in front pass these headers: without no-store a token can stay in a cache.',
  },
  {
    when: ({ headers, json }) =>
      json !== undefined && (headers['etag'] ?? headers['content-encoding']) !== undefined,
    finding: warn,
    seen: 'something in front of the BFF compresses the response, or adds an ETag',
    advice: 'Switch it off for this path: a compressed secret can be guessed by its length.',
  },
]

/**
 * The headers of every response: rules of a proxy can depend on path, method, status and size. (SECURITY.md,
 * S6, S17.)
 */
export async function headers(context: BffContext): Promise<Outcome> {
  const preflight = { origin: STRANGER, 'access-control-request-method': 'POST' }
  await send(context, '/health', { headers: { origin: STRANGER } })
  await send(context, '/session-token', { method: 'OPTIONS', headers: preflight })
  const { responses } = context.found
  for (const { when, finding, seen, advice } of FAULTS) {
    const found = responses.find(({ response }) => when(response))
    if (found) return finding(`${found.what}: ${seen}.`, advice)
  }
  return ok(`no-store, nosniff and no-referrer arrive in ${responses.length} responses.`)
}
