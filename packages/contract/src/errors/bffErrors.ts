import type { ErrorTable } from './ErrorRow.js'

/** Every `error_code` that the BFF sends, with its status. Its title is in `titles.ts`. */
export const BFF_ERRORS = {
  VALIDATION_ERROR: { status: 400, retryable: false },

  // Our key was refused, not the user's login: a 401 here would send an application into a login loop.
  AUTH_HEADER_MISSING: { status: 502, retryable: false },
  AUTH_API_KEY_INVALID: { status: 502, retryable: false },
  AUTH_API_KEY_EXPIRED: { status: 502, retryable: false },
  AUTH_NO_LICENSE: { status: 502, retryable: false },

  PRODUCT_NOT_ALLOWED: { status: 403, retryable: false },
  PAYMENT_PAST_DUE: { status: 403, retryable: false },
  BALANCE_EXHAUSTED: { status: 403, retryable: false },
  SPEND_CAP_REACHED: { status: 403, retryable: false },
  USAGE_LIMIT_EXCEEDED: { status: 403, retryable: false },
  VT_USAGE_LIMIT_EXCEEDED: { status: 403, retryable: false },
  CACHE_UNAVAILABLE: { status: 503, retryable: true },
  /** Replaces the errors of the account under `maskAccountErrors`. */
  SERVICE_UNAVAILABLE: { status: 503, retryable: false },

  NOT_FOUND: { status: 404, retryable: false },
  MEETING_PROCESSING: { status: 409, retryable: true },
  MEETINGS_CREDENTIAL_REJECTED: { status: 502, retryable: false },

  UPSTREAM_RATE_LIMITED: { status: 503, retryable: true },
  /** Retryable if the upstream's status was a 5xx. */
  UPSTREAM_ERROR: { status: 502, retryable: false },
  UPSTREAM_TIMEOUT: { status: 504, retryable: true },
  UPSTREAM_UNREACHABLE: { status: 502, retryable: true },
  UPSTREAM_MALFORMED: { status: 502, retryable: false },

  UNAUTHENTICATED: { status: 401, retryable: false },
  FORBIDDEN: { status: 403, retryable: false },
  /** The page names another user than the grant. */
  USER_CHANGED: { status: 403, retryable: false },
  /** The user's minutes of the day are used up; `resets_at` says until when. */
  USAGE_EXHAUSTED: { status: 403, retryable: false },
  /** The user's minutes are counted in Redis, and Redis does not answer. */
  USAGE_UNAVAILABLE: { status: 503, retryable: true },
  CROSS_SITE_BLOCKED: { status: 403, retryable: false },
  AUTHORIZE_FAILED: { status: 503, retryable: true },
  SECRET_UNAVAILABLE: { status: 503, retryable: true },

  RATE_LIMITED: { status: 429, retryable: true },
  BUDGET_EXHAUSTED: { status: 503, retryable: true },
  SHUTTING_DOWN: { status: 503, retryable: true },

  METHOD_NOT_ALLOWED: { status: 405, retryable: false },
  UNSUPPORTED_MEDIA_TYPE: { status: 415, retryable: false },
  PAYLOAD_TOO_LARGE: { status: 413, retryable: false },
  REQUEST_TIMEOUT: { status: 408, retryable: false },
  /** An error in the BFF itself; never expected. */
  INTERNAL_ERROR: { status: 500, retryable: false },
} as const satisfies ErrorTable
/** A code of `BFF_ERRORS`: `error_code` of a problem of the BFF. */
export type BffErrorCode = keyof typeof BFF_ERRORS
