import type { ErrorTable } from './ErrorRow.js'

/** The error responses of the token endpoint. (Contract: "Token errors".) */
export const TOKEN_ERRORS = {
  VALIDATION_ERROR: {
    status: 400,
    retryable: false,
    title: 'The request is not valid.',
    hint: 'The service refuses a request that follows its contract. Report this to the service.',
  },
  AUTH_HEADER_MISSING: {
    status: 401,
    retryable: false,
    title: 'The Authorization header is missing or not in the form "api-key <API_KEY>".',
    hint: 'Copy VOICE_API_KEY again: the key alone, without quotes and without a scheme.',
  },
  AUTH_API_KEY_INVALID: {
    status: 401,
    retryable: false,
    title: 'The API key is invalid, paused, suspended or not attached to a team.',
    hint: 'Check VOICE_API_KEY under API Keys in the developer portal of the service. The key must belong to this environment, be active, and be attached to a team.',
  },
  AUTH_API_KEY_EXPIRED: {
    status: 401,
    retryable: false,
    title: 'The API key has expired.',
    hint: 'Create a new key under API Keys in the developer portal of the service, and put it into VOICE_API_KEY.',
  },
  AUTH_NO_LICENSE: {
    status: 401,
    retryable: false,
    title: 'The API key is not assigned to a license.',
    hint: 'Assign a license to this key in the developer portal of the service, or ask the sales contact of the service for one.',
  },
  PRODUCT_NOT_ALLOWED: {
    status: 403,
    retryable: false,
    title: 'The team has no access to this product.',
    hint: 'Ask the service to add the product to the plan, or remove it from the grants.',
  },
  PAYMENT_PAST_DUE: {
    status: 403,
    retryable: false,
    title: 'An invoice payment failed and its grace period is over.',
    hint: 'Pay the open invoice of the account.',
  },
  BALANCE_EXHAUSTED: {
    status: 403,
    retryable: false,
    title: 'The prepaid credit is used up.',
    hint: 'Add credit to the account.',
  },
  SPEND_CAP_REACHED: {
    status: 403,
    retryable: false,
    title: 'The monthly spending limit is reached.',
    hint: 'Raise the monthly limit of the account, or wait for the next month.',
  },
  USAGE_LIMIT_EXCEEDED: {
    status: 403,
    retryable: false,
    title: 'The minutes allowed by the contract are used up.',
    hint: 'Ask the service for more minutes, or wait for the next period.',
  },
  VT_USAGE_LIMIT_EXCEEDED: {
    status: 403,
    retryable: false,
    title: 'The allowed Voice Translation hours are used up.',
    hint: 'Ask the service for more Voice Translation hours, or wait for the next period.',
  },
  CACHE_UNAVAILABLE: {
    status: 502,
    retryable: true,
    title: 'The token could not be stored. Try again.',
    hint: 'Try again in a moment. The BFF retries by itself.',
  },
} as const satisfies ErrorTable
/** A code of `TOKEN_ERRORS`: `error_code` of the service's token endpoint. */
export type TokenErrorCode = keyof typeof TOKEN_ERRORS

/**
 * The error responses of the meetings interface. We chose the names. (Contract: "Meetings errors".
 * Assumptions: "Meetings error body", "One meeting" for 401, 403 and 404.)
 */
export const MEETINGS_ERRORS = {
  INVALID_FIELDS: {
    status: 400,
    retryable: false,
    title: 'A name in fields is not valid.',
    hint: 'Use names of fields that a meeting of this service has.',
  },
  CREDENTIAL_INVALID: {
    status: 401,
    retryable: false,
    title: 'The bearer credential is missing or invalid.',
    hint: 'Check the credential. It is sent as `Authorization: Bearer`.',
  },
  SCOPE_MISSING: {
    status: 403,
    retryable: false,
    title: 'The bearer credential lacks the scope "read".',
    hint: 'Create a credential with the scope `read`.',
  },
  UNKNOWN_MEETING: {
    status: 404,
    retryable: false,
    title: 'There is no meeting with this id.',
    hint: 'Check the id, and whether this credential may see the meeting.',
  },
  STILL_PROCESSING: {
    status: 409,
    retryable: true,
    title: 'The meeting is still being processed.',
    hint: 'Send the request again after `Retry-After`.',
  },
  RATE_LIMIT_EXCEEDED: {
    status: 429,
    retryable: true,
    title: 'The rate limit is exceeded.',
    hint: 'Wait as long as `Retry-After` says. All keys of an account share one limit.',
  },
} as const satisfies ErrorTable
/** A code of `MEETINGS_ERRORS`. */
export type MeetingsErrorCode = keyof typeof MEETINGS_ERRORS
