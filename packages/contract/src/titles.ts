import type { ClientErrorCode } from './errors/clientErrors.js'
import type { HandshakeErrorCode } from './errors/handshakeErrors.js'
import type { MeetingsErrorCode, TokenErrorCode } from './errors/upstreamErrors.js'

/*
 * One sentence for each code, ours and never the service's, for the person at the screen. They have their own
 * entry point, because a page needs few of them: the BFF sends its title in the problem. docs/errors.md has
 * all of them with advice.
 */

export { BFF_TITLES } from './errors/bffTitles.js'
export { SHARED_TITLES } from './errors/sharedTitles.js'

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
