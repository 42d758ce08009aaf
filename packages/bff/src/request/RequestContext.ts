import { Cancelled } from './Cancelled.js'
import type { Stage } from './toBffError.js'
import type { GrantUser } from '../grant/userKey.js'
import { emitterOf } from '../telemetry/emitterOf.js'
import type { EmitEvent, EmitOfAccount, ReportedRoute } from '../telemetry/events.js'
import type { Platform } from '../base/platform.js'
import type { RequestSpan } from '../telemetry/Telemetry.js'

/** The side that waits for the result of a request. */
export interface Client {
  /** True if it has got another response, for example one of the host after a time limit. */
  isAnswered(): boolean
  /** Calls `listener` if it no longer waits. If it has already left, calls it at once. */
  onClose(listener: () => void): void
}

/**
 * Id, deadline, cancellation and stage of one request, by HTTP or by other code. The request is cancelled at
 * its deadline, when the client leaves, or when a drain reaches its time limit.
 */
export class RequestContext {
  readonly #client: Client | undefined
  #controller: AbortController | undefined
  #cancelled: Cancelled | undefined
  /** The BFF's id of the request. */
  readonly id: string
  readonly platform: Platform
  readonly #emit: EmitEvent
  readonly startedAt: number
  readonly span: RequestSpan | undefined
  /** Time on the platform's clock. */
  deadlineAt: number
  /** Set before each wait. It decides the error code of a missed deadline. */
  stage: Stage = 'authorize'
  /** The facts of the request's event that are known so far. */
  route: ReportedRoute = 'unknown'
  user: string | undefined = undefined
  /** The account of the grant. */
  account: string | undefined = undefined
  /** Events name the account of the grant, as soon as it is known. */
  emit: EmitOfAccount
  shared: boolean | undefined = undefined
  /** It is counted, and its account was not forgotten. */
  isAdmitted = false
  /** Server code sent it, by `as`. */
  via: 'server' | undefined = undefined

  constructor(
    id: string,
    deadlineMs: number,
    platform: Platform,
    emit: EmitEvent,
    span?: RequestSpan,
    client?: Client,
  ) {
    this.id = id
    this.#client = client
    this.platform = platform
    this.#emit = emit
    this.emit = emitterOf(undefined, emit)
    this.span = span
    this.startedAt = platform.clock.now()
    this.deadlineAt = this.startedAt + deadlineMs
  }

  /**
   * Its reason is `cancelled`. It is created at its first use, because a stored page needs none. In Cloudflare
   * Workers only the request that created the signal can read it.
   */
  get signal(): AbortSignal {
    if (!this.#controller) {
      this.#controller = new AbortController()
      if (this.#cancelled) this.#controller.abort(this.#cancelled)
    }
    return this.#controller.signal
  }

  /** The reason of the cancellation; `undefined` while the result is still wanted. */
  get cancelled(): Cancelled | undefined {
    return this.#cancelled
  }

  /** True if no one takes the result any longer: the client has left, or has got another response. */
  isAbandoned(): boolean {
    return this.#cancelled?.reason === 'client-closed' || this.#client?.isAnswered() === true
  }

  /** Cancels the work. Later calls do nothing. */
  cancel(reason: Cancelled['reason']): void {
    if (this.#cancelled) return
    this.#cancelled = new Cancelled(reason)
    try {
      this.#controller?.abort(this.#cancelled)
    } catch {
      // In Cloudflare Workers another request cannot abort it. The work ends by itself, and no new request
      // joins it.
    }
  }

  /** Call it when the grant is known. */
  identify({ user, account }: GrantUser): void {
    this.user = user
    this.account = account
    this.emit = emitterOf(account, this.#emit)
  }

  /** Milliseconds until the deadline. Zero or less after it. */
  remainingMs(): number {
    return this.deadlineAt - this.platform.clock.now()
  }

  /** Milliseconds since the start. */
  elapsedMs(): number {
    return this.platform.clock.now() - this.startedAt
  }

  /**
   * Returns a context for work that continues after this request. Only an explicit call of `cancel` cancels
   * it.
   */
  fork(deadlineMs: number): RequestContext {
    const fork = new RequestContext(this.id, deadlineMs, this.platform, this.#emit, this.span)
    fork.stage = this.stage
    fork.account = this.account
    fork.emit = this.emit
    return fork
  }
}
