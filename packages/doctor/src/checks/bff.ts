import {
  BFF_ERRORS,
  type BffErrorCode,
  encodeText,
  GATE_HEADER,
  hintText,
  PRODUCT_NAMES,
} from '@stagepass/contract'
import {
  AnyMeeting,
  MeetingsResponse,
  Problem,
  SessionTokenResponse,
  TagsResponse,
  UsageResponse,
} from '@stagepass/contract/schemas'
import type { HttpRequest, HttpResponse } from '../net/createSend.js'
import { shownAddress } from '../net/explainFailure.js'
import { describeRefusal, openSocket } from '../net/openSocket.js'
import { CheckEnded, fail, ok, type Outcome, skipped, warn } from '../report/Result.js'
import { below } from '../settings/readVariables.js'
import type { BffTarget } from '../settings/Settings.js'
import type { Run } from './Check.js'
import { strangeResponse } from './service.js'

/** The parts that the checks of a BFF share. */
export interface BffContext extends Run {
  readonly target: BffTarget
  readonly found: {
    /** Every response so far, with its request, such as `POST /session-token`. */
    readonly responses: { readonly what: string; readonly response: HttpResponse }[]
    /** True if a request without a cookie passes `authorize`. */
    isOpen?: boolean
    token?: SessionTokenResponse
  }
}

type BffRequest = Omit<HttpRequest, 'url'>

/** Sends a request to a path below the mount path, and keeps the response for the check of the headers. */
async function send(
  { target, found, ...run }: BffContext,
  path: string,
  request: BffRequest = {},
): Promise<HttpResponse> {
  const [pathname = '', search = ''] = path.split('?')
  const url = below(target.url, pathname)
  url.search = search
  // Allow compression, so that a proxy that compresses is detected.
  const headers = { 'accept-encoding': 'gzip, br', ...request.headers }
  const response = await run.send({ url, ...request, headers })
  found.responses.push({ what: `${request.method ?? 'GET'} ${pathname}`, response })
  return response
}

/** Returns the code of a problem of the BFF. `undefined` if something else answered. */
const problemCode = ({ json }: HttpResponse): BffErrorCode | undefined =>
  Problem.pick({ error_code: true, request_id: true }).safeParse(json).data?.error_code

const notTheBff = ({ status }: HttpResponse): Outcome =>
  fail(
    `Something other than the BFF answers (${status}), or changes its responses.`,
    'Let the proxy forward every path below the mount path to the BFF, and return its responses unchanged.',
  )

const ELSEWHERE = 'Run the doctor on the server of the BFF, without --bff.'
const WIRE =
  'Run the doctor without --bff, with VOICE_MEETINGS_TOKEN and --wire: it shows which value of meetings.wire is wrong.'

const ADVICE: Partial<Readonly<Record<BffErrorCode, string>>> = {
  UNAUTHENTICATED: 'The cookie is not from a signed-in user. Copy the whole Cookie header again.',
  UPSTREAM_UNREACHABLE: ELSEWHERE,
  UPSTREAM_TIMEOUT: ELSEWHERE,
  NOT_FOUND: WIRE,
  VALIDATION_ERROR: WIRE,
  UPSTREAM_MALFORMED: WIRE,
  UPSTREAM_ERROR: WIRE,
}

const explain = (code: BffErrorCode): Outcome =>
  fail(`${code}: ${BFF_ERRORS[code].title}`, ADVICE[code] ?? hintText(BFF_ERRORS[code].hint))

/** Checks with `GET /health`, which is not behind the gate, that the BFF is mounted here. */
export async function health(context: BffContext): Promise<Outcome> {
  const response = await send(context, '/health')
  const where = `${shownAddress(context.target.url)}/health`
  const word: unknown = Reflect.get(Object(response.json), 'status')
  if (word === 'ok') return ok(`${where} answers ok.`)
  if (word === 'draining')
    return warn(`${where} says that this instance is shutting down.`, 'Run the doctor again.')
  if (word === 'degraded') return warn(`${where} says that the BFF is degraded.`, 'Check its Redis.')
  if (problemCode(response) !== undefined)
    return fail(
      `${where} reaches the BFF, but not its route.`,
      'Set the option basePath to the mount path, or check the path in --bff.',
    )
  return fail(
    `${where} ${strangeResponse(response) ?? `answers ${response.status}, but not like a BFF`}.`,
    'Check --bff. It must be the address of the BFF, such as https://app.example.com/api/voice. Check that the proxy forwards this path.',
  )
}

/** A path without a route: the gate and `authorize` check the request, and nothing else happens. */
const NOWHERE = '/stagepass-doctor'

/** An origin that no BFF lists. */
const STRANGER = 'https://stagepass-doctor.invalid'

/**
 * Checks that requests without the gate's header, or from another site, are refused. (security.md, S3, S4,
 * S6.)
 */
export async function gate(context: BffContext): Promise<Outcome> {
  const stranger = { [GATE_HEADER]: '1', origin: STRANGER }
  for (const [what, path, request] of [
    ['without x-stagepass', '/session-token', { method: 'POST', json: { usage_type: 'stt' } }],
    ['from another origin', NOWHERE, { headers: stranger }],
    ['from another site', NOWHERE, { headers: { ...stranger, 'sec-fetch-site': 'cross-site' } }],
  ] as const) {
    const response = await send(context, path, request)
    if (problemCode(response) !== 'CROSS_SITE_BLOCKED')
      return fail(
        `A request ${what} gets ${response.status} instead of the 403 of the gate.`,
        'Check that POST reaches the BFF at this path, and that no proxy answers by itself, adds x-stagepass, or changes Origin and Sec-Fetch-Site.',
      )
  }
  return ok('Requests without x-stagepass and requests from other sites are refused.')
}

/** The headers that a browser sends from a page of the same origin. */
const ownPage = ({ target }: BffContext): Record<string, string> => ({
  [GATE_HEADER]: '1',
  origin: target.url.origin,
  'sec-fetch-site': 'same-origin',
  'sec-fetch-mode': 'cors',
})

/**
 * Checks that `authorize` requires a login, with a request like that of a modern browser from a page of the
 * site.
 */
export async function login(context: BffContext): Promise<Outcome> {
  const response = await send(context, NOWHERE, { headers: ownPage(context) })
  const code = problemCode(response)
  context.found.isOpen = code === 'NOT_FOUND'
  if (code === 'UNAUTHENTICATED')
    return ok('The gate lets pages of the site through, and authorize requires a login.')
  if (code === 'NOT_FOUND')
    return warn(
      'A request without a cookie gets a grant.',
      'This is right only if anyone may use the voice service. Otherwise let authorize return null if the user is not signed in.',
    )
  if (code === 'CROSS_SITE_BLOCKED')
    return fail(
      'A request from a page of the site is refused.',
      'Check that x-stagepass and Sec-Fetch-Site reach the BFF. A proxy may remove them.',
    )
  return code === undefined ? notTheBff(response) : explain(code)
}

/**
 * The same request from a browser that sends only `Origin`. It shows whether the BFF knows its own address.
 */
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
 * Sends a request like the page of a signed-in user. Returns the response, or the code of a problem. Ends the
 * check if there is no login, or if something other than the BFF answers.
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
        'Set STAGEPASS_COOKIE to the cookie of a signed-in user.',
      ),
    )
  const headers = { ...ownPage(context), ...(cookie !== undefined && { cookie }) }
  const response = await send(context, path, json ? { method: 'POST', headers, json } : { headers })
  const answer = response.status === 200 ? schema.safeParse(response.json).data : problemCode(response)
  if (answer !== undefined) return answer
  throw new CheckEnded(notTheBff(response))
}

/** The shortest lifetime of a token. */
const TOKEN_MINUTES = 5

/** Printed before the checks. */
export const BFF_NOTICE = `With the login of a user, this mints a token of ${TOKEN_MINUTES} minutes. If the grant has "usage", they count for the user, and what was not used is given back at the end.`

/** With the option `sessions` of the BFF. */
const ROOM = {
  free: ' The BFF shares the simultaneous sessions of the account, and there are free ones.',
  full: ' The BFF shares the simultaneous sessions of the account: at most two are free, so pages ask before they open.',
} as const

/** Gets a session token, as a page does. */
export async function token(context: BffContext): Promise<Outcome> {
  for (const product of PRODUCT_NAMES) {
    const json = { usage_type: product, expiration_ttl: TOKEN_MINUTES }
    const answer = await askAsPage(context, SessionTokenResponse, '/session-token', json)
    if (answer === 'FORBIDDEN' || answer === 'PRODUCT_NOT_ALLOWED') continue
    if (typeof answer === 'string') return explain(answer)
    context.redactor.hide(answer.session_key)
    context.found.token = answer
    return ok(`A token for ${product}.${answer.sessions ? ROOM[answer.sessions] : ''}`)
  }
  return fail('This user may not use any product.', 'Check the products in the grant of authorize.')
}

/**
 * Opens the WebSocket of a page, which connects directly to the service. Then reports its time, as a page
 * does, so that the user gets the other minutes of the token back.
 */
export async function stream(context: BffContext): Promise<Outcome> {
  const openedAt = performance.now()
  const outcome = await openStream(context)
  const lost = await report(context, Math.ceil(performance.now() - openedAt))
  return outcome.status === 'ok' && lost ? lost : outcome
}

/** Returns an outcome only if the minutes were not given back. */
async function report(context: BffContext, usedMs: number): Promise<Outcome | undefined> {
  const receipt = context.found.token?.usage_receipt
  if (receipt === undefined) return undefined
  const answer = await askAsPage(context, UsageResponse, '/usage', { receipt, used_ms: usedMs })
  if (typeof answer !== 'string') return undefined
  return warn(
    `The report of usage gets ${answer}: ${BFF_ERRORS[answer].title}`,
    `The ${TOKEN_MINUTES} minutes of this token stay counted for the user. ${hintText(BFF_ERRORS[answer].hint)}`,
  )
}

async function openStream({ found, limits, signal }: BffContext): Promise<Outcome> {
  const { stream_url: address = '', session_key: sessionKey } = found.token ?? {}
  if (!URL.canParse(address))
    return fail('stream_url of the token is not an address.', 'Check the option streamingUrl of the BFF.')
  const url = new URL(address)
  const refused = await openSocket(url, sessionKey, limits, signal)
  if (refused)
    return fail(
      `${shownAddress(url)} refuses the token by ${describeRefusal(refused)}.`,
      'Check that baseUrl and streamingUrl of the BFF belong to the same environment, and that the account has a free session.',
    )
  return ok(
    `${shownAddress(url)} opens with the token of the BFF.`,
    `If the page has a Content-Security-Policy, allow ${url.origin.replace(/^http/, 'ws')} in connect-src.`,
  )
}

const explainMeetings = (code: BffErrorCode): Outcome =>
  code === 'FORBIDDEN'
    ? skipped(
        'The grant of this user has no meetings.',
        'If the user should have them, let authorize return meetings.',
      )
    : explain(code)

/** Reads the first meetings page as a page does, one of its meetings, and the tags. */
export async function meetings(context: BffContext): Promise<Outcome> {
  const answer = await askAsPage(context, MeetingsResponse, '/meetings?limit=3')
  if (typeof answer === 'string') return explainMeetings(answer)
  const tags = await askAsPage(context, TagsResponse, '/tags')
  if (typeof tags === 'string') return explainMeetings(tags)
  const [first] = answer.meetings
  if (!first) return ok('0 meetings.', 'To check the list, use the cookie of a user who has meetings.')
  const one = await askAsPage(context, AnyMeeting, `/meetings/${encodeText(first.id)}`)
  if (typeof one === 'string') return explainMeetings(one)
  return ok(`${answer.meetings.length} meetings, one of them by its id, and ${tags.tags.length} tags.`)
}

/**
 * Possible problems with the headers of a response. Only JSON is checked, because everything that the BFF
 * sends is JSON. Another check reports the page of a proxy.
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
    seen: 'no-store, nosniff or no-referrer does not arrive as the BFF sends it',
    advice: 'Let the proxy keep these headers. Without no-store, a token can stay in a cache.',
  },
  {
    when: ({ headers, json }) =>
      json !== undefined && (headers['etag'] ?? headers['content-encoding']) !== undefined,
    finding: warn,
    seen: 'a proxy in front of the BFF compresses the response or adds an ETag',
    advice:
      'Turn this off for the path of the BFF, because the length of a compressed secret helps to guess it.',
  },
]

/**
 * Checks the headers of every response, because rules of a proxy can depend on path, method, status and size.
 * (security.md, S6, S17.)
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
