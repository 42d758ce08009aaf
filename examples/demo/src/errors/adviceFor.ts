import type { VoiceErrorCode } from '@stagepass/contract'

const OPERATOR = 'Pass the code and the number below on to the operator of this site.'
const SOON = 'You need not do anything: this page tries again by itself.'

/**
 * What a person can do about each code. The `satisfies` keeps it complete: a new code is a type error here.
 */
const ADVICE = {
  VALIDATION_ERROR: 'Change what you asked for and try again.',
  AUTH_HEADER_MISSING: `This site's server is not set up. ${OPERATOR}`,
  AUTH_API_KEY_INVALID: `This site's key is not accepted. ${OPERATOR}`,
  AUTH_API_KEY_EXPIRED: `This site's key must be replaced. ${OPERATOR}`,
  AUTH_NO_LICENSE: `A license must be assigned to this site's key. ${OPERATOR}`,
  PRODUCT_NOT_ALLOWED: 'Use another product, or ask the operator of this site to add this one to the plan.',
  PAYMENT_PAST_DUE: 'Ask the operator of this site to settle the open invoice, then try again.',
  BALANCE_EXHAUSTED: 'Ask the operator of this site to add credit, then try again.',
  SPEND_CAP_REACHED: "Ask the operator of this site to raise this month's limit, or wait for the next month.",
  USAGE_LIMIT_EXCEEDED: 'Ask the operator of this site to add minutes to the plan, then try again.',
  VT_USAGE_LIMIT_EXCEEDED:
    'Ask the operator of this site to add translation hours to the plan, then try again.',
  CACHE_UNAVAILABLE: SOON,
  SERVICE_UNAVAILABLE: OPERATOR,
  NOT_FOUND: 'It may have been deleted. Go back to the list and refresh it.',
  MEETING_PROCESSING: 'Its transcript is being written. This page looks again by itself.',
  MEETINGS_CREDENTIAL_REJECTED: `The meetings of this site are locked. ${OPERATOR}`,
  UPSTREAM_RATE_LIMITED: SOON,
  UPSTREAM_ERROR: `Try again in a few minutes. If it stays: ${OPERATOR}`,
  UPSTREAM_TIMEOUT: SOON,
  UPSTREAM_UNREACHABLE: SOON,
  UPSTREAM_MALFORMED: OPERATOR,
  UNAUTHENTICATED: 'Sign in again.',
  FORBIDDEN: 'Sign in as a user who may, or ask for access.',
  USER_CHANGED: 'Go on as the user who is signed in now, or sign in again.',
  USAGE_EXHAUSTED: 'Come back tomorrow, or ask for more minutes.',
  USAGE_UNAVAILABLE: SOON,
  CROSS_SITE_BLOCKED: 'Open this page from its own address and try again.',
  AUTHORIZE_FAILED: SOON,
  SECRET_UNAVAILABLE: SOON,
  RATE_LIMITED: 'Wait a moment: this page tries again by itself.',
  BUDGET_EXHAUSTED: SOON,
  SHUTTING_DOWN: SOON,
  METHOD_NOT_ALLOWED: 'Reload the page; it may be older than its server.',
  UNSUPPORTED_MEDIA_TYPE: 'Reload the page; it may be older than its server.',
  PAYLOAD_TOO_LARGE: 'Ask for less at once.',
  REQUEST_TIMEOUT: 'Check your connection and try again.',
  INTERNAL_ERROR: OPERATOR,
  missing_authorization_header: 'Connect again: a new session token is fetched for it.',
  invalid_api_key: 'Reload the page; it may be older than its server.',
  unauthorized: 'Connect again: a new session token is fetched for it.',
  concurrency_limit_exceeded:
    'Disconnect a stream, here or in another window. This page tries again by itself.',
  NETWORK_ERROR: 'Check your connection. This page tries again by itself.',
  NOT_STAGEPASS: OPERATOR,
  MALFORMED_RESPONSE: OPERATOR,
  TOKEN_MISMATCH: OPERATOR,
  TOKEN_EXPIRED: 'Connect again: a new session token is fetched for it.',
  CONNECT_TIMEOUT: 'Check your connection. This page tries again by itself.',
  CONNECTION_REFUSED: 'Check your connection, then connect again.',
  CONNECTION_LOST: 'Check your connection. This page tries again by itself.',
  STREAM_ERROR: 'Connect again. If it stays, pass on the code below.',
  ABORTED: 'Try again.',
} as const satisfies Record<VoiceErrorCode, string>

/** One sentence or two on what to do next. */
export function adviceFor(code: VoiceErrorCode): string {
  return ADVICE[code]
}
