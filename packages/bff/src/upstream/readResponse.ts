import { mapUpstreamFailure, type UpstreamFailure } from '@stagepass/contract'
import { UpstreamSessionToken, UpstreamTokenEnvelope } from '@stagepass/contract/schemas'
import { BffError } from '../context/BffError.js'
import type { HttpAnswer } from './httpClient.js'
import { parseRetryAfter } from './parseRetryAfter.js'
import type { MintedToken, MintRequest } from './Upstream.js'

/** What is asked of a token answer. `key_id` is dropped unread, and an answer without a `req_id` is an answer all the same. */
const TokenEnvelope = UpstreamTokenEnvelope.pick({ code: true }).extend({
  data: UpstreamSessionToken.omit({ key_id: true, expires_at: true }),
})

const DEFAULT_PAUSE_MS = { CACHE_UNAVAILABLE: 1_000, MEETING_PROCESSING: 5_000, UPSTREAM_RATE_LIMITED: 1_000 }

/** JSON, or `undefined` where it is none. */
function readJson(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}

const isRecord = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value)

/** The upstream's request id goes on to the browser only where it looks like one: nothing else of an answer's text may. */
function readReqId(body: unknown): string | undefined {
  const id = isRecord(body) ? body['req_id'] : undefined
  return typeof id === 'string' && /^[\w.:-]{1,128}$/.test(id) ? id : undefined
}

const malformed = (reqId?: string): BffError => new BffError('UPSTREAM_MALFORMED', { reqId })

const isSuccess = (status: number): boolean => status >= 200 && status < 300

/** Whose answer it is, and which field is the cause of a 400 (our own checks cover the rest). (Contract: "Token errors".) */
export interface AnswerSource {
  readonly surface: UpstreamFailure['surface']
  readonly blamed: string | undefined
}

/** The JSON of a 2xx. Throws the mapped failure of any other. */
export function readAnswer(
  { surface, blamed }: AnswerSource,
  answer: HttpAnswer,
  wallNow: () => number,
): unknown {
  const body = readJson(answer.text)
  if (isSuccess(answer.status)) {
    if (body === undefined) throw malformed()
    return body
  }
  const errorCode = isRecord(body) && typeof body['error_code'] === 'string' ? body['error_code'] : undefined
  const { code, retryable } = mapUpstreamFailure({ surface, status: answer.status, errorCode })
  const retryAfterMs = hasPause(code)
    ? (parseRetryAfter(answer.retryAfter, clockOf(answer) ?? wallNow()) ?? DEFAULT_PAUSE_MS[code])
    : undefined
  const field = code === 'VALIDATION_ERROR' ? blamed : undefined
  throw new BffError(code, { retryable, retryAfterMs, field, reqId: readReqId(body) })
}

function hasPause(code: string): code is keyof typeof DEFAULT_PAUSE_MS {
  return Object.hasOwn(DEFAULT_PAUSE_MS, code)
}

/** The pause that a 429 asked for, or `undefined` where it asked for none. */
export function askedPauseMs(answer: HttpAnswer, wallNow: () => number): number | undefined {
  return answer.status === 429 ? parseRetryAfter(answer.retryAfter, clockOf(answer) ?? wallNow()) : undefined
}

function clockOf({ date }: HttpAnswer): number | undefined {
  const at = date === undefined ? Number.NaN : Date.parse(date)
  return Number.isNaN(at) ? undefined : at
}

/** The session token in a 2xx of the token endpoint, for the product that was asked for. */
export function readMintedToken(
  answer: HttpAnswer,
  { usage_type: product, expiration_ttl }: MintRequest,
  wallNow: () => number,
): MintedToken {
  // A 400 has two causes; an unknown product never gets this far. (Contract: "Token errors".)
  const blamed = expiration_ttl === undefined ? 'usage_type' : 'expiration_ttl'
  const body = readAnswer({ surface: 'token', blamed }, answer, wallNow)
  const envelope = TokenEnvelope.safeParse(body)
  if (!envelope.success || envelope.data.data.usage_type !== product) throw malformed(readReqId(body))
  const { session_key, type, status } = envelope.data.data
  // The schema has seen that `data` is an object.
  const expires_at = withZone((body as { data: { expires_at: unknown } }).data.expires_at)
  const expiresAtMs = Date.parse(expires_at ?? '')
  if (expires_at === undefined || Number.isNaN(expiresAtMs)) throw malformed(readReqId(body))
  return { session_key, type, status, expires_at, expiresAtMs, upstreamNowMs: clockOf(answer) }
}

/** ISO 8601 with a zone. A time without a zone is UTC. (Contract: "Session token".) */
function withZone(value: unknown): string | undefined {
  const match =
    typeof value === 'string'
      ? /^\d{4}-\d\d-\d\dT\d\d:\d\d(?::\d\d(?:\.\d+)?)?(Z|[+-]\d\d:\d\d)?$/.exec(value)
      : null
  if (!match) return undefined
  return match[1] === undefined ? `${match[0]}Z` : match[0]
}
