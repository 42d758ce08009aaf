import type { BffErrorCode, Product, RefusalCode } from '@stagepass/contract'
import type { BudgetEvent } from '@stagepass/budget'

/** Why the gate blocked a request. */
export type GateReason =
  /** `x-stagepass: 1` is missing. */
  | 'header'
  /** `Sec-Fetch-Site` names another site that is not in `allowedOrigins`, or a navigation. */
  | 'fetch-site'
  /** `Origin`, of a preflight too, is neither the request's own nor in `allowedOrigins`. */
  | 'origin'
  /** A request other than GET has a cookie, and neither `Sec-Fetch-Site` nor `Origin`. */
  | 'cookie-without-origin'

/** The upstream's operations, as events name them. */
export type UpstreamOperation = 'session-token' | 'meetings' | 'meeting' | 'tags' | 'handshake'

interface RequestFacts {
  readonly requestId: string
  readonly route: string
  readonly method: string
  readonly durationMs: number
  readonly user?: string | undefined
}

/**
 * The events of `onEvent`. No event holds a key, a credential, a session token, a query or upstream text.
 * Durations are in milliseconds. `requestId` is the `request_id` of the response.
 *
 * If code of the host failed, the event has a `cause`: the thrown value. It may hold anything, so it is not
 * enumerable: a logger does not print it, but code can read it.
 */
export type BffEvent =
  | (BudgetEvent & {
      /** The account of the meetings interface, if it is not the common one. */
      readonly account?: string | undefined
    })
  /**
   * A request was answered. `errorCode` is exact, also under `maskAccountErrors`. `shared`: another request's
   * upstream request served it.
   */
  | (RequestFacts & {
      readonly type: 'request.finished'
      readonly status: number
      readonly errorCode?: BffErrorCode | undefined
      readonly field?: string | undefined
      readonly reqId?: string | undefined
      readonly shared?: boolean | undefined
      readonly cause?: unknown
    })
  /**
   * The client closed the connection before the response, or the host sent its own. The upstream request was
   * aborted, unless others use it.
   */
  | (RequestFacts & { readonly type: 'request.abandoned' })
  /**
   * The gate refused the request. `sameOrigin`: `Sec-Fetch-Site` says that a page of this site sent it, so
   * the set-up is wrong.
   */
  | {
      readonly type: 'gate.blocked'
      readonly requestId: string
      readonly reason: GateReason
      readonly sameOrigin: boolean
    }
  /**
   * An option is probably missing or wrong. `problem` says what was seen and what to do. Each is reported
   * once in ten minutes.
   */
  | {
      readonly type: 'host.misconfigured'
      readonly requestId: string
      readonly option: 'basePath' | 'origin' | 'baseUrl' | 'meetings.baseUrl'
      readonly problem: string
    }
  /**
   * `authorize` threw, was too slow, or returned something that is not a grant; `problem` says which, for the
   * developer.
   */
  | {
      readonly type: 'authorize.failed'
      readonly requestId: string
      readonly problem: string
      readonly cause?: unknown
    }
  /** The grant does not allow the request. */
  | {
      readonly type: 'grant.refused'
      readonly requestId: string
      readonly user: string
      readonly what: 'product' | 'meetings' | 'ownership'
    }
  /** A user is over `limits`. */
  | {
      readonly type: 'limit.exceeded'
      readonly requestId: string
      readonly user: string
      readonly limit: 'tokensPerMinute' | 'meetingsPerMinute'
      readonly retryAfterMs: number
    }
  /**
   * What a token has cost of its user's minutes. `by: 'report'`: the page has reported; `'expiry'`: it has
   * not, so the token cost its whole life. `reservedMs` is that life. An instance that is killed emits no
   * `expiry` for the tokens it has minted.
   */
  | {
      readonly type: 'usage.settled'
      readonly user: string
      readonly product: Product
      readonly usedMs: number
      readonly reservedMs: number
      readonly by: 'report' | 'expiry'
    }
  /** The minutes that are left of the day are fewer than the shortest token needs. */
  | {
      readonly type: 'usage.exhausted'
      readonly requestId: string
      readonly user: string
      readonly product: Product
      readonly limitMs: number
      readonly resetsAtMs: number
    }
  /**
   * One HTTP request to the upstream, or one handshake. `status` is missing without a response, or if a
   * refused handshake had no number.
   */
  | {
      readonly type: 'upstream.called'
      readonly requestId: string
      readonly operation: UpstreamOperation
      readonly durationMs: number
      readonly status?: number | undefined
      /** Of a refused handshake. */
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
  /** The meetings interface answered 429: all instances of the account send nothing for a while. */
  | {
      readonly type: 'upstream.rate-limited'
      readonly requestId: string
      readonly operation: UpstreamOperation
      readonly retryAfterMs?: number | undefined
    }
  /** The upstream refused a secret. */
  | { readonly type: 'secret.rejected'; readonly secret: string; readonly errorCode: BffErrorCode }
  /** A refused secret's function was called again. `changed: false`: it returned the same value. */
  | { readonly type: 'secret.renewed'; readonly secret: string; readonly changed: boolean }
  /** A secret's function threw, was too slow or returned something that cannot be a secret. */
  | {
      readonly type: 'secret.failed'
      readonly secret: string
      readonly problem: string
      readonly cause?: unknown
    }
  | { readonly type: 'drain.started'; readonly inFlight: number }
  /** `aborted`: requests that were cancelled at the drain's time limit. */
  | { readonly type: 'drain.finished'; readonly durationMs: number; readonly aborted: number }

/**
 * Passes an event to the host and never throws. `undefined` without a listener, so that `emit?.({ … })` does
 * not create the event.
 */
export type EmitEvent = ((event: BffEvent) => void) | undefined
