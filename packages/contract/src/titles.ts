import type { BffErrorCode } from './errors/bffErrors.js'
import type { ClientErrorCode } from './errors/clientErrors.js'
import type { HandshakeErrorCode } from './errors/handshakeErrors.js'
import type { MeetingsErrorCode, TokenErrorCode } from './errors/upstreamErrors.js'

/*
 * One sentence for each code, ours and never the service's, for the person at the screen. They have their own
 * entry point, because a page needs few of them: the BFF sends its title in the problem. docs/errors.md has
 * all of them with advice.
 */

const ACCOUNT_SIDE = 'Ask the operator of this site to check its voice service account.'

/** Those of the BFF that a page finds itself, before it sends a request. */
export const SHARED_TITLES = {
  VALIDATION_ERROR: 'The request is not valid.',
  UNAUTHENTICATED: 'Sign in to use this.',
} as const

/** `title` of the BFF's problems. */
export const BFF_TITLES: Readonly<Record<BffErrorCode, string>> = {
  VALIDATION_ERROR: SHARED_TITLES.VALIDATION_ERROR,
  AUTH_HEADER_MISSING: `The voice service refused this site. ${ACCOUNT_SIDE}`,
  AUTH_API_KEY_INVALID: `The voice service refused this site's key. ${ACCOUNT_SIDE}`,
  AUTH_API_KEY_EXPIRED: `This site's key has expired. ${ACCOUNT_SIDE}`,
  AUTH_NO_LICENSE: `This site's key has no license. ${ACCOUNT_SIDE}`,
  PRODUCT_NOT_ALLOWED: 'This product is not part of the plan.',
  PAYMENT_PAST_DUE: `The voice service is on hold over an unpaid invoice. ${ACCOUNT_SIDE}`,
  BALANCE_EXHAUSTED: `The prepaid credit is used up. ${ACCOUNT_SIDE}`,
  SPEND_CAP_REACHED: `This month's spending limit is reached. ${ACCOUNT_SIDE}`,
  USAGE_LIMIT_EXCEEDED: `The minutes of the plan are used up. ${ACCOUNT_SIDE}`,
  VT_USAGE_LIMIT_EXCEEDED: `The Voice Translation hours of the plan are used up. ${ACCOUNT_SIDE}`,
  CACHE_UNAVAILABLE: 'The voice service could not store the token. Try again in a moment.',
  SERVICE_UNAVAILABLE: 'The voice service is not available here.',
  NOT_FOUND: 'There is nothing at this address.',
  MEETING_PROCESSING: 'This meeting is still being processed. Try again in a moment.',
  MEETINGS_CREDENTIAL_REJECTED:
    'The voice service refused the meetings credential. Ask the operator of this site to check it.',
  UPSTREAM_RATE_LIMITED: 'The voice service is busy. Try again in a moment.',
  UPSTREAM_ERROR: 'The voice service answered with an error.',
  UPSTREAM_TIMEOUT: 'The voice service did not answer in time.',
  UPSTREAM_UNREACHABLE: 'The voice service could not be reached.',
  UPSTREAM_MALFORMED: 'The voice service answered in a way that could not be understood.',
  UNAUTHENTICATED: SHARED_TITLES.UNAUTHENTICATED,
  FORBIDDEN: 'You may not use this.',
  USER_CHANGED: 'Another user is signed in now.',
  USAGE_EXHAUSTED: 'Your minutes for today are used up.',
  USAGE_UNAVAILABLE: 'Your minutes could not be counted. Try again in a moment.',
  CROSS_SITE_BLOCKED: 'The request did not come from a page of this site.',
  AUTHORIZE_FAILED: 'Your sign-in could not be checked. Try again in a moment.',
  SECRET_UNAVAILABLE: 'The voice service is not ready here. Try again in a moment.',
  RATE_LIMITED: 'Too many requests. Wait a moment.',
  BUDGET_EXHAUSTED: 'Many people are asking at once. Try again in a moment.',
  SHUTTING_DOWN: 'The server is restarting. Try again in a moment.',
  METHOD_NOT_ALLOWED: 'This address does not take that method.',
  UNSUPPORTED_MEDIA_TYPE: 'The body must be application/json.',
  PAYLOAD_TOO_LARGE: 'The body is too large.',
  REQUEST_TIMEOUT: 'The body did not arrive in time.',
  INTERNAL_ERROR: 'Something went wrong on the server.',
}

/** What the codes of the service mean. (Contract: "Token errors", "Handshake errors", "Meetings errors".) */
export const TOKEN_MESSAGES: Readonly<Record<TokenErrorCode, string>> = {
  VALIDATION_ERROR: 'The request is not valid.',
  AUTH_HEADER_MISSING: 'The Authorization header is missing or not in the form "api-key <API_KEY>".',
  AUTH_API_KEY_INVALID: 'The API key is invalid, paused, suspended or not attached to a team.',
  AUTH_API_KEY_EXPIRED: 'The API key has expired.',
  AUTH_NO_LICENSE: 'The API key is not assigned to a license.',
  PRODUCT_NOT_ALLOWED: 'The team has no access to this product.',
  PAYMENT_PAST_DUE: 'An invoice payment failed and its grace period is over.',
  BALANCE_EXHAUSTED: 'The prepaid credit is used up.',
  SPEND_CAP_REACHED: 'The monthly spending limit is reached.',
  USAGE_LIMIT_EXCEEDED: 'The minutes allowed by the contract are used up.',
  VT_USAGE_LIMIT_EXCEEDED: 'The allowed Voice Translation hours are used up.',
  CACHE_UNAVAILABLE: 'The token could not be stored. Try again.',
}

/** What the codes of a refused handshake mean. (Contract: "Handshake errors".) */
export const HANDSHAKE_MESSAGES: Readonly<Record<HandshakeErrorCode, string>> = {
  missing_authorization_header: 'The stream was opened without a session token.',
  invalid_api_key: 'The stream was opened with a value that does not use the api-key scheme.',
  unauthorized: 'The session token is invalid or has expired.',
  concurrency_limit_exceeded: 'Too many streams are open at once. Close one and try again.',
}

/** What the codes of the meetings interface mean. (Contract: "Meetings errors".) */
export const MEETINGS_MESSAGES: Readonly<Record<MeetingsErrorCode, string>> = {
  INVALID_FIELDS: 'A name in fields is not valid.',
  CREDENTIAL_INVALID: 'The bearer credential is missing or invalid.',
  SCOPE_MISSING: 'The bearer credential lacks the scope "read".',
  UNKNOWN_MEETING: 'There is no meeting with this id.',
  STILL_PROCESSING: 'The meeting is still being processed.',
  RATE_LIMIT_EXCEEDED: 'The rate limit is exceeded.',
}

/** What the codes mean that the browser itself finds. */
export const CLIENT_MESSAGES: Readonly<Record<ClientErrorCode, string>> = {
  NETWORK_ERROR: 'The server could not be reached. Check your connection.',
  NOT_STAGEPASS: 'The voice service is not set up on this site. Ask the operator of this site to check it.',
  MALFORMED_RESPONSE:
    "The server's answer could not be understood. Ask the operator of this site to check it.",
  TOKEN_MISMATCH: 'The server gave access to something else. Ask the operator of this site to check it.',
  TOKEN_EXPIRED: 'The access expired before it could be renewed. It is requested again.',
  CONNECT_TIMEOUT: 'The connection took too long. It is tried again.',
  CONNECTION_REFUSED: 'The connection could not be made. Check your network, or try another one.',
  CONNECTION_LOST: 'The connection was lost. It will be restored.',
  STREAM_ERROR: 'The voice service ended the connection with an error.',
  ABORTED: 'The request was cancelled.',
}
