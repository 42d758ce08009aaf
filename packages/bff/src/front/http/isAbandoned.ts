import type { IncomingRequest } from './IncomingRequest.js'
import type { RequestContext } from '../../request/RequestContext.js'

/**
 * True if no response of the BFF is sent: the client has closed the connection, or the host has sent its own
 * response, for example after a time limit.
 */
export const isAbandoned = (request: IncomingRequest, context: RequestContext): boolean =>
  context.cancelled?.reason === 'client-closed' || request.isAnswered()
