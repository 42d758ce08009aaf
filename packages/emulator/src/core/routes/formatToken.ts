import {
  TOKEN_ERRORS,
  type TokenErrorCode,
  type UpstreamErrorEnvelope,
  type UpstreamTokenEnvelope,
} from '@stagepass/contract'
import type { HttpResponse } from '../request/http.js'
import type { SessionTokenRow } from '../store/rows.js'

/** The token response envelope. */
export function formatToken(row: SessionTokenRow, reqId: string): UpstreamTokenEnvelope {
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
