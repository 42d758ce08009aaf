import { Ending } from './Cancellation.js'

/** What a request is waiting for. */
export type CallStage = 'authorize' | 'body' | 'secret' | 'queue' | 'upstream'

/**
 * One request's right to work: who it is in events, how long it may take, and whether anybody still wants it. It ends at the deadline, when
 * the client has gone, and when a drain runs out of patience.
 */
export class Call extends Ending {
  /** The BFF's own id of the request. */
  readonly id: string
  /** What it is waiting for. Whoever starts to wait says so, for it decides what a deadline means. */
  stage: CallStage = 'authorize'
  /** Milliseconds until the deadline; zero or less where it has passed. */
  readonly remainingMs: () => number

  constructor(id: string, remainingMs: () => number) {
    super()
    this.id = id
    this.remainingMs = remainingMs
  }
}
