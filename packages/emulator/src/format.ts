import type {
  MeetingsErrorCode,
  TokenErrorCode,
  UpstreamErrorEnvelope,
  UpstreamTokenEnvelope,
} from '@stagepass/contract'
import { hasCode, MEETINGS_ERRORS, TOKEN_ERRORS } from '@stagepass/contract'
import { MEETINGS_MESSAGES, TOKEN_MESSAGES } from '@stagepass/contract/titles'
import type { Answer } from './http.js'
import type { SessionTokenRow } from './rows.js'

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

/** The error body of the token endpoint, with the status of its table. (Contract: "Token error body", "Token errors".) */
export function formatTokenError(code: TokenErrorCode, reqId: string, message?: string): Answer {
  const row = TOKEN_ERRORS[code]
  const body: UpstreamErrorEnvelope = {
    code: 1,
    error_code: code,
    message: message ?? TOKEN_MESSAGES[code],
    req_id: reqId,
  }
  return { status: row.status, body }
}

/** `{ error }`. (Assumptions: "Meetings error body".) */
export function formatMeetingsError(code: MeetingsErrorCode, message?: string): Answer {
  const row = MEETINGS_ERRORS[code]
  return { status: row.status, body: { error: message ?? MEETINGS_MESSAGES[code] } }
}

/** For a fault that names a code. */
export function failMeetings(code: string): Answer {
  return formatMeetingsError(hasCode(MEETINGS_ERRORS, code) ? code : 'CREDENTIAL_INVALID')
}
