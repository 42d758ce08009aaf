import type { Exchanges } from './createExchanges.js'
import type { FaultQueue } from './faults/faultQueue.js'
import type { EmulatorClock } from './platform/clock.js'
import type { RequestLog } from './request/requestLog.js'

/** The parts that requests and handshakes share. */
export interface CoreParts {
  readonly clock: EmulatorClock
  readonly faults: FaultQueue
  readonly log: RequestLog
  readonly exchanges: Exchanges
  readonly nextReqId: () => string
  /** Half of the simulated round trip. */
  readonly oneWayMs: () => number
  /** Called with the error that a route threw. */
  readonly onError: (error: unknown) => void
}
