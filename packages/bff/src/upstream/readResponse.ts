import {
  type BffErrorCode,
  mapUpstreamFailure,
  parseRetryAfter,
  type ServiceResponse,
  type UpstreamFailure,
} from '@stagepass/contract'
import { UpstreamSessionToken, UpstreamTokenEnvelope } from '@stagepass/contract/schemas'
import { BffError } from '../errors/BffError.js'
import { readJson } from './readJson.js'
import type { MintedToken, MintRequest } from './Upstream.js'

/** The parts of a token response that are used. `key_id` is not read, and `req_id` may be missing. */
const TokenEnvelope = UpstreamTokenEnvelope.pick({ code: true }).extend({
  data: UpstreamSessionToken.omit({ key_id: true, expires_at: true }),
})

/** Errors with a wait, and how long it is if the upstream does not say. */
const DEFAULT_WAIT_MS: Partial<Record<BffErrorCode, number>> = {
  CACHE_UNAVAILABLE: 1_000,
  MEETING_PROCESSING: 5_000,
  UPSTREAM_RATE_LIMITED: 1_000,
}

/** Of a body that may be anything. */
function textAt(body: unknown, key: 'req_id' | 'error_code'): string | undefined {
  const value: unknown = Reflect.get(Object(body), key)
  return typeof value === 'string' ? value : undefined
}

/** What was sent as a secret, as far as it is known. */
type Secrets = readonly (string | undefined)[]

/**
 * The upstream's request id, if it looks like one and holds none of the secrets. No other text of a response
 * may reach a browser.
 */
function readReqId(body: unknown, secrets: Secrets): string | undefined {
  const id = textAt(body, 'req_id')
  if (id === undefined || !/^[\w.:-]{1,128}$/.test(id)) return undefined
  return secrets.some((secret) => secret !== undefined && id.includes(secret)) ? undefined : id
}

const malformed = (reqId?: string): BffError => new BffError('UPSTREAM_MALFORMED', { reqId })

/**
 * The JSON of a 2xx. Throws the mapped failure of any other. `field` is the part of the request that causes a
 * 400 there, and `secrets` what was sent as one. (Contract: "Token errors".)
 */
export function readResponse(
  response: ServiceResponse,
  endpoint: UpstreamFailure['endpoint'],
  field: string,
  secrets: Secrets,
  wallNow: () => number,
): unknown {
  const { status, text } = response
  if (status < 200 || status >= 300) throw errorOf(response, endpoint, field, secrets, wallNow)
  const body = readJson(text)
  if (body === undefined) throw malformed()
  return body
}

/** What a response means that is no 2xx. */
export function errorOf(
  response: ServiceResponse,
  endpoint: UpstreamFailure['endpoint'],
  field: string,
  secrets: Secrets,
  wallNow: () => number,
): BffError {
  const body = readJson(response.text)
  const errorCode = textAt(body, 'error_code')
  const { status } = response
  const { code, retryable } = mapUpstreamFailure({ endpoint, status, errorCode })
  const defaultMs = DEFAULT_WAIT_MS[code]
  return new BffError(code, {
    retryable,
    retryAfterMs: defaultMs && (requestedWaitMs(response, wallNow) ?? defaultMs),
    field: code === 'VALIDATION_ERROR' ? field : undefined,
    reqId: readReqId(body, secrets),
  })
}

/** The wait that the response asks for, or `undefined`. */
export function requestedWaitMs(response: ServiceResponse, wallNow: () => number): number | undefined {
  return parseRetryAfter(response.retryAfter, clockOf(response) ?? wallNow())
}

function clockOf({ date }: ServiceResponse): number | undefined {
  const at = Date.parse(date ?? '')
  return Number.isNaN(at) ? undefined : at
}

/** The session token in a 2xx of the token endpoint, for the product that was asked for. */
export function readMintedToken(
  response: ServiceResponse,
  { usage_type: product, expiration_ttl }: MintRequest,
  key: string,
  wallNow: () => number,
): MintedToken {
  // A 400 has two causes; an unknown product never gets this far. (Contract: "Token errors".)
  const field = expiration_ttl === undefined ? 'usage_type' : 'expiration_ttl'
  const body = readResponse(response, 'token', field, [key], wallNow)
  const envelope = TokenEnvelope.safeParse(body)
  if (!envelope.success) throw malformed(readReqId(body, [key]))
  if (envelope.data.data.usage_type !== product)
    throw malformed(readReqId(body, [key, envelope.data.data.session_key]))
  const { session_key, type, status } = envelope.data.data
  // The schema has seen that `data` is an object.
  const expires_at = withZone((body as { data: { expires_at: unknown } }).data.expires_at)
  const expiresAtMs = Date.parse(expires_at ?? '')
  if (expires_at === undefined || Number.isNaN(expiresAtMs))
    throw malformed(readReqId(body, [key, session_key]))
  return { session_key, type, status, expires_at, expiresAtMs, upstreamNowMs: clockOf(response) }
}

/** ISO 8601 with a zone. A time without a zone is UTC. (Contract: "Session token".) */
function withZone(value: unknown): string | undefined {
  const match = /^\d{4}-\d\d-\d\dT\d\d:\d\d(?::\d\d(?:\.\d+)?)?(Z|[+-]\d\d:\d\d)?$/.exec(
    typeof value === 'string' ? value : '',
  )
  return match ? match[0] + (match[1] === undefined ? 'Z' : '') : undefined
}
