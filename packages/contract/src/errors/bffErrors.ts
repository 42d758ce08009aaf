import type { BffRouteName } from '../bffRoutes.js'
import type { ErrorRow } from './ErrorRow.js'
import type { Seen } from './hint.js'

/** One row of `BFF_ERRORS`. What the BFF, its log and its documents do with a code stands here alone. */
export type BffErrorRow = ErrorRow & {
  /** The routes that send the code, or `any`, also before a route is found. */
  readonly from: 'any' | readonly BffRouteName[]
  /**
   * Time until the next request of the client, in milliseconds, unless the service or the budget knows
   * better. With it the response has `Retry-After`.
   */
  readonly waitMs?: number
  /** The event `request.finished` has what was thrown. Other codes have an event of their own for it. */
  readonly causeInEvent?: true
  /**
   * What was seen is in the request itself, so it has no word of the service, and a developer may read it in
   * the response.
   */
  readonly seenInRequest?: true
  /** The service refused this secret: its function is called again, and a metric counts it. */
  readonly refusedSecret?: 'apiKey' | 'meetings.credential'
  /** The connection ends after the response. */
  readonly closes?: true
  /** The status of a renewal of a lease, if it is another one. */
  readonly renewalStatus?: number
} & (
    | {
        /** An account has the problem, while others may have none: a line that names it. */
        readonly log: 'account'
        /** True if the code reveals something about the account. `maskAccountErrors` hides it. */
        readonly masked: boolean
      }
    | {
        /**
         * - `operator`: the problem continues until an operator acts: a line.
         * - `developer`: a line in development alone.
         * - `none`: no line, because it ends by itself or has an event with a line of its own.
         */
        readonly log: 'operator' | 'developer' | 'none'
        readonly masked?: never
      }
  )

/** These routes read a secret and send a request to the service. */
const SERVICE_ROUTES = ['session-token', 'handshake-check', 'meetings', 'meeting', 'tags'] as const
const BODY_ROUTES = [
  'session-token',
  'handshake-check',
  'usage-report',
  'vitals',
  'session',
  'session-renewal',
] as const
const SESSION_ROUTES = ['session', 'session-renewal', 'session-release'] as const
const MEETINGS_ROUTES = ['meetings', 'meeting', 'tags'] as const

const ACCOUNT_SIDE = 'Ask the operator of this site to check its voice service account.'

/**
 * Every `error_code` that the BFF can send. Only literals, so that the bundle of a page in production leaves
 * the table out.
 */
export const BFF_ERRORS = {
  VALIDATION_ERROR: {
    status: 400,
    retryable: false,
    log: 'developer',
    seenInRequest: true,
    from: 'any',
    title: 'The request is not valid.',
    hint: {
      rule: '`{name}` must be {rule}.{got}',
      read: 'The body of the request was already read before the BFF. Call the BFF before the code that reads the body, or let that code keep the parsed value in `req.body`, or give it `request.clone()`.',
      escape: '`{name}` has an invalid percent-escape. Encode each value once.',
      unknown: 'The route has no parameter `{name}`. Leave it out, or correct its name.',
      repeated: '`{name}` is in the query twice. Send it once, with commas in a list.',
      service:
        'The voice service refused {name} with {status}, and our own checks allow it. Ask the service what it accepts.',
      otherwise:
        '`field` names the part of the request that was refused. Correct it: the table of the route has its rule.',
    },
  },

  // The service refused our key, not the user's login. A 401 here would send an application into a login
  // loop.
  AUTH_HEADER_MISSING: {
    status: 502,
    retryable: false,
    log: 'account',
    masked: true,
    from: ['session-token'],
    title: `The voice service refused this site. ${ACCOUNT_SIDE}`,
    hint: 'The voice service found no `api-key <API_KEY>`. Operator: check whether a proxy between the BFF and the service removes `Authorization`. The BFF always sends it.',
  },
  AUTH_API_KEY_INVALID: {
    status: 502,
    retryable: false,
    log: 'account',
    masked: true,
    refusedSecret: 'apiKey',
    from: ['session-token'],
    title: `The voice service refused this site's key. ${ACCOUNT_SIDE}`,
    hint: 'The key is invalid, paused, suspended, or has no team. Operator: check `apiKey` and its state in the developer portal. If `apiKey` is a function, the BFF has already called it again, and has tried once more if it returned another key.',
  },
  AUTH_API_KEY_EXPIRED: {
    status: 502,
    retryable: false,
    log: 'account',
    masked: true,
    refusedSecret: 'apiKey',
    from: ['session-token'],
    title: `This site's key has expired. ${ACCOUNT_SIDE}`,
    hint: 'Operator: create a new key and set it as `apiKey`. If `apiKey` is a function, the BFF calls it again by itself. If it is a string, restart the BFF.',
  },
  AUTH_NO_LICENSE: {
    status: 502,
    retryable: false,
    log: 'account',
    masked: true,
    from: ['session-token'],
    title: `This site's key has no license. ${ACCOUNT_SIDE}`,
    hint: 'Operator: assign a license in the developer portal.',
  },

  PRODUCT_NOT_ALLOWED: {
    status: 403,
    retryable: false,
    log: 'account',
    masked: false,
    from: ['session-token'],
    title: 'This product is not part of the plan.',
    hint: 'Operator: check the plan. Developer: do not offer a product that the plan does not have. If the `products` of the grant do not contain it, the BFF refuses it earlier, with `FORBIDDEN`.',
  },
  PAYMENT_PAST_DUE: {
    status: 403,
    retryable: false,
    log: 'account',
    masked: true,
    from: ['session-token'],
    title: `The voice service is suspended because of an unpaid invoice. ${ACCOUNT_SIDE}`,
    hint: 'Operator: pay the invoice.',
  },
  BALANCE_EXHAUSTED: {
    status: 403,
    retryable: false,
    log: 'account',
    masked: true,
    from: ['session-token'],
    title: `The prepaid credit is used up. ${ACCOUNT_SIDE}`,
    hint: 'Operator: add credit.',
  },
  SPEND_CAP_REACHED: {
    status: 403,
    retryable: false,
    log: 'account',
    masked: true,
    from: ['session-token'],
    title: `This month's spending limit is reached. ${ACCOUNT_SIDE}`,
    hint: 'Operator: raise the limit, or wait for the next month.',
  },
  USAGE_LIMIT_EXCEEDED: {
    status: 403,
    retryable: false,
    log: 'account',
    masked: true,
    from: ['session-token'],
    title: `The minutes of the plan are used up. ${ACCOUNT_SIDE}`,
    hint: 'This code is for every product but Voice Translation. Operator: extend the plan.',
  },
  VT_USAGE_LIMIT_EXCEEDED: {
    status: 403,
    retryable: false,
    log: 'account',
    masked: true,
    from: ['session-token'],
    title: `The Voice Translation hours of the plan are used up. ${ACCOUNT_SIDE}`,
    hint: 'Operator: extend the plan.',
  },
  CACHE_UNAVAILABLE: {
    status: 503,
    retryable: true,
    waitMs: 1_000,
    log: 'none',
    from: ['session-token'],
    title: 'The voice service could not store the token. Try again in a moment.',
    hint: 'Do nothing: clients retry after `Retry-After`. The hook keeps using the current token.',
  },
  /** Sent in place of the account's errors if `maskAccountErrors` is true. */
  SERVICE_UNAVAILABLE: {
    status: 503,
    retryable: false,
    log: 'none',
    from: ['session-token'],
    title: 'The voice service is not available here.',
    hint: 'The error concerns the account. `maskAccountErrors: true` hides its code. Operator: the log and the event with the same `request_id` have the exact code.',
  },

  NOT_FOUND: {
    status: 404,
    retryable: false,
    log: 'developer',
    seenInRequest: true,
    from: [...MEETINGS_ROUTES, 'vitals', ...SESSION_ROUTES],
    title: 'This was not found. It may be gone, or you are not allowed to see it.',
    hint: {
      route:
        'The BFF has no route at this path. If the path begins with that of the mount, the host does not remove it: set `basePath`. Else correct `url` of the client.',
      meeting:
        'The voice service has no such meeting, or the credential cannot see it. The key holder cannot see a meeting that is shared only by a public link or with a whole workspace.',
      request:
        'The voice service has nothing at this path, or the credential cannot see it. Compare `path` with the documentation of the service.',
      ownership:
        'The meeting exists, but the grant forces another `ownership`. Change `meetings.ownership` of what `authorize` returns, or do not link to this meeting.',
      vitals:
        'The BFF takes no figures of pages. Set `vitals: true` of `createBff`, or remove `vitals` of `createVoiceClient`.',
      sessions:
        'The BFF does not share the sessions of its account. Set `sessions` of `createBff`; without it pages do not send this.',
      lease:
        'The lease is not one of this user, its time is over, or the store has lost it. An open stream stays open, and asks for a lease again.',
      otherwise:
        'The BFF has no such route, or its option is not set; or the credential cannot see such a meeting; or the lease of a session is over. In development the log of the server says which.',
    },
  },
  MEETING_PROCESSING: {
    status: 409,
    retryable: true,
    waitMs: 5_000,
    log: 'developer',
    from: MEETINGS_ROUTES,
    title: 'This meeting is still being processed. Try again in a moment.',
    hint: 'Do nothing: `useMeeting` sends the request again after `Retry-After`.',
  },
  MEETINGS_CREDENTIAL_REJECTED: {
    status: 502,
    retryable: false,
    log: 'account',
    masked: false,
    refusedSecret: 'meetings.credential',
    from: MEETINGS_ROUTES,
    title: 'The voice service refused the meetings credential. Ask the operator of this site to check it.',
    hint: 'The credential is wrong, or lacks the scope `read`. Operator: check `meetings.credential` in what `authorize` returns.',
  },

  UPSTREAM_RATE_LIMITED: {
    status: 503,
    retryable: true,
    waitMs: 1_000,
    log: 'none',
    from: SERVICE_ROUTES,
    title: 'The voice service is busy. Try again in a moment.',
    hint: {
      meetings:
        'The voice service responded with 429{wait}, although the budget of the account allowed the request. Clients wait as long as `Retry-After` says. If it continues, another program uses the same account: keep a part of the limit free for it with `meetings.reserve`. See scaling.md.',
      token:
        'The voice service responded with 429{wait} to a token request. Clients wait as long as `Retry-After` says. If it continues, ask the service for the limit of its token endpoint.',
      otherwise:
        'The voice service responded with 429. Clients wait as long as `Retry-After` says. See scaling.md.',
    },
  },
  /** Retryable if the upstream's status was 5xx. */
  UPSTREAM_ERROR: {
    status: 502,
    retryable: false,
    log: 'operator',
    from: SERVICE_ROUTES,
    title: 'The voice service answered with an error.',
    hint: "Stagepass does not know the service's error code, or could not read the body of a 5xx. It is retryable after a 5xx and after a handshake check. Operator: give `req_id` to the service's support.",
  },
  UPSTREAM_TIMEOUT: {
    status: 504,
    retryable: true,
    log: 'operator',
    from: SERVICE_ROUTES,
    title: 'The voice service did not answer in time.',
    hint: 'The service did not respond within `deadlineMs`. Wait. Operator: if the error continues, check the state of the service and the network to it.',
  },
  UPSTREAM_UNREACHABLE: {
    status: 502,
    retryable: true,
    log: 'operator',
    from: SERVICE_ROUTES,
    title: 'The voice service could not be reached.',
    hint: {
      address:
        'No connection was made: {what} ({failure}). Check scheme, host and port of "{option}", that the service runs, and the DNS and the firewall of this machine.',
      proxy:
        'No connection was made: {what} ({failure}). {variable} is set, but the BFF does not read it: give createBff({ dispatcher: new EnvHttpProxyAgent() }), of undici.',
      certificate:
        'Its certificate was not accepted: {what} ({failure}). Check the host in "{option}". For an authority of your company set NODE_EXTRA_CA_CERTS to its file, or use "dispatcher".',
      http: 'What came from there {what} ({failure}). Check scheme and port of "{option}": a port of TLS needs https, and no other does. If they are right, check the proxy in front of the service.',
      closed:
        'The connection was closed {what} ({failure}). Check proxies and load balancers in front of the service, its load and its logs.',
      otherwise: 'There was no connection, or it broke. Check the address, DNS and the firewall.',
    },
  },
  UPSTREAM_MALFORMED: {
    status: 502,
    retryable: false,
    log: 'operator',
    from: SERVICE_ROUTES,
    title: 'The response of the voice service could not be read.',
    hint: {
      elsewhere:
        'The response was {status}{what}, not one of the voice service: a login, a portal or a proxy may answer there. Set "{option}" to the address of the service itself.',
      changed: 'The response was {status} with {type}, but {what}. Check the proxy in front of the service.',
      large:
        'The response has more {more}. Check that "{option}" is the address of the service itself, or ask for fewer `fields` or smaller pages.',
      field:
        'In the response, `{path}` is {value}, but must be {expected}. Check that "{option}" is the address of the voice service; if it is, report this to the service.',
      place:
        'In the response, `{path}` is {value}, but must be {expected}. If the service has it at another place, set `meetings.wire.{part}`.',
      otherwise:
        'Something else may answer at the address of the service, or a field has another form than the BFF reads. The line of this error in the log of the server says what was seen.',
    },
  },

  UNAUTHENTICATED: {
    status: 401,
    retryable: false,
    log: 'developer',
    from: 'any',
    title: 'Sign in to use this.',
    hint: {
      gateway:
        'A gateway in front of the BFF asks for a login: {url} responded with {status} {type}, not of Stagepass. Sign in there. If the user is signed in, check that the page sends what the gateway reads.',
      redirect:
        'Something in front of the BFF redirects: {url} responded with a redirect, usually to a login page. Exclude the path of the BFF: its own `authorize` responds with 401. If it adds or removes a slash, as in Next.js with `trailingSlash`, set `skipTrailingSlashRedirect: true`.',
      otherwise:
        '`authorize` returned no grant. Sign in first. If the user is signed in, check that the page sends the cookie or header of the login, and that `authorize` reads it. If the BFF is on another site than the page, browsers may not send its cookies: serve both from one site.',
    },
  },
  FORBIDDEN: {
    status: 403,
    retryable: false,
    log: 'developer',
    from: 'any',
    title: 'You may not use this.',
    hint: 'The grant does not allow this product, the meetings, or the requested `ownership` (then `field` is `ownership`). Developer: allow it in what `authorize` returns, or do not offer it.',
  },
  /** The header of the page names a different user than the grant. */
  USER_CHANGED: {
    status: 403,
    retryable: false,
    log: 'developer',
    seenInRequest: true,
    from: 'any',
    title: 'Another user is signed in now.',
    hint: {
      header:
        'The header `x-stagepass-user` names another user than the grant. If another user has signed in, read the session again. Otherwise give the provider the `user` of the grant, character by character; in another client, by encodeURIComponent. See users.md.',
      otherwise:
        'The page names another user than the grant. All its streams have ended, and it sends no request until the application sets the user again: read the session again. See users.md.',
    },
  },
  /** The user's minutes of the day or month are used up. `resets_at` says when the next one begins. */
  USAGE_EXHAUSTED: {
    status: 403,
    retryable: false,
    log: 'developer',
    from: ['session-token'],
    title: 'Your minutes are used up.',
    hint: 'Fewer minutes are left than the shortest token needs. `resets_at` says when the next day or month begins. Developer: show `resetsAt` of `useUsage`, and offer the next step. usage.md says what counts.',
  },
  /** `bff.end` or `bff.forget` ended the user's sessions, or `maxSessionMinutes` are over. */
  ENDED_BY_SERVER: {
    status: 403,
    renewalStatus: 410,
    retryable: false,
    log: 'developer',
    from: 'any',
    title: 'Your session was ended.',
    hint: {
      forgotten:
        'The server has called `bff.forget` for the account of this user, and `authorize` still returns its old key. After the last reports, return null for its users. If the account has come back, return its new `apiKey`.',
      otherwise:
        'The server has called `bff.end` for this user, account or session, `bff.forget` for the account, or `maxSessionMinutes` are over. `reason` has the text that was given, and `retry_after_ms` the time until a new session may begin. Developer: show both. security.md says what this cannot do.',
    },
  },
  /** The minutes of the user's account are used up. `resets_at` says when they are there again. */
  ACCOUNT_USAGE_EXHAUSTED: {
    status: 403,
    retryable: false,
    log: 'developer',
    from: ['session-token'],
    title: 'The minutes of your company are used up. Ask your company for more.',
    hint: 'Fewer minutes of the account are left than the shortest token needs. `resets_at` says when the next day or month begins. Developer: the user cannot do anything about it; raise `accountUsage` of the grant. usage.md says what counts.',
  },
  /** Redis, which counts the user's minutes, does not answer. */
  USAGE_UNAVAILABLE: {
    status: 503,
    retryable: true,
    waitMs: 1_000,
    log: 'operator',
    causeInEvent: true,
    from: ['session-token', 'usage', 'usage-report'],
    title: 'Your minutes could not be counted. Try again in a moment.',
    hint: {
      refused:
        'Redis counts for all instances, and answered {reply}. Check its memory, and the rights of its user (see scaling.md). The `cause` of `request.finished` has the whole answer. Only products with a limit are refused.',
      otherwise:
        'Redis counts for all instances, and does not answer. Without Redis, the process already counts as many users as it can. Only products with a limit are refused. If several users are refused, `/health` is `degraded`. Restore Redis; the hooks try again. The `cause` of `request.finished` says why.',
    },
  },
  CROSS_SITE_BLOCKED: {
    status: 403,
    retryable: false,
    log: 'developer',
    from: 'any',
    title: 'The request did not come from a page of this site.',
    hint: {
      header:
        'The header "x-stagepass: 1" is missing. Use the hooks of @stagepass/react, or send the header with each request. A proxy or a service worker must not remove it.',
      'fetch-site':
        'Sec-Fetch-Site{site} says that the request came from a page of another site, or not from a page{origin}. Serve page and BFF under one origin (in development with the proxy of the dev server), or list the origin of the page in "allowedOrigins".',
      origin:
        'Origin{origin} is not the origin of this server{own} and not in "allowedOrigins". If the address bar shows it for this site, set "origin" to it, or "trust proxy" in Express. If the page is of another site, list it in "allowedOrigins".',
      'cookie-without-origin':
        'A request with a cookie and a method other than GET has neither Sec-Fetch-Site nor Origin. A browser sends one of them. In another client, send the origin of the page as Origin.',
      otherwise:
        'The gate refused the request. In development, the log of the server and the header `x-stagepass-reason` say which check it was.',
    },
  },
  AUTHORIZE_FAILED: {
    status: 503,
    retryable: true,
    log: 'none',
    from: 'any',
    title: 'Your sign-in could not be checked. Try again in a moment.',
    hint: '`authorize` threw, took longer than `deadlineMs`, or returned something that is not a grant. In development the log has the message of the thrown error and its place in the code. Back-end developer: the log and the event with the same `request_id` give the reason. The `cause` of the event is the thrown error.',
  },
  SECRET_UNAVAILABLE: {
    status: 503,
    retryable: true,
    log: 'none',
    from: SERVICE_ROUTES,
    title: 'The voice service is not ready here. Try again in a moment.',
    hint: 'The function of `apiKey` or `meetings.credential` threw, was too slow, or returned a value that a header cannot hold. Operator: check the secret store. The `cause` of the event `secret.failed` is what your function threw.',
  },

  RATE_LIMITED: {
    status: 429,
    retryable: true,
    log: 'developer',
    from: 'any',
    title: 'Too many requests. Wait a moment.',
    hint: {
      gateway:
        'A gateway in front of the BFF limits requests: {url} responded with {status} {type}, not of Stagepass. Do nothing: clients wait as long as `Retry-After` says. Operator: raise its limit for this path.',
      sessions:
        'This user already has five places in the queue for a session. Do nothing: clients wait as long as `Retry-After` says. Developer: the usual cause is a loop in the page.',
      otherwise:
        'This user sent more requests in a minute than `limits` allows, or has five places in the queue for a session already. Requests to `/usage` count as meetings requests. Do nothing: clients wait as long as `Retry-After` says. Developer: the usual cause is a loop in the page.',
    },
  },
  BUDGET_EXHAUSTED: {
    status: 503,
    retryable: true,
    // A window of the rate limit: then a slot is free.
    waitMs: 5_000,
    log: 'none',
    from: [...MEETINGS_ROUTES, 'session-token', 'handshake-check', 'session'],
    title: 'Many people use this service right now. Try again in a moment.',
    hint: {
      accounts:
        'This instance has budgets for as many accounts as it can hold, and all are in use. Do nothing: clients wait as long as `Retry-After` says. Operator: send each account to a part of the instances.',
      sessions:
        'More requests wait for a session of the account than its queue holds. Do nothing: clients wait as long as `Retry-After` says. Operator: raise `sessions.max` with the limit of the account, or offer fewer streams.',
      otherwise:
        "The wait for the account's budget would be longer than the deadline, its queue or that of `sessions` is full, thousands of requests already wait for pages, or there are too many accounts. Do nothing: clients wait as long as `Retry-After` says, which is an estimate. Operator: see scaling.md.",
    },
  },
  SHUTTING_DOWN: {
    status: 503,
    retryable: true,
    // Short, because another instance is ready.
    waitMs: 1_000,
    log: 'none',
    closes: true,
    from: 'any',
    title: 'The server is restarting. Try again in a moment.',
    hint: 'This instance is draining after `bff.close()`. Do nothing: clients retry and reach another instance. Operator: take an instance out of the load balancer before you close it.',
  },

  METHOD_NOT_ALLOWED: {
    status: 405,
    retryable: false,
    log: 'developer',
    // A wrong method is not an operation of any route.
    from: [],
    title: 'This address does not accept that method.',
    hint: '`Allow` names the methods. HEAD is refused, because it would cost an upstream request. Only `/health` accepts it.',
  },
  UNSUPPORTED_MEDIA_TYPE: {
    status: 415,
    retryable: false,
    log: 'developer',
    from: BODY_ROUTES,
    title: 'The body must be application/json.',
    hint: 'Developer: set `Content-Type`.',
  },
  PAYLOAD_TOO_LARGE: {
    status: 413,
    retryable: false,
    log: 'developer',
    from: BODY_ROUTES,
    title: 'The body is too large.',
    hint: {
      gateway:
        'A gateway in front of the BFF takes no request of this size: {url} responded with {status} {type}, not of Stagepass. Raise its limit, or send fewer headers.',
      otherwise: 'The body is larger than any that the route needs. Developer: send a smaller body.',
    },
  },
  REQUEST_TIMEOUT: {
    status: 408,
    retryable: false,
    log: 'developer',
    closes: true,
    from: BODY_ROUTES,
    title: 'The body did not arrive in time.',
    hint: 'The body did not arrive within `deadlineMs`. Try again. If the error continues, check the network.',
  },
  /** A defect of the BFF itself. It should never occur. */
  INTERNAL_ERROR: {
    status: 500,
    retryable: false,
    log: 'operator',
    causeInEvent: true,
    from: 'any',
    title: 'Something went wrong on the server.',
    hint: 'This is a defect of the BFF. Please report it with the event of the same `request_id`.',
  },
} as const satisfies Readonly<Record<string, BffErrorRow>>
/** A code of `BFF_ERRORS`: `error_code` of a problem of the BFF. */
export type BffErrorCode = keyof typeof BFF_ERRORS

/** The row of a code, with the columns that it may have. */
export const bffErrorRow = (code: BffErrorCode): BffErrorRow => BFF_ERRORS[code]

/** What can be seen of a failure with this code: one of the causes of its hint. */
export type SeenOf<TCode extends BffErrorCode> = (typeof BFF_ERRORS)[TCode]['hint'] extends infer THint
  ? THint extends string
    ? never
    : Seen<Exclude<keyof THint & string, 'otherwise'>>
  : never
