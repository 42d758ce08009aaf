import {
  codesOf,
  HANDSHAKE_ERRORS,
  type HandshakeErrorCode,
  hasCode,
  MEETINGS_ERRORS,
  type MeetingsErrorCode,
  type RefusalCause,
  TOKEN_ERRORS,
  type TokenErrorCode,
  withDefaults,
} from '@stagepass/contract'
import { utf8Length } from '../platform/bytes.js'
import { formatMeetingsError } from '../meetings/formatMeetings.js'
import { MAX_REASON_BYTES } from '../request/failure.js'
import type { Coding, EncodedBody, EncodedResponse, Endpoint, HttpResponse } from '../request/http.js'
import type { Effect, Fault, FaultMatch, MalformedKind, MalformedOptions, RefuseOptions } from './Fault.js'

const HTTP_ENDPOINTS = ['token', 'list', 'meeting', 'tags'] as const satisfies readonly Endpoint[]
const MEETINGS_ENDPOINTS = ['list', 'meeting', 'tags'] as const satisfies readonly Endpoint[]
const ALL_ENDPOINTS = [...HTTP_ENDPOINTS, 'handshake'] as const satisfies readonly Endpoint[]

const MATCH = { on: undefined, product: undefined, path: undefined, times: Infinity }

function createFault(name: string, effect: Effect, match: FaultMatch, possible: readonly Endpoint[]): Fault {
  withDefaults(MATCH, match, (problem) => {
    throw new Error(`Failed to make the fault ${name}: its object of options ${problem}`)
  })
  const { on, product, path, times = Infinity } = match
  if (!(times >= 1)) {
    throw new Error(
      `Failed to make the fault ${name}: times is ${times}. Give a number from 1, or leave it out.`,
    )
  }
  const wanted =
    on === undefined
      ? possible
      : [on].flat().flatMap((endpoint) => (endpoint === 'meetings' ? MEETINGS_ENDPOINTS : [endpoint]))
  const impossible = wanted.find((endpoint) => !possible.includes(endpoint))
  if (impossible) {
    throw new Error(
      `Failed to make the fault ${name}: it does not apply to "${impossible}". Choose on from ${possible.join(', ')}.`,
    )
  }
  return { effect, on: wanted, product, path, times }
}

const ENDPOINTS_OF_MEETINGS_ERROR: Readonly<Record<MeetingsErrorCode, readonly Endpoint[]>> = {
  INVALID_FIELDS: ['list', 'meeting'],
  CREDENTIAL_INVALID: MEETINGS_ENDPOINTS,
  SCOPE_MISSING: MEETINGS_ENDPOINTS,
  UNKNOWN_MEETING: ['meeting'],
  STILL_PROCESSING: ['meeting'],
  RATE_LIMIT_EXCEEDED: MEETINGS_ENDPOINTS,
}

/**
 * Responds with a code of one of the error tables. (Contract: "Token errors", "Handshake errors", "Meetings
 * errors".)
 */
export function fail(
  code: TokenErrorCode | HandshakeErrorCode | MeetingsErrorCode,
  match: FaultMatch & RefuseOptions = {},
): Fault {
  const name = `fail('${code}')`
  const { refuseBy: _by, refusalForm: _form, ...rest } = match
  if (hasCode(TOKEN_ERRORS, code)) return createFault(name, { type: 'fail', code }, rest, ['token'])
  if (hasCode(HANDSHAKE_ERRORS, code)) return createRefusal(name, code, match)
  if (hasCode(MEETINGS_ERRORS, code)) {
    const effect = { type: 'respond', response: formatMeetingsError(code) } as const
    return createFault(name, effect, rest, ENDPOINTS_OF_MEETINGS_ERROR[code])
  }
  throw new Error(
    `Failed to make the fault ${name}: the contract has no such code. Choose one of ${[
      ...codesOf(TOKEN_ERRORS),
      ...codesOf(HANDSHAKE_ERRORS),
      ...codesOf(MEETINGS_ERRORS),
    ].join(', ')}; for any other response use respond().`,
  )
}

/**
 * Refuses handshakes with a number without an error code, such as 402 or 500. (Assumptions: "Refused
 * handshakes".)
 */
export function refuse(status: number, match: FaultMatch & RefuseOptions = {}): Fault {
  if (!Number.isInteger(status) || status < 400 || status > 599) {
    throw new Error(`Failed to make the fault refuse(${status}): it is not an error status. Give 400 to 599.`)
  }
  return createRefusal(`refuse(${status})`, status, match)
}

/**
 * Refuses a page of the list that has a cursor: the service no longer knows it. The list itself is answered.
 * Default: 400, as for any wrong value; services also answer 404 or 410. (Assumptions: "Meetings wire".)
 */
export function expireCursors({
  status = 400,
  ...match
}: Omit<FaultMatch, 'on' | 'product'> & { status?: 400 | 404 | 410 | undefined } = {}): Fault {
  const response = { status, body: { error: 'The cursor is no longer valid.' } }
  return {
    ...createFault('expireCursors()', { type: 'respond', response }, match, ['list']),
    onlyWithCursor: true,
  }
}

function createRefusal(name: string, cause: RefusalCause, match: FaultMatch & RefuseOptions): Fault {
  const { refuseBy: by, refusalForm: form, ...rest } = match
  return createFault(name, { type: 'refuse', cause, by, form }, rest, ['handshake'])
}

/**
 * Responds with any status and body: an unknown code, a 503, a body of another form. A handshake is refused.
 */
export function respond(response: HttpResponse, match: FaultMatch = {}): Fault {
  return createFault('respond()', { type: 'respond', response }, match, ALL_ENDPOINTS)
}

/** Waits before the request is read, in addition to the option `latency`. Other faults still apply. */
export function delay(ms: number, match: FaultMatch = {}): Fault {
  return createFault('delay()', { type: 'delay', ms }, match, ALL_ENDPOINTS)
}

/**
 * Closes the TCP connection: before the body is read, after it (default), or, with `mid-response`, after the
 * first half of the response, when the request has had its full effect. The `product` of an HTTP request is
 * in its body, so `before-reading` can be limited to a product only for handshakes.
 */
export function drop(
  match: FaultMatch & { when?: 'before-reading' | 'after-reading' | 'mid-response' | undefined } = {},
): Fault {
  const { when = 'after-reading', ...rest } = match
  return createFault('drop()', { type: 'drop', when }, rest, ALL_ENDPOINTS)
}

/**
 * Closes a connection that was idle for `afterMs` (default 0), just when its next request arrives. Nothing of
 * the request is read, as if the close and the request had crossed on their way. The first request of a
 * connection is answered. The `product` of an HTTP request is in its body, so it can select only handshakes
 * here.
 */
export function closeIdle(match: FaultMatch & { afterMs?: number | undefined } = {}): Fault {
  const { afterMs = 0, ...rest } = match
  if (!(afterMs >= 0)) {
    throw new Error(`Failed to make the fault closeIdle(): afterMs is ${afterMs}. Give a number from 0.`)
  }
  return createFault('closeIdle()', { type: 'close-idle', afterMs }, rest, ALL_ENDPOINTS)
}

/**
 * Encodes the body of the response, even if the request did not accept it. Other faults still apply. An
 * endless body and half of a response are not encoded.
 */
export function encoded(coding: Coding, match: FaultMatch = {}): Fault {
  return createFault(`encoded('${coding}')`, { type: 'encoded', coding }, match, ALL_ENDPOINTS)
}

/** Begins the body of the response with a byte order mark. Other faults still apply. */
export function byteOrderMark(match: FaultMatch = {}): Fault {
  return createFault('byteOrderMark()', { type: 'byte-order-mark' }, match, ALL_ENDPOINTS)
}

/**
 * Sends these fields of a meeting with other values: a duration as text, an object as a title, an id as a
 * number. `undefined` removes a field, and a `bigint` is a number with all its digits. Only requested fields
 * are sent. With `id` only that meeting has them. Other faults still apply. (Assumptions: "Meeting fields".)
 */
export function oddFields(
  fields: Readonly<Record<string, unknown>>,
  { id, ...match }: Omit<FaultMatch, 'product'> & { id?: string | undefined } = {},
): Fault {
  return createFault('oddFields()', { type: 'odd-fields', odd: { fields, id } }, match, ['list', 'meeting'])
}

const json = (body: EncodedBody): EncodedResponse => ({
  status: 200,
  headers: { 'content-type': 'application/json' },
  body,
})
const PROXY_PAGE = '<html><head><title>Bad Gateway</title></head><body><h1>Bad Gateway</h1></body></html>'

/** The response of each kind, without options. */
const MALFORMED: Readonly<Record<MalformedKind, EncodedResponse>> = {
  'bad-json': json({ type: 'text', text: '{"code":0,"message":"Success","data":{"session_' }),
  'wrong-shape': json({ type: 'text', text: '{"ok":true,"items":[1,2,3]}' }),
  empty: json({ type: 'text', text: '' }),
  html: { status: 502, headers: { 'content-type': 'text/html' }, body: { type: 'text', text: PROXY_PAGE } },
  oversized: json({ type: 'spaces', count: 16 * 1_024 * 1_024 }),
  redirect: { status: 302, headers: { location: '/redirected' }, body: { type: 'text', text: '' } },
  endless: json({ type: 'endless', everyMs: 20 }),
}

/**
 * Sends a response that no client can use: incomplete JSON, JSON of another form, an empty body, a proxy's
 * page, a huge body, a redirect, or an endless body.
 */
export function malformed(kind: MalformedKind, match: FaultMatch & MalformedOptions = {}): Fault {
  const usual = MALFORMED[kind]
  const { status = usual.status, bytes, location, ...rest } = match
  const { body } = usual
  const response: EncodedResponse = {
    status,
    headers: kind === 'redirect' && location !== undefined ? { location } : usual.headers,
    body: body.type === 'spaces' ? { ...body, count: bytes ?? body.count } : body,
  }
  return createFault(`malformed('${kind}')`, { type: 'malformed', response }, rest, HTTP_ENDPOINTS)
}

/** Never responds. The connection stays open until the client leaves, or until `reset()` or `close()`. */
export function hang(match: FaultMatch = {}): Fault {
  return createFault('hang()', { type: 'hang' }, match, ALL_ENDPOINTS)
}

/**
 * The next connections take what is sent and answer nothing, from `afterMs` after their opening (default 0)
 * for `forMs` (default: until they end): dead and not closed, as a phone between two masts. What arrives
 * meanwhile is not heard. Other faults still apply.
 */
export function mute(
  match: Omit<FaultMatch, 'on'> & { afterMs?: number | undefined; forMs?: number | undefined } = {},
): Fault {
  const { afterMs = 0, forMs = Infinity, ...rest } = match
  for (const [name, ms] of Object.entries({ afterMs, forMs }))
    if (!(ms >= 0))
      throw new Error(`Failed to make the fault mute(): ${name} is ${ms}. Give a number from 0.`)
  return createFault('mute()', { type: 'mute', afterMs, forMs }, rest, ['handshake'])
}

/**
 * The network is gone until the fault is removed: no request and no handshake is answered, and the messages
 * of open connections wait in both directions. They arrive when it is back, if the connection is still open.
 */
export function blackhole(): Fault {
  return createFault('blackhole()', { type: 'blackhole' }, {}, ALL_ENDPOINTS)
}

/** Opens the socket for any token, and closes it at once. Default: 1011 without a reason. */
export function acceptThenClose(code = 1011, reason = '', match: FaultMatch = {}): Fault {
  checkClose(code, reason)
  return createFault('acceptThenClose()', { type: 'close', code, reason }, match, ['handshake'])
}

/**
 * A close frame does not allow every number and every text. Without this check the transport would throw
 * later, when the socket opens.
 */
function checkClose(code: number, reason: string): void {
  const act = `Failed to make the fault acceptThenClose(${code})`
  const isProtocols = code >= 1_000 && code <= 1_014 && ![1_004, 1_005, 1_006].includes(code)
  if (!Number.isInteger(code) || !(isProtocols || (code >= 3_000 && code <= 4_999))) {
    throw new Error(
      `${act}: no close frame can have this code. Give 1000 to 1003, 1007 to 1014 or 3000 to 4999.`,
    )
  }
  if (utf8Length(reason) > MAX_REASON_BYTES) {
    throw new Error(`${act}: its reason is too long. Give at most ${MAX_REASON_BYTES} bytes.`)
  }
}
