import type { Check } from '../checks/Check.js'
import type { BffContext } from './BffContext.js'
import { gateCrossSite, gateHeader, gateOwnPage, headers, health, ownOrigin } from './gate.js'
import { leaks } from './leaks.js'
import { handshakeCheck, stream, timeouts, token } from './token.js'

/** A mounted BFF from outside, in order. */
export const BFF_CHECKS: readonly Check<BffContext>[] = [
  health,
  headers,
  gateHeader,
  gateCrossSite,
  gateOwnPage,
  ownOrigin,
  token,
  stream,
  handshakeCheck,
  timeouts,
  leaks,
]
