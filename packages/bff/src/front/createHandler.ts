import { BFF_ERRORS, bffErrorRow, hintText, USER_HEADER } from '@stagepass/contract'
import { BffError } from '../base/BffError.js'
import { createHostReport } from '../telemetry/createHostReport.js'
import type { RequestContext } from '../request/RequestContext.js'
import type { RequestSpan } from '../telemetry/Telemetry.js'
import { toBffError } from '../request/toBffError.js'
import { addReason } from './gate/addReason.js'
import { authorizeRequest } from './authorizeRequest.js'
import { addCorsHeaders, preflightResponse } from './gate/cors.js'
import { gateReason } from './gate/gateReason.js'
import { type ListedOrigin, listedOrigin } from './gate/listedOrigin.js'
import { seenByGate } from './gate/seenByGate.js'
import { ORIGIN_OF_A_STRANGER, originProblem } from './gate/originProblem.js'
import type { Desk } from '../desk/createDesk.js'
import { isDevelopment } from '../base/isDevelopment.js'
import type { IncomingRequest } from './http/IncomingRequest.js'
import type { OutgoingResponse } from './http/OutgoingResponse.js'
import {
  deadlineHeaders,
  jsonResponse,
  problemResponse,
  resultResponse,
  textResponse,
} from './http/responses.js'
import { readQuery } from './http/readQuery.js'
import { matchRoute } from './routes/matchRoute.js'
import { mountProblem, readPath, rootProblem } from './readPath.js'

/**
 * The bodies of `GET /health`. Anyone may request them, so they contain no more than a load balancer needs.
 * The cause is in the events and in the log.
 */
const HEALTH = {
  ok: '{"status":"ok"}',
  draining: '{"status":"draining","reason":"The server is shutting down."}',
  degraded: '{"status":"degraded","reason":"The server works with a part of its capacity."}',
} as const

/**
 * The headers that choose the user. A service worker that keeps responses in spite of `no-store` then finds
 * none of another user.
 */
const OF_A_USER = { Vary: `Authorization, Cookie, ${USER_HEADER}` } as const

/**
 * The path of one request:
 *
 *     preflight? ─> health? ─> gate ─> closing? ─> authorize ─> same user?
 *                ─> limit ─> 404, 405 ─> query ─> the route ─> response
 *
 * Every route is called through this function, after the gate. It never rejects: every thrown value becomes a
 * problem response. It resolves with `undefined` if no response is to be sent, because the client has closed
 * the connection or the host has answered.
 */
export function createHandler(
  desk: Desk,
): (request: IncomingRequest) => Promise<OutgoingResponse | undefined> {
  const { settings } = desk.services
  const { basePath, telemetry } = settings
  const reportHost = createHostReport(settings.platform.clock)
  const deadline = deadlineHeaders(settings)

  async function respond(
    request: IncomingRequest,
    context: RequestContext,
    page: ListedOrigin,
  ): Promise<OutgoingResponse> {
    if (context.cancelled) throw context.cancelled
    const path = readPath(request, basePath)
    if (path === '/health') {
      context.route = 'health'
      // Load balancers use HEAD. The host omits the body.
      requireMethod(request, 'GET', 'HEAD')
      const health = desk.health()
      return jsonResponse(health === 'ok' ? 200 : 503, HEALTH[health])
    }
    const match = path === undefined ? undefined : matchRoute(path, request.method)
    const mount = match ? undefined : mountProblem(request, basePath, path)
    const origin = originProblem(request, settings, page)
    // Anyone can send a path. So until a user is known, it is reported to developers alone. A wrong origin
    // may be the reason of a refusal, so no user may ever be known.
    const report = (isKnown: boolean): void => {
      if (mount !== undefined && (isKnown || isDevelopment())) reportHost(context, 'basePath', mount)
      if (origin !== undefined)
        reportHost(context, 'origin', context.user === undefined ? ORIGIN_OF_A_STRANGER : origin)
      if (page.problem !== undefined) reportHost(context, 'allowedOrigins', page.problem, page.cause)
    }

    const reason = gateReason(request, settings, page)
    if (reason) {
      report(false)
      const sameOrigin = request.header('sec-fetch-site') === 'same-origin'
      const seen = seenByGate(request, reason, settings)
      context.emit?.({ type: 'gate.blocked', requestId: context.id, reason, sameOrigin, seen })
      addReason(request, reason, hintText(BFF_ERRORS.CROSS_SITE_BLOCKED.hint, seen))
      throw new BffError('CROSS_SITE_BLOCKED')
    }
    request.addHeaders(OF_A_USER)
    const admit = desk.enter(context)
    const grant = await authorizeRequest(request, context, settings).finally(() =>
      report(context.user !== undefined),
    )
    const caller = await admit(grant, match?.route.name ?? 'unknown')
    if (!match) throw new BffError('NOT_FOUND', { seen: { cause: 'route' } })
    const { route, otherMethods, encodedId } = match
    context.route = route.name
    // HEAD is refused, because it would use a request of the limit for a response without a body.
    if (otherMethods) requireMethod(request, ...otherMethods)
    const query = readQuery(request.url, route.query)
    const { json, status, shared } = await route.respond({ request, caller, query, encodedId }, desk.services)
    context.shared = shared
    return resultResponse(json, status)
  }

  async function serve(
    request: IncomingRequest,
    listed: ListedOrigin,
    span?: RequestSpan,
  ): Promise<OutgoingResponse | undefined> {
    const context = desk.begin(request, span)
    let response: OutgoingResponse
    let error: BffError | undefined
    try {
      response = await respond(request, context, listed)
    } catch (thrown) {
      error = toBffError(thrown, context.stage)
      addReasonOf(error, request)
      const page = error.code === 'CROSS_SITE_BLOCKED' ? rootProblem(request, basePath) : undefined
      response = page === undefined ? problemResponse(error, context.id, settings) : textResponse(403, page)
    }
    const sent = context.isAbandoned() ? undefined : response
    desk.end(context, { method: request.method, status: sent?.status, error })
    return sent
  }

  return async (request) => {
    const listed = listedOrigin(request, settings)
    addCorsHeaders(request, settings, listed)
    const preflight = preflightResponse(request, settings, listed)
    if (preflight) return preflight
    request.addHeaders(deadline)
    return telemetry
      ? telemetry.observe(request, (span) => serve(request, listed, span))
      : serve(request, listed)
  }
}

/** Gives a developer the sentence that the log has. */
function addReasonOf({ code, details: { seen } }: BffError, request: IncomingRequest): void {
  const { seenInRequest, hint } = bffErrorRow(code)
  if (seen && seenInRequest && !request.isAnswered()) addReason(request, seen.cause, hintText(hint, seen))
}

function requireMethod(request: IncomingRequest, ...methods: readonly string[]): void {
  if (!methods.includes(request.method))
    throw new BffError('METHOD_NOT_ALLOWED', { headers: { Allow: methods.join(', ') } })
}
