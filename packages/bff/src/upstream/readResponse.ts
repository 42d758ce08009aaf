import {
  type BffErrorCode,
  mapUpstreamFailure,
  type Product,
  type UpstreamFailure,
} from '@stagepass/contract'
import { UpstreamSessionToken, UpstreamTokenEnvelope } from '@stagepass/contract/schemas'
import { z } from 'zod'
import { BffError } from '../errors/BffError.js'
import { readJson } from './readJson.js'
import type { UpstreamResponse } from './sendRequest.js'

/** The parts of a token response that are used. `key_id` is not read, and `req_id` may be missing. */
const TokenEnvelope = UpstreamTokenEnvelope.pick({ code: true }).extend({
  data: UpstreamSessionToken.omit({ key_id: true }).extend({ expires_at: z.unknown() }),
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
  readonly status: string
  /** ISO 8601 with a zone. */
  readonly expires_at: string
  readonly expiresAtMs: number
  /** The upstream's clock at its response, or `undefined` if it sent none. */
  readonly upstreamNowMs: number | undefined
}

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
  const id = textAt(body, 'req_id') ?? ''
  const isSafe = !secrets.some((secret) => secret !== undefined && id.includes(secret))
  return /^[\w.:-]{1,128}$/.test(id) && isSafe ? id : undefined
}

/**
 * The JSON of a 2xx. Throws the mapped failure of any other. `field` is the part of the request that causes a
 * 400 there, and `secrets` what was sent as one. (Contract: "Token errors".)
 */
export function readResponse(
  response: UpstreamResponse,
  endpoint: UpstreamFailure['endpoint'],
  field: string,
  secrets: Secrets,
): unknown {
  if (response.status < 200 || response.status >= 300) throw errorOf(response, endpoint, field, secrets)
  const body = readJson(response.text)
  if (body === undefined) throw new BffError('UPSTREAM_MALFORMED')
  return body
}

/** What a response means that is no 2xx. */
export function errorOf(
  { status, text, retryAfterMs }: UpstreamResponse,
  endpoint: UpstreamFailure['endpoint'],
  field: string,
  secrets: Secrets,
): BffError {
  const body = readJson(text)
  const { code, retryable } = mapUpstreamFailure({ endpoint, status, errorCode: textAt(body, 'error_code') })
  const defaultMs = DEFAULT_WAIT_MS[code]
  return new BffError(code, {
    retryable,
    retryAfterMs: defaultMs && (retryAfterMs ?? defaultMs),
    field: code === 'VALIDATION_ERROR' ? field : undefined,
    reqId: readReqId(body, secrets),
  })
}

/** ISO 8601. A time without a zone is UTC. (Contract: "Session token".) */
const TIME = /^\d{4}-\d\d-\d\dT\d\d:\d\d(?::\d\d(?:\.\d+)?)?(Z|[+-]\d\d:\d\d)?$/

/** The session token in a 2xx of the token endpoint, for the product that was asked for. */
export function readMintedToken(
  response: UpstreamResponse,
  { usage_type: product, expiration_ttl }: MintRequest,
  key: string,
): MintedToken {
  // A 400 has two causes; an unknown product never gets this far. (Contract: "Token errors".)
  const field = expiration_ttl === undefined ? 'usage_type' : 'expiration_ttl'
  const body = readResponse(response, 'token', field, [key])
  const token = TokenEnvelope.safeParse(body).data?.data
  const expiry = typeof token?.expires_at === 'string' ? token.expires_at : ''
  const [time = '', zone = 'Z'] = TIME.exec(expiry) ?? []
  const expires_at = time.endsWith(zone) ? time : time + zone
  const expiresAtMs = Date.parse(expires_at)
  if (token?.usage_type !== product || Number.isNaN(expiresAtMs))
    throw new BffError('UPSTREAM_MALFORMED', { reqId: readReqId(body, [key, token?.session_key]) })
  const { session_key, type, status } = token
  return { session_key, type, status, expires_at, expiresAtMs, upstreamNowMs: response.atMs }
}
