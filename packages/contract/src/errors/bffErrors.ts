import type { ErrorTable } from './ErrorRow.js'

const ACCOUNT_SIDE = 'Ask the operator of this site to check its voice service account.'

/** Every `error_code` that the BFF sends. */
export const BFF_ERRORS = {
  VALIDATION_ERROR: {
    status: 400,
    retryable: false,
    title: 'The request is not valid.',
    hint: '`field` names the part. Developer: correct the field. `expiration_ttl` is in minutes, 5 to 300 (`vt`: 1440). `session_id` has at most 255 characters. `limit` is 1 to 100. `from` must not be after `to`. A meeting id has no `/`, `\\`, `?`, `#`, control character or dot segment, also if it is decoded again. Unknown and repeated parameters are refused. `fields` can name the fields of a meeting and those of `meetings.wire.extraFields`.',
  },

  // Our key was refused, not the user's login: a 401 here would send an application into a login loop.
  AUTH_HEADER_MISSING: {
    status: 502,
    retryable: false,
    title: `The voice service refused this site. ${ACCOUNT_SIDE}`,
    hint: 'The voice service found no `api-key <API_KEY>`. Operator: check whether a proxy between the BFF and the service removes `Authorization`. The BFF always sends it.',
  },
  AUTH_API_KEY_INVALID: {
    status: 502,
    retryable: false,
    title: `The voice service refused this site's key. ${ACCOUNT_SIDE}`,
    hint: 'It is invalid, paused, suspended, or has no team. Operator: check `apiKey` and its state in the developer portal. If `apiKey` is a function, the BFF has already called it again, and has tried once more if it returned another key.',
  },
  AUTH_API_KEY_EXPIRED: {
    status: 502,
    retryable: false,
    title: `This site's key has expired. ${ACCOUNT_SIDE}`,
    hint: 'Operator: create a new key and give it to `apiKey`. If `apiKey` is a function, the BFF calls it again by itself. A string needs a restart.',
  },
  AUTH_NO_LICENSE: {
    status: 502,
    retryable: false,
    title: `This site's key has no license. ${ACCOUNT_SIDE}`,
    hint: 'Operator: assign a license in the developer portal.',
  },

  PRODUCT_NOT_ALLOWED: {
    status: 403,
    retryable: false,
    title: 'This product is not part of the plan.',
    hint: 'Operator: check the plan. Developer: do not offer a product that the plan does not have. If `products` in the grant leaves it out, the BFF refuses it earlier, with `FORBIDDEN`.',
  },
  PAYMENT_PAST_DUE: {
    status: 403,
    retryable: false,
    title: `The voice service is on hold over an unpaid invoice. ${ACCOUNT_SIDE}`,
    hint: 'Operator: pay the invoice.',
  },
  BALANCE_EXHAUSTED: {
    status: 403,
    retryable: false,
    title: `The prepaid credit is used up. ${ACCOUNT_SIDE}`,
    hint: 'Operator: add credit.',
  },
  SPEND_CAP_REACHED: {
    status: 403,
    retryable: false,
    title: `This month's spending limit is reached. ${ACCOUNT_SIDE}`,
    hint: 'Operator: raise the limit, or wait for the next month.',
  },
  USAGE_LIMIT_EXCEEDED: {
    status: 403,
    retryable: false,
    title: `The minutes of the plan are used up. ${ACCOUNT_SIDE}`,
    hint: 'For `stt`, `tts` and `viva`. Operator: extend the plan.',
  },
  VT_USAGE_LIMIT_EXCEEDED: {
    status: 403,
    retryable: false,
    title: `The Voice Translation hours of the plan are used up. ${ACCOUNT_SIDE}`,
    hint: 'Operator: extend the plan.',
  },
  CACHE_UNAVAILABLE: {
    status: 503,
    retryable: true,
    title: 'The voice service could not store the token. Try again in a moment.',
    hint: 'Do nothing: clients retry after `Retry-After`. The hook keeps using the current token.',
  },
  /** Replaces the errors of the account under `maskAccountErrors`. */
  SERVICE_UNAVAILABLE: {
    status: 503,
    retryable: false,
    title: 'The voice service is not available here.',
    hint: 'An error that concerns the account. `maskAccountErrors: true` hides its code. Operator: the log and the event with the same `request_id` have the exact code.',
  },

  NOT_FOUND: {
    status: 404,
    retryable: false,
    title: 'There is nothing at this address.',
    hint: "The BFF has no such route, or the credential can see no such meeting. A list that the *service* does not have is UPSTREAM_MALFORMED. Developer: in development the server's log says which. If the host leaves the path of the mount in the path of a request, set `basePath`. The key holder cannot see a meeting that is shared only by a public link or with a whole workspace.",
  },
  MEETING_PROCESSING: {
    status: 409,
    retryable: true,
    title: 'This meeting is still being processed. Try again in a moment.',
    hint: 'Do nothing: `useMeeting` sends the request again after `Retry-After`.',
  },
  MEETINGS_CREDENTIAL_REJECTED: {
    status: 502,
    retryable: false,
    title: 'The voice service refused the meetings credential. Ask the operator of this site to check it.',
    hint: 'It is wrong, or has no scope `read`. Operator: check `meetings.credential` in what `authorize` returns.',
  },

  UPSTREAM_RATE_LIMITED: {
    status: 503,
    retryable: true,
    title: 'The voice service is busy. Try again in a moment.',
    hint: 'The voice service responded with 429 again, or the wait is longer than the deadline. A token request does not wait. Operator: see scaling. `meetings.reserve` leaves room for known programs. The event `budget.limit` with the reason `foreign-use` reports unknown ones.',
  },
  /** Retryable if the upstream's status was a 5xx. */
  UPSTREAM_ERROR: {
    status: 502,
    retryable: false,
    title: 'The voice service answered with an error.',
    hint: "Stagepass does not know the code, or could not read a 5xx. Retryable after a 5xx, and after a handshake check. Operator: give `req_id` to the service's support.",
  },
  UPSTREAM_TIMEOUT: {
    status: 504,
    retryable: true,
    title: 'The voice service did not answer in time.',
    hint: 'It did not respond within `deadlineMs`. Wait. If it stays, operator: check the state of the service and the network to it.',
  },
  UPSTREAM_UNREACHABLE: {
    status: 502,
    retryable: true,
    title: 'The voice service could not be reached.',
    hint: 'No connection, a broken one, or 408 again and again: the service did not read the request. Operator: check `baseUrl`, `streamingUrl`, `meetings.baseUrl`, DNS and the firewall.',
  },
  UPSTREAM_MALFORMED: {
    status: 502,
    retryable: false,
    title: 'The voice service answered in a way that could not be understood.',
    hint: 'It was unreadable, too large, or a redirect, which the BFF never follows; or there is no token endpoint, list or tags at the path. Operator: check that the addresses name the service itself, and not a page in front of it. For a path that is not there, the event `host.misconfigured` names `baseUrl` or `meetings.baseUrl`; the paths of the meetings interface are in `meetings.wire`.',
  },

  UNAUTHENTICATED: {
    status: 401,
    retryable: false,
    title: 'Sign in to use this.',
    hint: '`authorize` returned no grant. Developer: sign the user in. If that is done, check that the page sends the cookie or header of the login, and that `authorize` reads it. The BFF never redirects.',
  },
  FORBIDDEN: {
    status: 403,
    retryable: false,
    title: 'You may not use this.',
    hint: 'The grant does not allow this product, the meetings, or the requested `ownership` (then `field` says so). Developer: allow it in what `authorize` returns, or do not offer it.',
  },
  /** The page names another user than the grant. */
  USER_CHANGED: {
    status: 403,
    retryable: false,
    title: 'Another user is signed in now.',
    hint: 'The header `x-stagepass-user` names another user than the grant, or is not the result of `encodeURIComponent`. In the page all streams end, lists are empty, and `onUserChanged` is called once. No request is sent until the application gives another `user`, or calls `voice.setUser()` or `voice.reset()`. Developer: ask for the session again or reload the page. The header must name the `user` of the grant, character by character. users.md has an example.',
  },
  /** The user's minutes of the day are used up; `resets_at` says until when. */
  USAGE_EXHAUSTED: {
    status: 403,
    retryable: false,
    title: 'Your minutes for today are used up.',
    hint: 'Fewer are left than the shortest token needs, five. `resets_at` says when the next day begins. Developer: show `resetsAt` of `useUsage`, and offer the next step. usage.md says what counts.',
  },
  /** The user's minutes are counted in Redis, and Redis does not answer. */
  USAGE_UNAVAILABLE: {
    status: 503,
    retryable: true,
    title: 'Your minutes could not be counted. Try again in a moment.',
    hint: 'Redis, where all instances count, does not answer, or refuses the count of this user. Without Redis: the process counts as many users as it can. Only products with a limit are refused. The `cause` of `request.finished` says what Redis answered: check its memory and the rights of its user too. If several users are refused, `/health` is `degraded`. Developer: none; the hooks try again. Operator: bring Redis back.',
  },
  CROSS_SITE_BLOCKED: {
    status: 403,
    retryable: false,
    title: 'The request did not come from a page of this site.',
    hint: "The server's log, and in development a header of the response, say which check refused. Developer: use the hooks, or send the header. If the page is on another origin, let the dev server proxy the BFF's path, or name the origin in `allowedOrigins`, with the exact scheme, host and port. Behind a proxy set the option `origin` or Express's `trust proxy`.",
  },
  AUTHORIZE_FAILED: {
    status: 503,
    retryable: true,
    title: 'Your sign-in could not be checked. Try again in a moment.',
    hint: '`authorize` threw, took longer than `deadlineMs`, or returned something that is not a grant. In development the line in the log has the message and the place of what it threw. Back-end developer: the log and the event with the same `request_id` give the reason. The `cause` of the event is what `authorize` threw.',
  },
  SECRET_UNAVAILABLE: {
    status: 503,
    retryable: true,
    title: 'The voice service is not ready here. Try again in a moment.',
    hint: 'The function of `apiKey` or `meetings.credential` threw, was too slow, or returned a value that a header cannot hold. Operator: check the secret store.',
  },

  RATE_LIMITED: {
    status: 429,
    retryable: true,
    title: 'Too many requests. Wait a moment.',
    hint: 'This user sent more requests than `limits` allows: by default 30 token requests and 120 meetings requests a minute. Requests of `/usage` count with those of meetings. Do nothing: clients wait for `Retry-After`. Developer: the usual cause is a loop in the page.',
  },
  BUDGET_EXHAUSTED: {
    status: 503,
    retryable: true,
    title: 'Many people are asking at once. Try again in a moment.',
    hint: "The wait for the account's budget would be longer than the deadline, the queue is full, or thousands of requests wait for pages already. Do nothing: clients wait for `Retry-After`, which is an estimate of the real wait. Operator: see scaling.",
  },
  SHUTTING_DOWN: {
    status: 503,
    retryable: true,
    title: 'The server is restarting. Try again in a moment.',
    hint: 'This instance is draining after `bff.close()`. Do nothing: clients retry and reach another instance.',
  },

  METHOD_NOT_ALLOWED: {
    status: 405,
    retryable: false,
    title: 'This address does not take that method.',
    hint: '`Allow` names the method. Developer: use POST for tokens and checks, and GET for the rest. HEAD is refused, because it would cost an upstream request. Only `/health` takes it.',
  },
  UNSUPPORTED_MEDIA_TYPE: {
    status: 415,
    retryable: false,
    title: 'The body must be application/json.',
    hint: 'Developer: set `Content-Type`.',
  },
  PAYLOAD_TOO_LARGE: {
    status: 413,
    retryable: false,
    title: 'The body is too large.',
    hint: 'It is larger than 4 KiB. Developer: send a smaller body. No route needs one of this size.',
  },
  REQUEST_TIMEOUT: {
    status: 408,
    retryable: false,
    title: 'The body did not arrive in time.',
    hint: 'It did not arrive within `deadlineMs`. Try again. If it stays, check the network.',
  },
  /** An error in the BFF itself; never expected. */
  INTERNAL_ERROR: {
    status: 500,
    retryable: false,
    title: 'Something went wrong on the server.',
    hint: 'A defect of the BFF itself. Please report it with the event of the same `request_id`.',
  },
} as const satisfies ErrorTable
/** A code of `BFF_ERRORS`: `error_code` of a problem of the BFF. */
export type BffErrorCode = keyof typeof BFF_ERRORS
