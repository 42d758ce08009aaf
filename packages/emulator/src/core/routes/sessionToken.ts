import {
  isProduct,
  type Product,
  PRODUCT_NAMES,
  PRODUCTS,
  TOKEN_ERRORS,
  TOKEN_PATH,
  type TokenErrorCode,
  type UpstreamErrorEnvelope,
  type UpstreamTokenEnvelope,
} from '@stagepass/contract'
import { UpstreamTokenRequest } from '@stagepass/contract/schemas'
import type { Body, HttpResponse, RequestHeaders } from '../request/http.js'
import { parseAuthorization } from '../request/parseRequest.js'
import type { Ids } from '../platform/ids.js'
import { type ApiKeyRow, KEY_STATES, type KeyState, type SessionTokenRow } from '../store/rows.js'
import type { Store } from '../store/store.js'
import type { Route } from './Route.js'

export interface SessionTokenOptions {
  readonly store: Store
  /** `status` of a fresh token. */
  readonly tokenStatus: string
  readonly ids: Ids
}

/** (Contract: "Token endpoint".) */
export function sessionTokenRoute({ store, ids, tokenStatus }: SessionTokenOptions): Route {
  const { nextReqId, nextSessionKey } = ids

  return {
    endpoint: 'token',
    method: 'POST',
    paths: [TOKEN_PATH],
    productOf: requestedProduct,

    respond({ headers, body, nowMs }) {
      const reqId = nextReqId()
      const key = parseAuthorization(headers.authorization ?? '', 'api-key')
      if (key === undefined) return formatTokenError('AUTH_HEADER_MISSING', reqId)

      const keyRow = store.apiKeys.get(key)
      if (!keyRow) return formatTokenError('AUTH_API_KEY_INVALID', reqId)
      const keyError = judgeKey(keyRow)
      if (keyError) return formatTokenError(keyError, reqId)

      const request = parseRequest(headers, body)
      if (!request.ok) return formatTokenError('VALIDATION_ERROR', reqId, request.reason)
      const { usage_type, expiration_ttl, metadata } = request.value

      const usageChecks = store.accounts.get(keyRow.account)?.usageChecks ?? true
      const teamError = judgeTeam(keyRow, usage_type, usageChecks)
      if (teamError) return formatTokenError(teamError, reqId)

      const ttlMinutes = expiration_ttl ?? PRODUCTS[usage_type].ttlMinutes.default
      const token = {
        sessionKey: nextSessionKey(),
        product: usage_type,
        // The team and the user come from the key. Values in the request are not used.
        keyId: keyRow.keyId,
        account: keyRow.account,
        status: tokenStatus,
        issuedAtMs: nowMs,
        expiresAtMs: nowMs + ttlMinutes * 60_000,
        sessionId: metadata?.session_id,
      }
      store.tokens.add(token)
      return { status: 200, body: formatToken(token, reqId) }
    },
  }
}

function requestedProduct(body: Body): Product | undefined {
  if (body.type !== 'json' || typeof body.value !== 'object' || body.value === null) return undefined
  const usageType: unknown = Reflect.get(body.value, 'usage_type')
  return isProduct(usageType) ? usageType : undefined
}

type ParsedRequest = { ok: true; value: UpstreamTokenRequest } | { ok: false; reason: string }

function parseRequest(headers: RequestHeaders, body: Body): ParsedRequest {
  const mediaType = headers['content-type']?.split(';')[0]?.trim().toLowerCase()
  if (mediaType !== 'application/json') {
    return { ok: false, reason: 'The Content-Type header must be application/json.' }
  }
  if (body.type !== 'json') return { ok: false, reason: 'The body is not JSON.' }
  const parsed = UpstreamTokenRequest.safeParse(body.value)
  if (parsed.success) return { ok: true, value: parsed.data }
  const [issue] = parsed.error.issues
  const where = issue && issue.path.length > 0 ? issue.path.join('.') : 'body'
  return { ok: false, reason: `${where}: ${issue?.message ?? 'not valid'}` }
}

/** Returns the error of the key itself, which is checked before the request is read. */
function judgeKey({ state }: ApiKeyRow): TokenErrorCode | undefined {
  const code = KEY_STATES[state]
  return code !== null && TOKEN_ERRORS[code].status === 401 ? code : undefined
}

/** Returns the error of the team or the account for this product. */
function judgeTeam(
  { state, products = PRODUCT_NAMES }: ApiKeyRow,
  product: Product,
  usageChecks: boolean,
): TokenErrorCode | null {
  const holds: Partial<Record<KeyState, boolean>> = {
    productNotAllowed: products.includes(product),
    pastDue: usageChecks,
    balanceExhausted: usageChecks,
    spendCapReached: usageChecks,
    usageExceeded: product !== 'vt',
    vtUsageExceeded: product === 'vt',
  }
  return holds[state] === false ? null : KEY_STATES[state]
}

/** The token response envelope. */
function formatToken(row: SessionTokenRow, reqId: string): UpstreamTokenEnvelope {
  return {
    code: 0,
    message: 'Success',
    data: {
      session_key: row.sessionKey,
      expires_at: new Date(row.expiresAtMs).toISOString(),
      key_id: row.keyId,
      status: row.status,
      type: 'session',
      usage_type: row.product,
    },
    req_id: reqId,
  }
}

/**
 * The error body of the token endpoint, with the status of its table. (Contract: "Token error body", "Token
 * errors".)
 */
export function formatTokenError(code: TokenErrorCode, reqId: string, message?: string): HttpResponse {
  const row = TOKEN_ERRORS[code]
  const body: UpstreamErrorEnvelope = {
    code: 1,
    error_code: code,
    message: message ?? row.title,
    req_id: reqId,
  }
  return { status: row.status, body }
}
