import { BFF_ERRORS, type BffErrorCode, hintText } from '@stagepass/contract'
import { BffError } from '../base/BffError.js'
import { withCause } from '../telemetry/createListener.js'
import { createHostReport } from '../telemetry/createHostReport.js'
import type { RequestContext } from '../request/RequestContext.js'
import type { RequestSpan } from '../telemetry/Telemetry.js'
import { SHUTDOWN_RETRY_MS, toBffError } from '../request/toBffError.js'
import { addReason } from './gate/addReason.js'
import { authorizeRequest } from './authorizeRequest.js'
import { addCorsHeaders, preflightResponse } from './gate/cors.js'
import { gateReason } from './gate/gateReason.js'
import { type ListedOrigin, listedOrigin } from './gate/listedOrigin.js'
import { seenByGate } from './gate/seenByGate.js'
import type { CountRequest } from '../usage/limits.js'
import { originProblem } from './gate/originProblem.js'
import { isDevelopment } from '../base/isDevelopment.js'
import type { InFlight } from '../request/createInFlight.js'
import type { IncomingRequest } from './http/IncomingRequest.js'
import { isAbandoned } from './http/isAbandoned.js'
import {
  jsonResponse,
  type OutgoingResponse,
  problemResponse,
  textResponse,
} from './http/OutgoingResponse.js'
import { readQuery } from './http/readQuery.js'
import { matchRoute } from './routes/matchRoute.js'
import { mountProblem, readPath, rootProblem } from './readPath.js'
import type { Services } from './routes/Route.js'

/**
 * The bodies of `GET /health`. Anyone may request them, so they contain no more than a load balancer needs.
 * The cause is in the events and in the log.
 */
const HEALTH = {
  ok: '{"status":"ok"}',
  draining: '{"status":"draining","reason":"The server is shutting down."}',
  degraded: '{"status":"degraded","reason":"The server works with a part of its capacity."}',
} as const

interface HandlerOptions {
  readonly services: Services
  readonly countRequest: CountRequest
  readonly inFlight: InFlight
  /** Remembers a secret, so that it is removed from texts of others. */
  readonly note: (secret: string) => void
  readonly isClosing: () => boolean
  readonly isDegraded: () => boolean
}

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
  options: HandlerOptions,
): (request: IncomingRequest) => Promise<OutgoingResponse | undefined> {
  const { services, inFlight } = options
  const { settings } = services
  const { basePath, telemetry } = settings
  const reportHost = createHostReport(settings.platform.clock)

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
      if (options.isClosing()) return jsonResponse(503, HEALTH.draining)
      return options.isDegraded() ? jsonResponse(503, HEALTH.degraded) : jsonResponse(200, HEALTH.ok)
    }
    const match = path === undefined ? undefined : matchRoute(path, request.method)
    const mount = match ? undefined : mountProblem(request, basePath, path)
    const origin = originProblem(request, settings, page)
    // Anyone can send a path. So until a user is known, it is reported to developers alone. A wrong origin
    // may be the reason of a refusal, so no user may ever be known.
    const report = (isKnown: boolean): void => {
      if (mount !== undefined && (isKnown || isDevelopment())) reportHost(context, 'basePath', mount)
      if (origin !== undefined) reportHost(context, 'origin', origin)
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
    if (options.isClosing()) throw new BffError('SHUTTING_DOWN', { retryAfterMs: SHUTDOWN_RETRY_MS })
    const grant = await authorizeRequest(request, context, settings).finally(() =>
      report(context.user !== undefined),
    )
    const credential = grant.meetings?.credential
    if (typeof credential === 'string') options.note(credential)
    // Before everything that can refuse the request: a refusal costs a call of `authorize` too.
    await options.countRequest(match?.route.limit ?? 'meetingsPerMinute', grant.user, context)
    if (!match) throw new BffError('NOT_FOUND', { seen: { cause: 'route' } })
    const { route, otherMethods, encodedId } = match
    context.route = route.name
    // HEAD is refused, because it would use a request of the limit for a response without a body.
    if (otherMethods) requireMethod(request, ...otherMethods)
    const query = readQuery(request.url, route.query)
    const { json, shared } = await route.respond({ request, context, grant, query, encodedId }, services)
    context.shared = shared
    return jsonResponse(200, json)
  }

  async function serve(
    request: IncomingRequest,
    listed: ListedOrigin,
    span?: RequestSpan,
  ): Promise<OutgoingResponse | undefined> {
    const context = inFlight.begin(request, span)
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
    const sent = isAbandoned(request, context) ? undefined : response
    emitEnd(request, context, sent, error)
    inFlight.end(context)
    return sent
  }

  return async (request) => {
    const listed = listedOrigin(request, settings)
    addCorsHeaders(request, settings, listed)
    const preflight = preflightResponse(request, listed)
    if (preflight) return preflight
    return telemetry
      ? telemetry.observe(request, (span) => serve(request, listed, span))
      : serve(request, listed)
  }
}

function emitEnd(
  { method }: IncomingRequest,
  context: RequestContext,
  sent: OutgoingResponse | undefined,
  error: BffError | undefined,
): void {
  const { id: requestId, route, user, shared, emit, span } = context
  span?.end({ requestId, route, status: sent?.status, errorCode: sent && error?.code })
  if (!emit) return
  const facts = { requestId, route, method, durationMs: context.elapsedMs(), user }
  if (!sent) return emit({ type: 'request.abandoned', ...facts })
  const { status } = sent
  const { field, reqId, seen } = error?.details ?? {}
  const hasCause = error?.code === 'INTERNAL_ERROR' || error?.code === 'USAGE_UNAVAILABLE'
  const cause = hasCause ? error.cause : undefined
  emit(
    withCause(
      { type: 'request.finished', ...facts, status, errorCode: error?.code, field, reqId, seen, shared },
      cause,
    ),
  )
}

/** The errors whose cause is in the request itself. What was seen of them holds no word of the service. */
const OF_REQUEST = new Set<BffErrorCode>(['VALIDATION_ERROR', 'NOT_FOUND', 'USER_CHANGED'])

/** Gives a developer the sentence that the log has. */
function addReasonOf({ code, details: { seen } }: BffError, request: IncomingRequest): void {
  if (seen && OF_REQUEST.has(code) && !request.isAnswered())
    addReason(request, seen.cause, hintText(BFF_ERRORS[code].hint, seen))
}

function requireMethod(request: IncomingRequest, ...methods: readonly string[]): void {
  if (!methods.includes(request.method))
    throw new BffError('METHOD_NOT_ALLOWED', { headers: { Allow: methods.join(', ') } })
}
