import type { CallStage } from '../errors.js'

/** One request's right to work: who it is in events, how long it may take, and whether anybody still wants it. */
export interface Call {
  /** The BFF's own id of the request. */
  readonly id: string
  /** Aborted with a `CallEnded` at the deadline, when the client has gone, and when the drain runs out of patience. */
  readonly signal: AbortSignal
  /** What it is waiting for. Whoever starts to wait says so, for it decides what a deadline means. */
  stage: CallStage
  /** Milliseconds until the deadline; zero or less where it has passed. */
  remainingMs(): number
}
