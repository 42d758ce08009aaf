import {
  type BffErrorCode,
  bffErrorRow,
  mapUpstreamFailure,
  type Product,
  type Seen,
  type SeenOf,
  type UpstreamFailure,
} from '@stagepass/contract'
import { UpstreamSessionToken, UpstreamTokenEnvelope } from '@stagepass/contract/schemas'
import { z } from 'zod'
import { BffError } from '../base/BffError.js'
import { invalidValue } from '../base/invalidValue.js'
import type { Redactor } from './createRedactor.js'
import { readJson } from './readJson.js'
import { returnProblem } from './returnProblem.js'
import type { UpstreamResponse } from './UpstreamResponse.js'
import { seenInField, seenInIssues, seenInResponse } from './whatWasSeen.js'

/** The used parts of a token response. `key_id` and `req_id` may be missing, or anything. */
const TokenEnvelope = UpstreamTokenEnvelope.pick({ code: true }).extend({
  data: UpstreamSessionToken.extend({ expires_at: z.unknown(), key_id: z.unknown().optional() }),
})

/** Body of the upstream's `POST /v2/sdk/tokens/session`. */
export interface MintRequest {
  readonly usage_type: Product
  readonly expiration_ttl: number | undefined
  readonly metadata: { readonly session_id: string } | undefined
}

export interface MintedToken {
  readonly session_key: string
  readonly type: 'session'
  /** The state of the license, if it is one word. */
  readonly status: string | undefined
  /** ISO 8601 with a zone. */
  readonly expires_at: string
  readonly expiresAtMs: number
  /** To be quoted to support. `undefined` unless it has the form of an identifier. */
  readonly reqId: string | undefined
  /** The service's number of the API key. It stays on the server. */
  readonly keyId: number | undefined
  /** The time of the response on the upstream's clock; `undefined` if it sent no `Date`. */
  readonly upstreamNowMs: number | undefined
}

/** Reads a text from a body that may be anything. */
function textAt(body: unknown, key: 'req_id' | 'error_code' | 'session_key'): string | undefined {
  const value: unknown = Reflect.get(Object(body), key)
  return typeof value === 'string' ? value : undefined
}

/** A UUID, or 32 hexadecimal digits. */
const REQ_ID = /^[\da-f]{8}(?:(?:-[\da-f]{4}){3}-|[\da-f]{12})[\da-f]{12}$/i

/**
 * Returns the upstream's request id, if it has the form of one and no secret in it. No other text of a
 * response may reach a browser.
 */
function readReqId(body: unknown, { isSecretId }: Redactor): string | undefined {
  const id = textAt(body, 'req_id') ?? ''
  const minted = textAt(Reflect.get(Object(body), 'data'), 'session_key') ?? ''
  return REQ_ID.test(id) && !isSecretId(id, minted) ? id : undefined
}

/** The part of the request that a refusal is about. `cursor` also turns a 404 or 410 into such a refusal. */
export type RefusedField = 'usage_type' | 'expiration_ttl' | 'fields' | 'cursor'

/**
 * The part of a read that a refusal is about, if it can be told. The page before was accepted with the same
 * fields, so it is the cursor, unless the response speaks of the fields alone.
 */
export function refusedFieldOf(
  search: URLSearchParams,
  names: { cursor: string; fields: string },
  text: string,
): RefusedField | undefined {
  const hasFields = search.has(names.fields)
  if (!search.has(names.cursor)) return hasFields ? 'fields' : undefined
  return hasFields && /field/i.test(text) && !/cursor/i.test(text) ? 'fields' : 'cursor'
}

/**
 * Returns the JSON of a 2xx. For any other status, throws the mapped error. `field`: the part of the request
 * that a 400 is about. (Contract: "Token errors".)
 */
export function readResponse(
  response: UpstreamResponse,
  endpoint: UpstreamFailure['endpoint'],
  field: RefusedField | undefined,
  redactor: Redactor,
): unknown {
  if (response.status < 200 || response.status >= 300) throw errorOf(response, endpoint, field, redactor)
  const body = readJson(response.text)
  if (body === undefined) throw new BffError('UPSTREAM_MALFORMED', { seen: seenInResponse(response) })
  return body
}

/** Returns the mapped error of a response that is not a 2xx. */
export function errorOf(
  response: UpstreamResponse,
  endpoint: UpstreamFailure['endpoint'],
  field: RefusedField | undefined,
  redactor: Redactor,
): BffError {
  const { status, retryAfterMs } = response
  const body = readJson(response.text)
  const { code, retryable } = mapUpstreamFailure({
    endpoint,
    status,
    errorCode: textAt(body, 'error_code'),
    hasCursor: field === 'cursor',
  })
  return new BffError(code, {
    retryable,
    // The time of a service for another error would only hold its clients back.
    retryAfterMs: bffErrorRow(code).waitMs === undefined ? undefined : retryAfterMs,
    field: code === 'VALIDATION_ERROR' ? field : undefined,
    reqId: readReqId(body, redactor),
    seen: seenInRefusal(code, response, endpoint, field),
  })
}

/** What was seen with an error that has more than one cause. */
function seenInRefusal(
  code: BffErrorCode,
  response: UpstreamResponse,
  endpoint: UpstreamFailure['endpoint'],
  field: RefusedField | undefined,
): Seen | undefined {
  switch (code) {
    case 'UPSTREAM_MALFORMED':
      return seenInResponse(response)
    case 'VALIDATION_ERROR':
      if (field === 'cursor') return invalidValue(field).details.seen
      return {
        cause: 'service',
        name: field === undefined ? 'the request' : `\`${field}\``,
        status: response.status,
      }
    case 'NOT_FOUND':
      return { cause: endpoint === 'request' ? 'request' : 'meeting' }
    case 'UPSTREAM_UNREACHABLE':
      return { cause: 'closed', what: 'before the request was read', failure: response.status }
    case 'UPSTREAM_RATE_LIMITED': {
      const { retryAfterMs } = response
      const wait = retryAfterMs === undefined ? '' : ` (Retry-After: ${Math.ceil(retryAfterMs / 1_000)} s)`
      return { cause: endpoint === 'token' ? 'token' : 'meetings', wait }
    }
    default:
      return undefined
  }
}

/** `status` of a token as one word. Any other text may be a secret. */
const STATUS = /^[a-z_]{1,32}$/i

/** ISO 8601. A time without a zone is UTC. (Contract: "Session token".) */
const TIME = /^\d{4}-\d\d-\d\dT\d\d:\d\d(?::\d\d(?:\.\d+)?)?(Z|[+-]\d\d:\d\d)?$/i

/**
 * Reads the session token from a response of the token endpoint, and checks that it is for the requested
 * product.
 */
export function readMintedToken(
  response: UpstreamResponse,
  { usage_type: product, expiration_ttl }: MintRequest,
  redactor: Redactor,
): MintedToken {
  // A 400 has two possible causes. An unknown product never gets this far. (Contract: "Token errors".)
  const field = expiration_ttl === undefined ? 'usage_type' : 'expiration_ttl'
  const body = readResponse(response, 'token', field, redactor)
  const parsed = TokenEnvelope.safeParse(body)
  const token = parsed.data?.data
  const expiry = typeof token?.expires_at === 'string' ? token.expires_at : ''
  const [time = '', zone = 'Z'] = TIME.exec(expiry) ?? []
  // RFC 3339 also allows `t` and `z`; the page expects `T` and `Z`.
  const expires_at = (time.endsWith(zone) ? time : time + zone).toUpperCase()
  const expiresAtMs = Date.parse(expires_at)
  if (token?.usage_type !== product || Number.isNaN(expiresAtMs)) throw malformed(seenInToken())
  const { session_key, type } = token
  const seen = returnProblem('data.session_key', 'sessionKey', session_key)
  if (seen) throw malformed(seen)
  const status = STATUS.test(token.status) ? token.status : undefined
  return {
    session_key,
    type,
    status,
    expires_at,
    expiresAtMs,
    reqId: readReqId(body, redactor),
    keyId: Number.isSafeInteger(token.key_id) ? Number(token.key_id) : undefined,
    upstreamNowMs: response.atMs,
  }

  function malformed(what: SeenOf<'UPSTREAM_MALFORMED'>): BffError {
    return new BffError('UPSTREAM_MALFORMED', { reqId: readReqId(body, redactor), seen: what })
  }

  function seenInToken(): SeenOf<'UPSTREAM_MALFORMED'> {
    if (parsed.error) return seenInIssues(body, parsed.error)
    return token?.usage_type === product
      ? seenInField(body, 'data.expires_at', 'an ISO 8601 time')
      : seenInField(body, 'data.usage_type', `"${product}"`)
  }
}
