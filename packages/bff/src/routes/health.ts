import { jsonResponse, type OutgoingResponse } from '../request/OutgoingResponse.js'

/** The response to `GET /health`. `degraded` is the reason if something is not at its best. */
export function healthResponse(isClosing: boolean, degraded: string | undefined): OutgoingResponse {
  if (isClosing) return unhealthy('draining', 'The server is shutting down.')
  return degraded === undefined ? jsonResponse(200, '{"status":"ok"}') : unhealthy('degraded', degraded)
}

function unhealthy(status: 'draining' | 'degraded', reason: string): OutgoingResponse {
  return jsonResponse(503, JSON.stringify({ status, reason }))
}
