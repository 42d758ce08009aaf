import type { TokenErrorCode } from '@stagepass/contract'
import type { FaultQueue } from './faults/faultQueue.js'
import type { EmulatorClock } from './platform/clock.js'
import type { HttpResponse } from './request/http.js'
import type { RequestLog } from './request/requestLog.js'
import type { Waits } from './waits.js'

/** What requests and handshakes share. */
export interface CoreParts {
  readonly clock: EmulatorClock
  readonly faults: FaultQueue
  readonly log: RequestLog
  readonly waits: Waits
  /** The response of a fault with an error code of the token endpoint. */
  readonly formatFail: (code: TokenErrorCode) => HttpResponse
  /** Half of the simulated round trip. */
  readonly oneWayMs: () => number
  /** Called with what a route threw, or with the reason if a response cannot be sent. */
  readonly onError: (error: unknown) => void
}
