import { jsonResponse, type OutgoingResponse } from '../request/OutgoingResponse.js'

/**
 * The response to `GET /health`. Anyone may ask, so it says no more than a load balancer needs: events and
 * the log name the cause.
 */
export function healthResponse(isClosing: boolean, isDegraded: boolean): OutgoingResponse {
  if (isClosing) return unhealthy('draining', 'The server is shutting down.')
  if (isDegraded) return unhealthy('degraded', 'The server works with a part of its capacity.')
  return jsonResponse(200, '{"status":"ok"}')
}

function unhealthy(status: 'draining' | 'degraded', reason: string): OutgoingResponse {
  return jsonResponse(503, JSON.stringify({ status, reason }))
}
