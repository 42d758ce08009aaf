import type { ErrorTable } from './ErrorRow.js'

const ACCOUNT_SIDE = 'Ask the operator of this site to check its voice service account.'

/** Every `error_code` that the BFF can send. */
export const BFF_ERRORS = {
  VALIDATION_ERROR: {
    status: 400,
    retryable: false,
    title: 'The request is not valid.',
    hint: '`field` names the part. Developer: correct the field. `expiration_ttl` is in minutes, 5 to 300 (`vt`: 1440). `session_id` has at most 255 characters. `limit` is 1 to 100. `from` must not be after `to`. A meeting id has no `/`, `\\`, `?`, `#`, control character or dot segment, even after a second decoding. Unknown and repeated parameters are refused. `fields` can name the fields of a meeting and those of `meetings.wire.extraFields`.',
  },

  // The service refused our key, not the user's login. A 401 here would send an application into a login
  // loop.
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
    hint: 'The key is invalid, paused, suspended, or has no team. Operator: check `apiKey` and its state in the developer portal. If `apiKey` is a function, the BFF has already called it again, and has tried once more if it returned another key.',
  },
  AUTH_API_KEY_EXPIRED: {
    status: 502,
    retryable: false,
    title: `This site's key has expired. ${ACCOUNT_SIDE}`,
    hint: 'Operator: create a new key and set it as `apiKey`. If `apiKey` is a function, the BFF calls it again by itself. If it is a string, restart the BFF.',
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
    hint: 'Operator: check the plan. Developer: do not offer a product that the plan does not have. If the `products` of the grant do not contain it, the BFF refuses it earlier, with `FORBIDDEN`.',
  },
  PAYMENT_PAST_DUE: {
    status: 403,
    retryable: false,
    title: `The voice service is suspended because of an unpaid invoice. ${ACCOUNT_SIDE}`,
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
    hint: 'This code is for `stt`, `tts` and `viva`. Operator: extend the plan.',
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
  /** Sent in place of the account's errors if `maskAccountErrors` is true. */
  SERVICE_UNAVAILABLE: {
    status: 503,
    retryable: false,
    title: 'The voice service is not available here.',
    hint: 'The error concerns the account. `maskAccountErrors: true` hides its code. Operator: the log and the event with the same `request_id` have the exact code.',
  },

  NOT_FOUND: {
    status: 404,
    retryable: false,
    title: 'This was not found. It may be gone, or you are not allowed to see it.',
    hint: "The BFF has no such route, or the credential cannot see such a meeting. If the *service* has no such list, the code is UPSTREAM_MALFORMED. Developer: in development the server's log names the cause. If the host does not remove the mount path from the path of a request, set `basePath`. The key holder cannot see a meeting that is shared only by a public link or with a whole workspace.",
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
    hint: 'The credential is wrong, or lacks the scope `read`. Operator: check `meetings.credential` in what `authorize` returns.',
  },

  UPSTREAM_RATE_LIMITED: {
    status: 503,
    retryable: true,
    title: 'The voice service is busy. Try again in a moment.',
    hint: 'The voice service responded with 429 again, or the wait would be longer than the deadline. A token request does not wait. Operator: see scaling.md. `meetings.reserve` keeps part of the limit free for other programs that you know. The event `budget.limit` with the reason `foreign-use` reports programs that you do not know.',
  },
  /** Retryable if the upstream's status was 5xx. */
  UPSTREAM_ERROR: {
    status: 502,
    retryable: false,
    title: 'The voice service answered with an error.',
    hint: "Stagepass does not know the service's error code, or could not read the body of a 5xx. It is retryable after a 5xx and after a handshake check. Operator: give `req_id` to the service's support.",
  },
  UPSTREAM_TIMEOUT: {
    status: 504,
    retryable: true,
    title: 'The voice service did not answer in time.',
    hint: 'The service did not respond within `deadlineMs`. Wait. Operator: if the error continues, check the state of the service and the network to it.',
  },
  UPSTREAM_UNREACHABLE: {
    status: 502,
    retryable: true,
    title: 'The voice service could not be reached.',
    hint: 'There was no connection, it broke, or the service responded with 408 several times: it did not read the request. Operator: check `baseUrl`, `streamingUrl`, `meetings.baseUrl`, DNS and the firewall.',
  },
  UPSTREAM_MALFORMED: {
    status: 502,
    retryable: false,
    title: 'The response of the voice service could not be read.',
    hint: 'The response was unreadable, too large, or a redirect, which the BFF never follows. Or the path has no token endpoint, list or tags. Operator: check that the addresses name the service itself, and not a page in front of it. If a path does not exist, the event `host.misconfigured` names `baseUrl` or `meetings.baseUrl`. The paths of the meetings interface are in `meetings.wire`.',
  },

  UNAUTHENTICATED: {
    status: 401,
    retryable: false,
    title: 'Sign in to use this.',
    hint: '`authorize` returned no grant. Developer: sign the user in. If the user is signed in, check that the page sends the cookie or header of the login, and that `authorize` reads it. The BFF never redirects.',
  },
  FORBIDDEN: {
    status: 403,
    retryable: false,
    title: 'You may not use this.',
    hint: 'The grant does not allow this product, the meetings, or the requested `ownership` (then `field` is `ownership`). Developer: allow it in what `authorize` returns, or do not offer it.',
  },
  /** The header of the page names a different user than the grant. */
  USER_CHANGED: {
    status: 403,
    retryable: false,
    title: 'Another user is signed in now.',
    hint: 'The header `x-stagepass-user` names a different user than the grant, or is not the result of `encodeURIComponent`. In the page all streams end, lists are empty, and `onUserChanged` is called once. No request is sent until the application passes another `user`, or calls `voice.setUser()` or `voice.reset()`. Developer: read the session again or reload the page. The header must name the `user` of the grant, character by character. users.md has an example.',
  },
  /** The user's minutes of the day are used up. `resets_at` says when the next day begins. */
  USAGE_EXHAUSTED: {
    status: 403,
    retryable: false,
    title: 'Your minutes for today are used up.',
    hint: 'Less than five minutes are left, and the shortest token needs five. `resets_at` says when the next day begins. Developer: show `resetsAt` of `useUsage`, and offer the next step. usage.md says what counts.',
  },
  /** Redis, which counts the user's minutes, does not answer. */
  USAGE_UNAVAILABLE: {
    status: 503,
    retryable: true,
    title: 'Your minutes could not be counted. Try again in a moment.',
    hint: 'Redis counts for all instances. It does not answer, or refuses the count of this user. If Redis is not configured, the process already counts as many users as it can. Only products with a limit are refused. If several users are refused, `/health` is `degraded`. Developer: do nothing; the hooks try again. Operator: restore Redis. The `cause` of `request.finished` has the answer of Redis. Check its memory and the rights of its user too.',
  },
  CROSS_SITE_BLOCKED: {
    status: 403,
    retryable: false,
    title: 'The request did not come from a page of this site.',
    hint: "The server's log, and in development a header of the response, say which check refused. Developer: use the hooks, or send the header. If the page is on another origin, let the dev server proxy the BFF's path, or add the origin to `allowedOrigins`, with the exact scheme, host and port. Behind a proxy, set the option `origin` or Express's `trust proxy`.",
  },
  AUTHORIZE_FAILED: {
    status: 503,
    retryable: true,
    title: 'Your sign-in could not be checked. Try again in a moment.',
    hint: '`authorize` threw, took longer than `deadlineMs`, or returned something that is not a grant. In development the log has the message of the thrown error and its place in the code. Back-end developer: the log and the event with the same `request_id` give the reason. The `cause` of the event is the thrown error.',
  },
  SECRET_UNAVAILABLE: {
    status: 503,
    retryable: true,
    title: 'The voice service is not ready here. Try again in a moment.',
    hint: 'The function of `apiKey` or `meetings.credential` threw, was too slow, or returned a value that a header cannot hold. Operator: check the secret store. The `cause` of the event `secret.failed` is what your function threw.',
  },

  RATE_LIMITED: {
    status: 429,
    retryable: true,
    title: 'Too many requests. Wait a moment.',
    hint: 'This user sent more requests than `limits` allows: by default 30 token requests and 120 meetings requests a minute. Requests to `/usage` count as meetings requests. Do nothing: clients wait as long as `Retry-After` says. Developer: the usual cause is a loop in the page.',
  },
  BUDGET_EXHAUSTED: {
    status: 503,
    retryable: true,
    title: 'Many people use this service right now. Try again in a moment.',
    hint: "The wait for the account's budget would be longer than the deadline, the queue is full, or thousands of requests already wait for pages. Do nothing: clients wait as long as `Retry-After` says, which is an estimate. Operator: see scaling.md.",
  },
  SHUTTING_DOWN: {
    status: 503,
    retryable: true,
    title: 'The server is restarting. Try again in a moment.',
    hint: 'This instance is draining after `bff.close()`. Do nothing: clients retry and reach another instance. Operator: take an instance out of the load balancer before you close it.',
  },

  METHOD_NOT_ALLOWED: {
    status: 405,
    retryable: false,
    title: 'This address does not accept that method.',
    hint: '`Allow` names the method. Developer: use POST for tokens and checks, and GET for the rest. HEAD is refused, because it would cost an upstream request. Only `/health` accepts it.',
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
    hint: 'The body is larger than 4 KiB. Developer: send a smaller body. No route needs one of this size.',
  },
  REQUEST_TIMEOUT: {
    status: 408,
    retryable: false,
    title: 'The body did not arrive in time.',
    hint: 'The body did not arrive within `deadlineMs`. Try again. If the error continues, check the network.',
  },
  /** A defect of the BFF itself. It should never occur. */
  INTERNAL_ERROR: {
    status: 500,
    retryable: false,
    title: 'Something went wrong on the server.',
    hint: 'This is a defect of the BFF. Please report it with the event of the same `request_id`.',
  },
} as const satisfies ErrorTable
/** A code of `BFF_ERRORS`: `error_code` of a problem of the BFF. */
export type BffErrorCode = keyof typeof BFF_ERRORS
