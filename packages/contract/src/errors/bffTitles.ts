import type { BffErrorCode } from './bffErrors.js'
import { SHARED_TITLES } from './sharedTitles.js'

// A file of its own, so that a page does not contain it.
const ACCOUNT_SIDE = 'Ask the operator of this site to check its voice service account.'

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
