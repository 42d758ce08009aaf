import type {
  BffErrorCode,
  BffRouteName,
  LostReason,
  PageEngine,
  PageFigureName,
  PageNetwork,
  Product,
  RefusalCode,
  Seen,
  Unreadable,
} from '@stagepass/contract'
import type { BudgetEvent, SessionsEvent } from '@stagepass/budget'
import type { TokenFault } from '../base/TokenFault.js'

/** Why the gate blocked a request. */
export type GateReason =
  /** `x-stagepass: 1` is missing. */
  | 'header'
  /** `Sec-Fetch-Site` names another site that is not in `allowedOrigins`, or a navigation. */
  | 'fetch-site'
  /** `Origin` (also that of a preflight) is neither the server's own origin nor in `allowedOrigins`. */
  | 'origin'
  /** A request other than GET has a cookie but neither `Sec-Fetch-Site` nor `Origin`. */
  | 'cookie-without-origin'

/** The names of the upstream's operations in events. */
export type UpstreamOperation = 'session-token' | 'meetings' | 'meeting' | 'tags' | 'request' | 'handshake'

/** Name of a route in events, spans and metrics. `request`: that of `bff.as(grant)`, which has no route. */
export type ReportedRoute = BffRouteName | 'request' | 'health' | 'unknown'

interface RequestFacts {
  readonly requestId: string
  /** `unknown` until it is found. */
  readonly route: ReportedRoute
  readonly method: string
  readonly durationMs: number
  readonly user?: string | undefined
  /** Server code sent it, by `bff.as(grant)`. Missing for a request of a page. */
  readonly via?: 'server' | undefined
}

interface SessionFacts {
  readonly user: string
  readonly product: Product
}

/**
 * The events of `onEvent`. No event contains a key, a credential, a session token, a query or upstream text,
 * except for names in `seen`.
 * Durations are in milliseconds. `requestId` is the `request_id` of the response.
 *
 * If code of the host failed, the event has a `cause`: the thrown value. Because it may contain anything, it
 * is not enumerable: a logger does not print it, but code can read it.
 */
export type BffEvent = Named<Happening>

/** The events that no grant is behind. Every other event must name the account. */
type WithoutGrant = 'gate.blocked' | 'authorize.failed' | 'login.refused' | 'drain.started' | 'drain.finished'

type Named<THappening extends { readonly type: string }> = THappening extends { readonly type: WithoutGrant }
  ? THappening & { readonly account?: undefined }
  : THappening & {
      /** The account that the grant names. `undefined` for the common account, and if no grant is known. */
      readonly account: string | undefined
    }

/** What happened, without the account. The emitter of a request or of an account adds it. */
export type Happening =
  | BudgetEvent
  | SessionsEvent
  /**
   * A request was answered. `errorCode` is the exact code even with `maskAccountErrors`. `shared`: it used
   * the upstream request of another request.
   */
  | (RequestFacts & {
      readonly type: 'request.finished'
      readonly status: number
      readonly errorCode?: BffErrorCode | undefined
      readonly field?: string | undefined
      readonly reqId?: string | undefined
      /**
       * What was seen of a failure: its cause and a few short values, such as the status and the media type of
       * a response of the service. `hint` of the code makes a sentence of it.
       */
      readonly seen?: Seen | undefined
      readonly shared?: boolean | undefined
      readonly cause?: unknown
    })
  /**
   * The client closed the connection before the response, the host sent its own response, or server code
   * aborted its call. The upstream request was aborted, unless other requests use it.
   */
  | (RequestFacts & { readonly type: 'request.abandoned' })
  /**
   * The gate refused the request. `sameOrigin`: `Sec-Fetch-Site` says that a page of this site sent it, so
   * the BFF is probably configured wrongly.
   */
  | {
      readonly type: 'gate.blocked'
      readonly requestId: string
      readonly reason: GateReason
      readonly sameOrigin: boolean
      /** The values of the headers that were checked, if they look like an origin. */
      readonly seen?: Seen | undefined
    }
  /**
   * An option is probably missing or wrong. `problem` names the cause and a remedy. Each problem is reported
   * once in ten minutes. Without `user` a stranger may have sent the request, to be believed with care.
   */
  | {
      readonly type: 'host.misconfigured'
      readonly requestId: string
      readonly option: 'allowedOrigins' | 'basePath' | 'origin' | 'baseUrl' | 'meetings.baseUrl'
      readonly problem: string
      readonly user?: string | undefined
      readonly cause?: unknown
    }
  /**
   * `authorize` threw, was too slow, or returned something that is not a grant. `problem` says which, for the
   * developer.
   */
  | {
      readonly type: 'authorize.failed'
      readonly requestId: string
      readonly problem: string
      readonly cause?: unknown
    }
  /**
   * `fromJwt` refused a token. `reason` is the claim or header that is wrong, and `problem` says what was
   * expected, and what was seen. Of the token it has only the names of its issuer and audience, if the
   * signature was right.
   */
  | {
      readonly type: 'login.refused'
      readonly requestId: string
      readonly reason: TokenFault
      readonly problem: string
    }
  /** The grant does not allow the request. */
  | {
      readonly type: 'grant.refused'
      readonly requestId: string
      readonly user: string
      readonly what: 'product' | 'meetings' | 'ownership'
    }
  /**
   * The service issued a token. `minutes`: the requested lifetime. `reqId` is to be quoted to the service's
   * support; `keyId` is the service's number of the API key, which tells a rotated key from the old one.
   */
  | {
      readonly type: 'token.minted'
      readonly requestId: string
      readonly user: string
      readonly product: Product
      readonly minutes: number
      readonly reqId?: string | undefined
      readonly keyId?: number | undefined
    }
  /** A user exceeded `limits`. */
  | {
      readonly type: 'limit.exceeded'
      readonly requestId: string
      readonly user: string
      readonly limit: 'tokensPerMinute' | 'meetingsPerMinute' | 'vitalsPerMinute' | 'sessionsPerMinute'
      readonly retryAfterMs: number
    }
  /**
   * The minutes that a token used. `by: 'report'`: the page reported them. `'expiry'`: the page did not, so
   * the token's whole lifetime counts (`reservedMs`). An instance that is killed emits no `expiry` for its
   * tokens.
   */
  | {
      readonly type: 'usage.settled'
      readonly user: string
      readonly product: Product
      readonly usedMs: number
      readonly reservedMs: number
      readonly by: 'report' | 'expiry'
    }
  /**
   * Fewer minutes are left than the shortest token needs: of the user or of the account, in the day or in the
   * month.
   */
  | {
      readonly type: 'usage.exhausted'
      readonly requestId: string
      readonly user: string
      readonly product: Product
      readonly of: 'user' | 'account'
      readonly per: 'day' | 'month'
      readonly limitMs: number
      readonly resetsAtMs: number
    }
  /** No session of the account is free: the page waits. Its later requests for its place have no event. */
  | (SessionFacts & {
      readonly type: 'session.queued'
      readonly requestId: string
      /** The place in the queue, from 1, and the requests in it. Null while Redis does not respond. */
      readonly place: number | null
      readonly of: number | null
    })
  /** A page may open a session. `waitedMs`: time since its request. */
  | (SessionFacts & {
      readonly type: 'session.leased'
      readonly requestId: string
      readonly waitedMs: number
    })
  /** A page has closed its session. Those of pages that have crashed end without an event. */
  | (SessionFacts & {
      readonly type: 'session.released'
      readonly requestId: string
      readonly forMs: number
    })
  /** `bff.end` was called, for a user, a session (`id`) or a whole account. */
  | {
      readonly type: 'session.ended'
      readonly by: 'host'
      readonly user?: string | undefined
      readonly id?: string | undefined
      readonly reason?: string | undefined
      readonly untilMs: number
    }
  /** The `maxSessionMinutes` of the grant are over. */
  | (SessionFacts & { readonly type: 'session.ended'; readonly by: 'time'; readonly forMs: number })
  /**
   * The tokens of a user or of an account have reached 80 % of a limit; 100: no further token fits. Once for
   * each limit and day or month, over all instances. `user`: whose token it was.
   */
  | {
      readonly type: 'usage.threshold'
      readonly user: string
      readonly product: Product
      readonly of: 'user' | 'account'
      readonly per: 'day' | 'month'
      readonly percent: 80 | 100
      readonly limitMs: number
    }
  /**
   * One HTTP request or one handshake to the upstream has ended. `status` is missing if there was no
   * response, or if a refused handshake had no number.
   */
  | {
      readonly type: 'upstream.called'
      readonly requestId: string
      readonly operation: UpstreamOperation
      readonly durationMs: number
      readonly status?: number | undefined
      /** Only for a refused handshake. */
      readonly errorCode?: RefusalCode | undefined
      /** The system's name for a failed connection, such as `ECONNREFUSED`. */
      readonly failure?: string | undefined
    }
  | {
      readonly type: 'upstream.retried'
      readonly requestId: string
      readonly operation: UpstreamOperation
      readonly errorCode: BffErrorCode
      readonly repeat: number
      readonly delayMs: number
    }
  /** The meetings interface answered with 429. All instances of the account pause. */
  | {
      readonly type: 'upstream.rate-limited'
      readonly requestId: string
      readonly operation: UpstreamOperation
      readonly retryAfterMs?: number | undefined
    }
  /**
   * The meetings interface sent values that cannot be read as the type that the package promises. They are
   * `null` in the response, or left out: an `id` with its whole meeting, and an element of a list. For each
   * `field` and `kind` at most once a minute, with the `count` since the last event.
   */
  | ({ readonly type: 'meeting.unreadable'; readonly count: number } & Unreadable)
  /** The upstream refused a secret. */
  | {
      readonly type: 'secret.rejected'
      readonly secret: string
      readonly errorCode: BffErrorCode
    }
  /** The function of a refused secret was called again. `changed: false`: it returned the same value. */
  | {
      readonly type: 'secret.renewed'
      readonly secret: string
      readonly changed: boolean
    }
  /** The function of a secret threw, was too slow or returned something that cannot be a secret. */
  | {
      readonly type: 'secret.failed'
      readonly secret: string
      readonly problem: string
      readonly cause?: unknown
    }
  /**
   * What a page measured of the streams of one product, with the option `vitals`. `figures` has times in
   * milliseconds, within the bounds of each figure; `drops` counts lost connections by their reason. A page
   * may lie.
   */
  | {
      readonly type: 'page.vitals'
      readonly requestId: string
      readonly user: string
      readonly product: Product
      readonly engine: PageEngine
      readonly network: PageNetwork
      readonly figures: { readonly [TName in PageFigureName]?: readonly number[] }
      readonly drops: { readonly [TReason in LostReason]?: number }
    }
  | { readonly type: 'drain.started'; readonly inFlight: number }
  /** `aborted`: number of requests that were cancelled at the drain's time limit. */
  | { readonly type: 'drain.finished'; readonly durationMs: number; readonly aborted: number }

/**
 * Passes an event to the host. Never throws. `undefined` without a listener, so that `emit?.({ … })` does not
 * create the event.
 */
export type EmitEvent = ((event: BffEvent) => void) | undefined

/** The same for one account. Only `emitterOf` makes one. */
export type EmitOfAccount = ((event: Happening) => void) | undefined
