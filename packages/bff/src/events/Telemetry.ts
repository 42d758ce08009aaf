import type { BudgetGauge } from '@stagepass/budget'
import type { BffErrorCode } from '@stagepass/contract'
import type { UpstreamOperation } from './events.js'

/*
 * What follows the requests of a BFF from inside, as a tracer does. `@stagepass/bff/otel` has one for
 * OpenTelemetry. It gets no secret, no user and no query. Its functions must not throw.
 */

/** Option `telemetry`. */
export interface Telemetry {
  /** Once, when the BFF is created. */
  start(bff: TelemetrySource): void
  /** Runs a request. All that `run` calls, `authorize` included, finds the span in the tracer's context. */
  observe<T>(request: ObservedRequest, run: (span: RequestSpan) => Promise<T>): Promise<T>
}

/** What can be read at any time. */
export interface TelemetrySource {
  gauge(): BffGauge
  /** Where an operation's requests go. */
  addressOf(operation: UpstreamOperation): URL
}

/** State of the budgets of all accounts in use, and what was saved of them. */
export interface BffGauge extends BudgetGauge {
  /** Reads of meetings that needed no upstream request of their own: another one's, or from the store. */
  readonly saved: { readonly shared: number; readonly cached: number }
  /** Accounts of the meetings interface that are in use here. */
  readonly accounts: number
  /** Requests that were received and not yet answered. */
  readonly inFlight: number
}

/** A request as it arrived. */
export interface ObservedRequest {
  readonly method: string
  header(name: string): string | undefined
}

/** From the arrival of a request to its response. */
export interface RequestSpan {
  /** A wait for a slot of the budget, or an upstream request, begins. */
  begin(part: 'budget' | UpstreamOperation): PartSpan
  end(result: RequestResult): void
}

/** How a request to the BFF ended. */
export interface RequestResult {
  /** The BFF's own id of the request. */
  readonly requestId: string
  /** Name of the route; `unknown` before it is found. */
  readonly route: string
  /** Missing: the client has closed the connection, or the host has answered. */
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

/** How a part of a request ended. */
export interface PartResult {
  readonly status?: number | undefined
  /** Of a failure: a short name, never a message. */
  readonly failure?: string | undefined
}
