import { Cancelled } from '../errors/Cancelled.js'
import type { Stage } from '../errors/toBffError.js'
import type { EmitEvent } from '../events/events.js'
import type { Platform } from '../platform/platform.js'
import type { RequestSpan } from '../events/Telemetry.js'

/**
 * Id, deadline, cancellation and stage of one request. It is cancelled at the deadline, when the client
 * closes the connection, and when a drain reaches its time limit.
 */
export class RequestContext {
  readonly #controller = new AbortController()
  #cancelled: Cancelled | undefined
  /**
   * Its reason is `cancelled`. In Cloudflare Workers it can only be read in the request that it was made in.
   */
  readonly signal = this.#controller.signal
  /** The BFF's own id of the request. */
  readonly id: string
  readonly platform: Platform
  readonly emit: EmitEvent
  readonly startedAt: number
  readonly span: RequestSpan | undefined
  /** On the platform's clock. */
  deadlineAt: number
  /** Set it before each wait: it decides which error a passed deadline becomes. */
  stage: Stage = 'authorize'
  /** For the request's event: as much as is known so far. */
  route = 'unknown'
  user: string | undefined = undefined
  shared: boolean | undefined = undefined

  constructor(id: string, deadlineMs: number, platform: Platform, emit: EmitEvent, span?: RequestSpan) {
    this.id = id
    this.platform = platform
    this.emit = emit
    this.span = span
    this.startedAt = platform.clock.now()
    this.deadlineAt = this.startedAt + deadlineMs
  }

  /** Why the work was cancelled, or `undefined` while its result is wanted. */
  get cancelled(): Cancelled | undefined {
    return this.#cancelled
  }

  /** Later calls do nothing. */
  cancel(reason: Cancelled['reason']): void {
    if (this.#cancelled) return
    this.#cancelled = new Cancelled(reason)
    try {
      this.#controller.abort(this.#cancelled)
    } catch {
      // Cloudflare Workers: not from another request. The work ends by itself, and nobody joins it.
    }
  }

  /** Milliseconds until the deadline; zero or less after it. */
  remainingMs(): number {
    return this.deadlineAt - this.platform.clock.now()
  }

  /** Milliseconds since the start. */
  elapsedMs(): number {
    return this.platform.clock.now() - this.startedAt
  }

  /** A context for work that does not end with this request. Nothing cancels it by itself. */
  fork(deadlineMs: number): RequestContext {
    const fork = new RequestContext(this.id, deadlineMs, this.platform, this.emit, this.span)
    fork.stage = this.stage
    return fork
  }
}
