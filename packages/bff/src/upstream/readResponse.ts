import { mapUpstreamFailure, type UpstreamFailure } from '@stagepass/contract'
import { UpstreamSessionToken, UpstreamTokenEnvelope } from '@stagepass/contract/schemas'
import { BffError } from '../context/BffError.js'
import type { HttpResponse } from './httpClient.js'
import { parseRetryAfter } from './parseRetryAfter.js'
import type { MintedToken, MintRequest } from './Upstream.js'

/** The parts of a token response that are used. `key_id` is not read, and `req_id` may be missing. */
const TokenEnvelope = UpstreamTokenEnvelope.pick({ code: true }).extend({
  data: UpstreamSessionToken.omit({ key_id: true, expires_at: true }),
})

const DEFAULT_WAIT_MS = { CACHE_UNAVAILABLE: 1_000, MEETING_PROCESSING: 5_000, UPSTREAM_RATE_LIMITED: 1_000 }

/** The JSON, or `undefined` if it is not valid. */
function readJson(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}

const isRecord = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value)

/** The upstream's request id, if it looks like one. No other text of a response may reach a browser. */
function readReqId(body: unknown): string | undefined {
  const id = isRecord(body) ? body['req_id'] : undefined
  return typeof id === 'string' && /^[\w.:-]{1,128}$/.test(id) ? id : undefined
}

const malformed = (reqId?: string): BffError => new BffError('UPSTREAM_MALFORMED', { reqId })

const isSuccess = (status: number): boolean => status >= 200 && status < 300

/** The endpoint that responded, and the field that causes a 400 there. (Contract: "Token errors".) */
interface ResponseSource {
  readonly surface: UpstreamFailure['surface']
  readonly field: string | undefined
}

/** The JSON of a 2xx. Throws the mapped failure of any other. */
export function readResponse(
  { surface, field }: ResponseSource,
  response: HttpResponse,
  wallNow: () => number,
): unknown {
  const body = readJson(response.text)
  if (isSuccess(response.status)) {
    if (body === undefined) throw malformed()
    return body
  }
  const errorCode = isRecord(body) && typeof body['error_code'] === 'string' ? body['error_code'] : undefined
  const { code, retryable } = mapUpstreamFailure({ surface, status: response.status, errorCode })
  const retryAfterMs = hasWait(code)
    ? (parseRetryAfter(response.retryAfter, clockOf(response) ?? wallNow()) ?? DEFAULT_WAIT_MS[code])
    : undefined
  throw new BffError(code, {
    retryable,
    retryAfterMs,
    field: code === 'VALIDATION_ERROR' ? field : undefined,
    reqId: readReqId(body),
  })
}

function hasWait(code: string): code is keyof typeof DEFAULT_WAIT_MS {
  return Object.hasOwn(DEFAULT_WAIT_MS, code)
}

/** The wait that a 429 asked for, or `undefined`. */
export function requestedWaitMs(response: HttpResponse, wallNow: () => number): number | undefined {
  return response.status === 429
    ? parseRetryAfter(response.retryAfter, clockOf(response) ?? wallNow())
    : undefined
}

function clockOf({ date }: HttpResponse): number | undefined {
  const at = date === undefined ? Number.NaN : Date.parse(date)
  return Number.isNaN(at) ? undefined : at
}

/** The session token in a 2xx of the token endpoint, for the product that was asked for. */
export function readMintedToken(
  response: HttpResponse,
  { usage_type: product, expiration_ttl }: MintRequest,
  wallNow: () => number,
): MintedToken {
  // A 400 has two causes; an unknown product never gets this far. (Contract: "Token errors".)
  const field = expiration_ttl === undefined ? 'usage_type' : 'expiration_ttl'
  const body = readResponse({ surface: 'token', field }, response, wallNow)
  const envelope = TokenEnvelope.safeParse(body)
  if (!envelope.success || envelope.data.data.usage_type !== product) throw malformed(readReqId(body))
  const { session_key, type, status } = envelope.data.data
  // The schema has seen that `data` is an object.
  const expires_at = withZone((body as { data: { expires_at: unknown } }).data.expires_at)
  const expiresAtMs = Date.parse(expires_at ?? '')
  if (expires_at === undefined || Number.isNaN(expiresAtMs)) throw malformed(readReqId(body))
  return { session_key, type, status, expires_at, expiresAtMs, upstreamNowMs: clockOf(response) }
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
