import type { Exchange } from './createExchanges.js'
import { formatTokenError } from './routes/sessionToken.js'
import type { Effect } from './faults/Fault.js'

/**
 * Returns the action of a fault that replaces the response. `undefined` if there is no fault, if it needs the
 * response first (`drop` in the middle of it), or if it refuses a handshake.
 */
export function endOfFault(
  effect: Effect | undefined,
  exchange: Exchange,
  nextReqId: () => string,
): (() => void) | undefined {
  switch (effect?.type) {
    case 'fail':
      return () => exchange.respond(formatTokenError(effect.code, nextReqId()))
    case 'respond':
      return () => exchange.respond(effect.response)
    case 'malformed':
      return () => {
        exchange.hold()
        exchange.respondEncoded(effect.response)
      }
    case 'hang':
    case 'blackhole':
      return () => exchange.hold()
    case 'drop':
      return effect.when === 'mid-response' ? undefined : () => exchange.drop()
    default:
      return undefined
  }
}
