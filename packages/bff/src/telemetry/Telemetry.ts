import type { BudgetGauge, SessionsGauge } from '@stagepass/budget'
import type { BffErrorCode } from '@stagepass/contract'
import type { ReportedRoute, UpstreamOperation } from './events.js'

/*
 * An interface for tracers. `@stagepass/bff/otel` implements it for OpenTelemetry. It gets no secret, no user
 * and no query. Its functions must not throw.
 */

/** Option `telemetry`. */
export interface Telemetry {
  /** Called once, when the BFF is created. */
  start(bff: TelemetrySource): void
  /**
   * Runs a request. Everything that `run` calls, including `authorize`, finds the span in the tracer's
   * context.
   */
  observe<T>(request: ObservedRequest, run: (span: RequestSpan) => Promise<T>): Promise<T>
}

/** Values that a tracer can read at any time. */
export interface TelemetrySource {
  gauge(): BffGauge
  /** True if Redis does not respond: `/health` says `degraded`. */
  isDegraded(): boolean
  /** The address to which an operation's requests are sent. */
  addressOf(operation: UpstreamOperation): URL
}

/** State of the budgets of all accounts in use, and the upstream requests saved. */
export interface BffGauge extends BudgetGauge {
  /**
   * Reads of meetings without an upstream request of their own. `shared`: they used the request of another
   * read. `cached`: they used a stored page.
   */
  readonly saved: { readonly shared: number; readonly cached: number }
  /** Number of meetings accounts in use in this instance. */
  readonly accounts: number
  /** The sessions of all accounts in use, with the option `sessions`. */
  readonly sessions?: SessionsGauge | undefined
  /** Requests that were received and are not answered yet. */
  readonly inFlight: number
}

/** A request as it arrived. */
export interface ObservedRequest {
  readonly method: string
  /** Server code sent it, by `bff.as(grant)`. Missing for a request of a page. */
  readonly via?: 'server' | undefined
  header(name: string): string | undefined
}

/** The span from the arrival of a request to its response. */
export interface RequestSpan {
  /**
   * Called when a wait for a slot of the budget or an upstream request begins. `account`: whose budget or key it
   * uses.
   */
  begin(part: 'budget' | UpstreamOperation, account: string | undefined): PartSpan
  end(result: RequestResult): void
}

/** The result of a request to the BFF. */
export interface RequestResult {
  /** The BFF's id of the request. */
  readonly requestId: string
  /** Name of the route; `unknown` until it is found. */
  readonly route: ReportedRoute
  /** The account that the grant names. Missing for the common account, and before there is a grant. */
  readonly account?: string | undefined
  /** Missing if the client closed the connection or the host sent its own response. */
  readonly status?: number | undefined
  /** Code of an error response. Missing if the client closed the connection first. */
  readonly errorCode?: BffErrorCode | undefined
}

/** A part of a request: a wait for a slot, or an upstream request. */
export interface PartSpan {
  /** Headers to send with the upstream request. */
  readonly headers?: Readonly<Record<string, string>> | undefined
  end(result: PartResult): void
}

/** The result of a part of a request. */
export interface PartResult {
  readonly status?: number | undefined
  /** Short name of a failure, never a message. */
  readonly failure?: string | undefined
}
