import type { ErrorTable } from './ErrorRow.js'

/** The twelve error responses of the token endpoint. (Contract: "Token errors".) */
export const TOKEN_ERRORS = {
  VALIDATION_ERROR: { status: 400, retryable: false },
  AUTH_HEADER_MISSING: { status: 401, retryable: false },
  AUTH_API_KEY_INVALID: { status: 401, retryable: false },
  AUTH_API_KEY_EXPIRED: { status: 401, retryable: false },
  AUTH_NO_LICENSE: { status: 401, retryable: false },
  PRODUCT_NOT_ALLOWED: { status: 403, retryable: false },
  PAYMENT_PAST_DUE: { status: 403, retryable: false },
  BALANCE_EXHAUSTED: { status: 403, retryable: false },
  SPEND_CAP_REACHED: { status: 403, retryable: false },
  USAGE_LIMIT_EXCEEDED: { status: 403, retryable: false },
  VT_USAGE_LIMIT_EXCEEDED: { status: 403, retryable: false },
  CACHE_UNAVAILABLE: { status: 502, retryable: true },
} as const satisfies ErrorTable
/** A code of `TOKEN_ERRORS`: `error_code` of the service's token endpoint. */
export type TokenErrorCode = keyof typeof TOKEN_ERRORS

/**
 * The error responses of the meetings interface. The names are ours. (Contract: "Meetings errors".
 * Assumptions: "Meetings error body", "One meeting" for 401, 403 and 404.)
 */
export const MEETINGS_ERRORS = {
  INVALID_FIELDS: { status: 400, retryable: false },
  CREDENTIAL_INVALID: { status: 401, retryable: false },
  SCOPE_MISSING: { status: 403, retryable: false },
  UNKNOWN_MEETING: { status: 404, retryable: false },
  STILL_PROCESSING: { status: 409, retryable: true },
  RATE_LIMIT_EXCEEDED: { status: 429, retryable: true },
} as const satisfies ErrorTable
/** A code of `MEETINGS_ERRORS`. The names are ours. */
export type MeetingsErrorCode = keyof typeof MEETINGS_ERRORS
