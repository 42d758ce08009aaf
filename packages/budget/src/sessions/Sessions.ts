/// <reference lib="esnext.disposable" preserve="true" />
import type { Holds, Listed } from './applySessionsCall.js'

/**
 * The simultaneous sessions of an account, shared fairly, with the same interface for one process and for
 * many. A lease is the right to have one session open.
 *
 * A program that can wait calls `acquire`. A server whose clients come and go calls `ask`, `renew` and
 * `release` with the id of a request: the same id is first its place in the queue, then its lease.
 */
export interface Sessions {
  /**
   * Waits for a lease, in fair order among users, and renews it until it is released. Rejects with a
   * `SessionsRefusal`, with the reason of the signal, or with a `TypeError` or `RangeError` if the request is
   * not valid.
   */
  acquire(request: SessionRequest & { readonly signal?: AbortSignal | undefined }): Promise<Session>
  /**
   * Asks for a lease. Without an `id`, a new request joins the queue. With it, the place of an earlier one is
   * returned, and renewed for 75 s. Rejects with a `SessionsRefusal`.
   */
  ask(request: SessionRequest & { readonly id?: string | undefined }): Promise<Leased | Queued>
  /**
   * Renews a lease for 25 s (75 s if it is hidden). A session that is open without a lease gets one.
   *
   * - `leased`: renew again after `retryMs`.
   * - `asleep`: the parked lease was taken back, because others wait. Ask when it is needed.
   * - `unknown`: there is no such lease of this user. Ask for one. An open session may stay open.
   * - `ended`: `end` was called. Close the session. There is no lease for `retryMs`.
   */
  renew(
    id: string,
    state: {
      readonly user: string
      readonly holds?: Holds | undefined
      readonly isHidden?: boolean | undefined
      readonly note?: string | undefined
    },
  ): Promise<Renewed>
  /**
   * Gives a lease back, or leaves the queue. Call it after the session is closed. Returns for how long there was
   * a lease; undefined if there was none.
   */
  release(id: string, user: string): Promise<number | undefined>
  /**
   * Reports that the service had no room for this session. The request is in the queue again, at its place of
   * before. Report only what the service itself said: each report lowers the number of sessions.
   */
  refused(id: string, user: string): Promise<Queued>
  /** For a request that needs no lease. Rejects with a `SessionsRefusal` if `end` was called for the user. */
  check(user: string): Promise<void>
  /**
   * Ends the sessions of a user, one session, or all. Their renewals return `ended` with `note`, and none of
   * them gets a lease for `forMs`. Default a minute. Rejects if Redis does not respond.
   */
  end(whose: { readonly user?: string; readonly id?: string }, forMs?: number, note?: string): Promise<void>
  /** All leases of the account. Rejects if Redis does not respond. */
  list(): Promise<readonly Listed[]>
  gauge(): SessionsGauge
  /** Describes the problem of this instance; `undefined` if there is none. */
  degraded(): string | undefined
  close(): Promise<void>
}

export interface SessionRequest {
  /** Sessions are shared fairly among these names. */
  readonly user: string
  /** Share of this user compared with others, from 0.01 to 100. Default 1. */
  readonly weight?: number | undefined
  /** A text for `list`. */
  readonly note?: string | undefined
}

export interface Leased {
  readonly status: 'leased'
  readonly id: string
  /** Renew the lease after this time. */
  readonly retryMs: number
  /** Time since the request. 0 if it had the lease before. */
  readonly waitedMs: number
}

export interface Renewed {
  readonly status: 'leased' | 'asleep' | 'unknown' | 'ended'
  readonly retryMs: number
  /** Time since the lease began, as far as it is known. */
  readonly forMs: number
  /** The text of `end`. */
  readonly note: string
}

export interface Queued {
  readonly status: 'queued'
  readonly id: string
  /** Place in the queue, from 1, and number of requests in it. Null while Redis does not respond. */
  readonly place: number | null
  readonly of: number | null
  /** Ask again after this time. */
  readonly retryMs: number
}

/** A lease that is renewed by itself. `await using` releases it. */
export interface Session extends AsyncDisposable {
  readonly id: string
  /** Aborts if `end` was called: close the session then. */
  readonly signal: AbortSignal
  release(): Promise<void>
}

/** State of the account, as this instance has seen it last. */
export interface SessionsGauge {
  /** Leases, and requests that wait. */
  readonly open: number
  readonly waiting: number
  /** Sessions that may be open at once. Undefined while nothing has been learned. */
  readonly max: number | undefined
  /** True if `max` was learned, or lowered by refusals. */
  readonly learned: boolean
}

/** Thrown if there can be no lease. */
export class SessionsRefusal extends Error {
  override readonly name = 'SessionsRefusal'
  readonly reason: 'user-full' | 'full' | 'ended' | 'foreign' | 'closing'
  /** When to ask again. */
  readonly retryAfterMs: number
  /** The text of `end`. */
  readonly note: string

  constructor(reason: SessionsRefusal['reason'], retryAfterMs: number, note = '') {
    super(`Failed to get a session: ${reason}. Ask again in ${retryAfterMs} ms.`)
    this.reason = reason
    this.retryAfterMs = retryAfterMs
    this.note = note
  }
}
