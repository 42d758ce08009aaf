import type { HandshakeErrorCode, MeetingsErrorCode, Product, TokenErrorCode } from '@stagepass/contract'
import { codesOf, hasCode, HANDSHAKE_ERRORS, MEETINGS_ERRORS, TOKEN_ERRORS } from '@stagepass/contract'
import type { Answer } from '../request/http.js'
import type { RefusalCause, RefusalForm, RefuseBy } from '../sockets/refusal.js'

/** A part of the interface that a fault can strike. */
export type Surface = 'token' | 'handshake' | 'list' | 'meeting' | 'tags'

const HTTP_SURFACES = ['token', 'list', 'meeting', 'tags'] as const satisfies readonly Surface[]
const MEETINGS_SURFACES = ['list', 'meeting', 'tags'] as const satisfies readonly Surface[]
const ALL_SURFACES = [...HTTP_SURFACES, 'handshake'] as const satisfies readonly Surface[]

/** Which requests a fault strikes. Where nothing is said: all that the fault can strike, until it is undone. */
export interface FaultMatch {
  /** The surfaces; `meetings` stands for `list`, `meeting` and `tags`. */
  on?: Surface | 'meetings' | readonly (Surface | 'meetings')[] | undefined
  /** The product of a token request or a handshake. */
  product?: Product | undefined
  /** The request's path, without the query. */
  path?: string | RegExp | undefined
  /** How many requests; after these it is used up. Default: no end. */
  times?: number | undefined
}

export type MalformedKind =
  'bad-json' | 'wrong-shape' | 'empty' | 'html' | 'oversized' | 'redirect' | 'endless'

export type Effect =
  | { readonly type: 'fail'; readonly code: TokenErrorCode | MeetingsErrorCode }
  | {
      readonly type: 'refuse'
      readonly cause: RefusalCause
      readonly by: RefuseBy | undefined
      readonly form: RefusalForm | undefined
    }
  | { readonly type: 'answer'; readonly answer: Answer }
  | { readonly type: 'delay'; readonly ms: number }
  | { readonly type: 'drop'; readonly when: 'before-reading' | 'after-reading' | 'mid-answer' }
  | { readonly type: 'malformed'; readonly kind: MalformedKind; readonly options: MalformedOptions }
  | { readonly type: 'hang' }
  | { readonly type: 'close'; readonly code: number; readonly reason: string }

/** A fault as data, made by `fail`, `delay`, `drop` and the others, and given to `use`. */
export interface Fault {
  readonly effect: Effect
  readonly on: readonly Surface[]
  readonly product: Product | undefined
  readonly path: string | RegExp | undefined
  readonly times: number
}

function createFault(name: string, effect: Effect, match: FaultMatch, possible: readonly Surface[]): Fault {
  const { on, product, path, times = Infinity } = match
  if (!(times >= 1)) {
    throw new Error(
      `Failed to make the fault ${name}: times is ${times}. Give a number from 1, or leave it out.`,
    )
  }
  const wanted =
    on === undefined
      ? possible
      : [on].flat().flatMap((surface) => (surface === 'meetings' ? MEETINGS_SURFACES : [surface]))
  const impossible = wanted.find((surface) => !possible.includes(surface))
  if (impossible) {
    throw new Error(
      `Failed to make the fault ${name}: it cannot strike "${impossible}". Choose on from ${possible.join(', ')}.`,
    )
  }
  return { effect, on: wanted, product, path, times }
}

const SURFACES_OF_MEETINGS_ERROR: Readonly<Record<MeetingsErrorCode, readonly Surface[]>> = {
  INVALID_FIELDS: ['list', 'meeting'],
  CREDENTIAL_INVALID: MEETINGS_SURFACES,
  SCOPE_MISSING: MEETINGS_SURFACES,
  UNKNOWN_MEETING: ['meeting'],
  STILL_PROCESSING: ['meeting'],
  RATE_LIMIT_EXCEEDED: MEETINGS_SURFACES,
}

/** How a refused handshake arrives. Default: as the emulator's options say. */
export interface RefuseOptions {
  refuseBy?: RefuseBy | undefined
  refusalForm?: RefusalForm | undefined
}

/** Answers with a code of one of the tables. (Contract: "Token errors", "Handshake errors", "Meetings errors".) */
export function fail(
  code: TokenErrorCode | HandshakeErrorCode | MeetingsErrorCode,
  match: FaultMatch & RefuseOptions = {},
): Fault {
  const name = `fail('${code}')`
  if (hasCode(TOKEN_ERRORS, code)) return createFault(name, { type: 'fail', code }, match, ['token'])
  if (hasCode(HANDSHAKE_ERRORS, code)) return createRefusal(name, code, match)
  if (hasCode(MEETINGS_ERRORS, code)) {
    return createFault(name, { type: 'fail', code }, match, SURFACES_OF_MEETINGS_ERROR[code])
  }
  throw new Error(
    `Failed to make the fault ${name}: the contract has no such code. Choose one of ${[
      ...codesOf(TOKEN_ERRORS),
      ...codesOf(HANDSHAKE_ERRORS),
      ...codesOf(MEETINGS_ERRORS),
    ].join(', ')}; for any other answer use answer().`,
  )
}

/** Refuses handshakes with a number that has no name, such as 402 or 500. (Assumptions: "Refused handshakes".) */
export function refuse(status: number, match: FaultMatch & RefuseOptions = {}): Fault {
  if (!Number.isInteger(status) || status < 400 || status > 599) {
    throw new Error(`Failed to make the fault refuse(${status}): it is no error status. Give 400 to 599.`)
  }
  return createRefusal(`refuse(${status})`, status, match)
}

function createRefusal(name: string, cause: RefusalCause, match: FaultMatch & RefuseOptions): Fault {
  const { refuseBy: by, refusalForm: form } = match
  return createFault(name, { type: 'refuse', cause, by, form }, match, ['handshake'])
}

/** Answers with any status and body: an unknown code, a 503, a body without a schema. On a handshake it refuses the upgrade. */
export function answer(reply: Answer, match: FaultMatch = {}): Fault {
  return createFault('answer()', { type: 'answer', answer: reply }, match, ALL_SURFACES)
}

/** Waits before the request is looked at. It adds to the `latency` option, and other faults still strike. */
export function delay(ms: number, match: FaultMatch = {}): Fault {
  return createFault('delay()', { type: 'delay', ms }, match, ALL_SURFACES)
}

/**
 * Destroys the TCP connection: before the body is read, after (default), or, `mid-answer`, behind half of what would have been the answer, which
 * took its full effect. A `product` is known after reading only, so `before-reading` cannot be limited to one, save on handshakes.
 */
export function drop(
  match: FaultMatch & { when?: 'before-reading' | 'after-reading' | 'mid-answer' | undefined } = {},
): Fault {
  return createFault('drop()', { type: 'drop', when: match.when ?? 'after-reading' }, match, ALL_SURFACES)
}

export interface MalformedOptions {
  /** Default 200; 302 for `redirect`, 502 for `html`. */
  status?: number | undefined
  /** Size of an `oversized` body. Default 16 MiB. */
  bytes?: number | undefined
  /** Target of a `redirect`. Default: a path of the emulator that answers 404. */
  location?: string | undefined
}

/** Answers with something that is no answer: cut JSON, JSON of another shape, nothing, a proxy's page, too much, a redirect, a body without end. */
export function malformed(kind: MalformedKind, match: FaultMatch & MalformedOptions = {}): Fault {
  const { status, bytes, location } = match
  return createFault(
    `malformed('${kind}')`,
    { type: 'malformed', kind, options: { status, bytes, location } },
    match,
    HTTP_SURFACES,
  )
}

/** Never answers: the connection stays open until the client leaves, or until `reset()` or `close()`. */
export function hang(match: FaultMatch = {}): Fault {
  return createFault('hang()', { type: 'hang' }, match, ALL_SURFACES)
}

/** Opens the socket, whatever the token, and closes it at once. Default: 1011 without a reason. */
export function acceptThenClose(code = 1011, reason = '', match: FaultMatch = {}): Fault {
  return createFault('acceptThenClose()', { type: 'close', code, reason }, match, ['handshake'])
}
