import { ASSUMED_CONCURRENCY_STATUS } from './assumptions.js'

/** A row of an error table: what a code means on its wire. */
export interface ErrorRow {
  /** HTTP status it travels with. */
  readonly status: number
  /** `false` is final for every client, whatever the status; `true` is not. */
  readonly retryable: boolean
  /** One sentence for a person. Ours, never upstream text. */
  readonly message: string
}

type ErrorTable = Readonly<Record<string, ErrorRow>>

/** The twelve answers of the token endpoint that are not a token. (Contract: "Token errors".) */
export const TOKEN_ERRORS = {
  VALIDATION_ERROR: { status: 400, retryable: false, message: 'The request is not valid.' },
  AUTH_HEADER_MISSING: {
    status: 401,
    retryable: false,
    message: 'The Authorization header is missing or not in the form "api-key <API_KEY>".',
  },
  AUTH_API_KEY_INVALID: {
    status: 401,
    retryable: false,
    message: 'The API key is invalid, paused, suspended or not attached to a team.',
  },
  AUTH_API_KEY_EXPIRED: { status: 401, retryable: false, message: 'The API key has expired.' },
  AUTH_NO_LICENSE: { status: 401, retryable: false, message: 'The API key is not assigned to a license.' },
  PRODUCT_NOT_ALLOWED: { status: 403, retryable: false, message: 'The team has no access to this product.' },
  PAYMENT_PAST_DUE: {
    status: 403,
    retryable: false,
    message: 'An invoice payment failed and its grace period is over.',
  },
  BALANCE_EXHAUSTED: { status: 403, retryable: false, message: 'The prepaid credit is used up.' },
  SPEND_CAP_REACHED: { status: 403, retryable: false, message: 'The monthly spending limit is reached.' },
  USAGE_LIMIT_EXCEEDED: {
    status: 403,
    retryable: false,
    message: 'The minutes allowed by the contract are used up.',
  },
  VT_USAGE_LIMIT_EXCEEDED: {
    status: 403,
    retryable: false,
    message: 'The allowed Voice Translation hours are used up.',
  },
  CACHE_UNAVAILABLE: { status: 502, retryable: true, message: 'The token could not be stored. Try again.' },
} as const satisfies ErrorTable
export type TokenErrorCode = keyof typeof TOKEN_ERRORS

/** The four ways in which a socket is refused. (Contract: "Handshake errors".) The spelling is the same on every wire. */
export const HANDSHAKE_ERRORS = {
  missing_authorization_header: {
    status: 401,
    retryable: false,
    message: 'The stream was opened without a session token.',
  },
  invalid_api_key: {
    status: 401,
    retryable: false,
    message: 'The stream was opened with a value that does not use the api-key scheme.',
  },
  // Worth one more try, with a fresh token.
  unauthorized: {
    status: 403,
    retryable: true,
    message: 'The session token is invalid or has expired.',
  },
  concurrency_limit_exceeded: {
    status: ASSUMED_CONCURRENCY_STATUS,
    retryable: true,
    message: 'Too many streams are open at once. Close one and try again.',
  },
} as const satisfies ErrorTable
export type HandshakeErrorCode = keyof typeof HANDSHAKE_ERRORS

/**
 * The answers of the meetings interface that are not meetings. The names are ours. (Contract: "Meetings errors". Assumptions:
 * "Meetings error body", "One meeting" for 401, 403 and 404.)
 */
export const MEETINGS_ERRORS = {
  INVALID_FIELDS: { status: 400, retryable: false, message: 'A name in fields is not valid.' },
  CREDENTIAL_INVALID: {
    status: 401,
    retryable: false,
    message: 'The bearer credential is missing or invalid.',
  },
  SCOPE_MISSING: { status: 403, retryable: false, message: 'The bearer credential lacks the scope "read".' },
  UNKNOWN_MEETING: { status: 404, retryable: false, message: 'There is no meeting with this id.' },
  STILL_PROCESSING: { status: 409, retryable: true, message: 'The meeting is still being processed.' },
  RATE_LIMIT_EXCEEDED: { status: 429, retryable: true, message: 'The rate limit is exceeded.' },
} as const satisfies ErrorTable
export type MeetingsErrorCode = keyof typeof MEETINGS_ERRORS

const ACCOUNT_SIDE = 'Ask the operator of this site to check its voice service account.'

/** Every `error_code` that the BFF answers, with its status here. The message is the problem's `title`. */
export const BFF_ERRORS = {
  VALIDATION_ERROR: { status: 400, retryable: false, message: 'The request is not valid.' },

  // Our key was refused, not the user's login: a 401 here would send an application into a login loop.
  AUTH_HEADER_MISSING: {
    status: 502,
    retryable: false,
    message: `The voice service refused this site. ${ACCOUNT_SIDE}`,
  },
  AUTH_API_KEY_INVALID: {
    status: 502,
    retryable: false,
    message: `The voice service refused this site's key. ${ACCOUNT_SIDE}`,
  },
  AUTH_API_KEY_EXPIRED: {
    status: 502,
    retryable: false,
    message: `This site's key has expired. ${ACCOUNT_SIDE}`,
  },
  AUTH_NO_LICENSE: {
    status: 502,
    retryable: false,
    message: `This site's key has no license. ${ACCOUNT_SIDE}`,
  },

  PRODUCT_NOT_ALLOWED: { status: 403, retryable: false, message: 'This product is not part of the plan.' },
  PAYMENT_PAST_DUE: {
    status: 403,
    retryable: false,
    message: `The voice service is on hold over an unpaid invoice. ${ACCOUNT_SIDE}`,
  },
  BALANCE_EXHAUSTED: {
    status: 403,
    retryable: false,
    message: `The prepaid credit is used up. ${ACCOUNT_SIDE}`,
  },
  SPEND_CAP_REACHED: {
    status: 403,
    retryable: false,
    message: `This month's spending limit is reached. ${ACCOUNT_SIDE}`,
  },
  USAGE_LIMIT_EXCEEDED: {
    status: 403,
    retryable: false,
    message: `The minutes of the plan are used up. ${ACCOUNT_SIDE}`,
  },
  VT_USAGE_LIMIT_EXCEEDED: {
    status: 403,
    retryable: false,
    message: `The Voice Translation hours of the plan are used up. ${ACCOUNT_SIDE}`,
  },
  CACHE_UNAVAILABLE: {
    status: 503,
    retryable: true,
    message: 'The voice service could not store the token. Try again in a moment.',
  },
  /** What the account's own errors become under `maskAccountErrors`. */
  SERVICE_UNAVAILABLE: { status: 503, retryable: false, message: 'The voice service is not available here.' },

  NOT_FOUND: { status: 404, retryable: false, message: 'There is nothing at this address.' },
  MEETING_PROCESSING: {
    status: 409,
    retryable: true,
    message: 'This meeting is still being processed. Try again in a moment.',
  },
  MEETINGS_CREDENTIAL_REJECTED: {
    status: 502,
    retryable: false,
    message: 'The voice service refused the meetings credential. Ask the operator of this site to check it.',
  },

  UPSTREAM_RATE_LIMITED: {
    status: 503,
    retryable: true,
    message: 'The voice service is busy. Try again in a moment.',
  },
  /** Retryable where the upstream's status was a 5xx. */
  UPSTREAM_ERROR: { status: 502, retryable: false, message: 'The voice service answered with an error.' },
  UPSTREAM_TIMEOUT: { status: 504, retryable: true, message: 'The voice service did not answer in time.' },
  UPSTREAM_UNREACHABLE: { status: 502, retryable: true, message: 'The voice service could not be reached.' },
  UPSTREAM_MALFORMED: {
    status: 502,
    retryable: false,
    message: 'The voice service answered in a way that could not be understood.',
  },

  UNAUTHENTICATED: { status: 401, retryable: false, message: 'Sign in to use this.' },
  FORBIDDEN: { status: 403, retryable: false, message: 'You may not use this.' },
  CROSS_SITE_BLOCKED: {
    status: 403,
    retryable: false,
    message: 'The request did not come from a page of this site.',
  },
  AUTHORIZE_FAILED: {
    status: 503,
    retryable: true,
    message: 'Your sign-in could not be checked. Try again in a moment.',
  },
  SECRET_UNAVAILABLE: {
    status: 503,
    retryable: true,
    message: 'The voice service is not ready here. Try again in a moment.',
  },

  RATE_LIMITED: { status: 429, retryable: true, message: 'Too many requests. Wait a moment.' },
  BUDGET_EXHAUSTED: {
    status: 503,
    retryable: true,
    message: 'Many people are asking at once. Try again in a moment.',
  },
  SHUTTING_DOWN: {
    status: 503,
    retryable: true,
    message: 'The server is restarting. Try again in a moment.',
  },

  METHOD_NOT_ALLOWED: { status: 405, retryable: false, message: 'This address does not take that method.' },
  UNSUPPORTED_MEDIA_TYPE: { status: 415, retryable: false, message: 'The body must be application/json.' },
  PAYLOAD_TOO_LARGE: { status: 413, retryable: false, message: 'The body is too large.' },
  REQUEST_TIMEOUT: { status: 408, retryable: false, message: 'The body did not arrive in time.' },
  /** A fault of the BFF itself; never expected. */
  INTERNAL_ERROR: { status: 500, retryable: false, message: 'Something went wrong on the server.' },
} as const satisfies ErrorTable
export type BffErrorCode = keyof typeof BFF_ERRORS

/** What goes wrong in the browser itself. No answer has these as its own code, so the status is 0. */
export const CLIENT_ERRORS = {
  NETWORK_ERROR: {
    status: 0,
    retryable: true,
    message: 'The server could not be reached. Check the connection.',
  },
  MALFORMED_ANSWER: {
    status: 0,
    retryable: false,
    message: 'The answer did not come from Stagepass. Check the address given to createVoiceClient.',
  },
  TOKEN_MISMATCH: {
    status: 0,
    retryable: false,
    message: 'The server answered with a token of another kind or product.',
  },
  TOKEN_EXPIRED: {
    status: 0,
    retryable: true,
    message: 'The session token expired before it could be renewed.',
  },
  CONNECT_TIMEOUT: { status: 0, retryable: true, message: 'The stream did not open in time.' },
  CONNECTION_REFUSED: {
    status: 0,
    retryable: true,
    message: 'The stream could not be opened. The voice service or the network refused it.',
  },
  CONNECTION_LOST: { status: 0, retryable: true, message: 'The stream was interrupted.' },
  /** Retryable if the service's number is a 5xx. `/handshake-check` reports it too. */
  STREAM_ERROR: {
    status: 0,
    retryable: false,
    message: 'The voice service refused or ended the stream with an error.',
  },
  ABORTED: { status: 0, retryable: true, message: 'The request was cancelled.' },
} as const satisfies ErrorTable
export type ClientErrorCode = keyof typeof CLIENT_ERRORS

/** The closed union of codes that a `VoiceError` can carry. */
export type VoiceErrorCode = BffErrorCode | HandshakeErrorCode | ClientErrorCode

/** True for a key that stands in the table itself (not `__proto__`, not `constructor`). */
export function hasCode<TTable extends ErrorTable>(
  table: TTable,
  code: unknown,
): code is keyof TTable & string {
  return typeof code === 'string' && Object.hasOwn(table, code)
}

/** The codes of a table, in its order. */
export function codesOf<TTable extends ErrorTable>(table: TTable): (keyof TTable & string)[] {
  return Object.keys(table)
}
