import type { BffErrorCode, RefusalCode } from '@stagepass/contract'
import type { BudgetEvent } from '../budget/core/events.js'

/** Why the gate let nothing through. */
export type GateReason =
  /** `x-stagepass: 1` is missing. */
  | 'header'
  /** `Sec-Fetch-Site` names another site that is not in `allowedOrigins`, or a navigation. */
  | 'fetch-site'
  /** `Origin` is neither the request's own nor in `allowedOrigins`. */
  | 'origin'
  /** A request other than GET has a cookie, and neither `Sec-Fetch-Site` nor `Origin`. */
  | 'cookie-without-origin'

/** The upstream's operations, as events name them. */
export type UpstreamOperation = 'session-token' | 'meetings' | 'meeting' | 'tags' | 'handshake'

/**
 * What happens inside, told to `onEvent`. No event holds a key, a credential, a session token, a query or upstream text. Durations are in
 * milliseconds. `requestId` is the `request_id` of the answer.
 *
 * Where code of the host's failed, the event has a `cause`: the thrown thing itself. It may hold anything, so it is not enumerable: a logger
 * does not print it, and code that asks for it gets it.
 */
export type BffEvent =
  | BudgetEvent
  /** A request was answered. `errorCode` is the exact one, also under `maskAccountErrors`. `shared`: its upstream call was another's. */
  | {
      readonly type: 'request.finished'
      readonly requestId: string
      readonly route: string
      readonly method: string
      readonly status: number
      readonly durationMs: number
      readonly errorCode?: BffErrorCode | undefined
      readonly field?: string | undefined
      readonly reqId?: string | undefined
      readonly user?: string | undefined
      readonly shared?: boolean | undefined
      readonly cause?: unknown
    }
  /** The client went away before its answer, or the host answered in our place; its upstream call was aborted, unless others wait for it. */
  | {
      readonly type: 'request.abandoned'
      readonly requestId: string
      readonly route: string
      readonly method: string
      readonly durationMs: number
      readonly user?: string | undefined
    }
  | { readonly type: 'gate.blocked'; readonly requestId: string; readonly reason: GateReason }
  /** `authorize` threw, was too slow, or returned a grant that is not one; `problem` says which, for the developer. */
  | {
      readonly type: 'authorize.failed'
      readonly requestId: string
      readonly problem: string
      readonly cause?: unknown
    }
  /** The grant does not hold what was asked for. */
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
  /** One HTTP call to the upstream, or one handshake. `status` is missing if no answer came, or if a refused handshake gave no number. */
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
  /** The meetings interface said 429: everybody on this account pauses. */
  | {
      readonly type: 'upstream.rate-limited'
      readonly requestId: string
      readonly operation: UpstreamOperation
      readonly retryAfterMs?: number | undefined
    }
  /** The upstream refused a secret. */
  | { readonly type: 'secret.rejected'; readonly secret: string; readonly errorCode: BffErrorCode }
  /** A refused secret's function was asked again. `changed: false` means that it insists. */
  | { readonly type: 'secret.renewed'; readonly secret: string; readonly changed: boolean }
  /** A secret's function threw, was too slow or gave something that cannot be a secret. */
  | {
      readonly type: 'secret.failed'
      readonly secret: string
      readonly problem: string
      readonly cause?: unknown
    }
  | { readonly type: 'drain.started'; readonly inFlight: number }
  /** `aborted`: requests that were cut because the drain ran out of time. */
  | { readonly type: 'drain.finished'; readonly durationMs: number; readonly aborted: number }

/** Hands an event to the host and never throws; `undefined` where nobody listens, so that `emit?.({ … })` does not even make the event. */
export type EmitEvent = ((event: BffEvent) => void) | undefined
