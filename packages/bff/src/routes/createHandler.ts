import type { Request, Response } from 'express'
import { BffError } from '../context/BffError.js'
import { withCause } from '../context/createEmitter.js'
import { SHUTDOWN_RETRY_MS, toBffError } from '../context/toBffError.js'
import { authorizeRequest } from '../gate/authorizeRequest.js'
import { answerPreflight, setCorsHeaders } from '../gate/cors.js'
import { gateReason } from '../gate/gateReason.js'
import type { CheckedGrant } from '../gate/readGrant.js'
import type { Exchange, Exchanges } from '../request/createInFlight.js'
import { type Answer, sendAnswer, sendProblem, toProblem } from '../request/OutgoingResponse.js'
import { matchRoute } from './matchRoute.js'
import type { Services } from './Route.js'

export interface HandlerOptions {
  readonly services: Services
  readonly exchanges: Exchanges
  readonly isClosing: () => boolean
  /** Answers `GET /health` and `HEAD /health`, without the gate. */
  readonly health: () => Answer
}

/** What is known of a request by the time it is answered, for its event. */
interface Seen {
  route: string
  grant?: CheckedGrant
}

/**
 * One request from end to end:
 *
 *     preflight? ─> health? ─> gate ─> closing? ─> authorize ─> 404, 405 ─> the route ─> answer
 *
 * There is one way to a route, and the gate stands on it. Whatever is thrown on the way becomes a problem here.
 */
export function createHandler(options: HandlerOptions): (req: Request, res: Response) => Promise<void> {
  const { services, exchanges } = options
  const { settings, emit } = services
  const { allowedOrigins } = settings

  async function pass(req: Request, exchange: Exchange, seen: Seen): Promise<Answer> {
    const { call } = exchange
    const path = pathOf(req.url)
    if (path === '/health') {
      seen.route = 'health'
      // Load balancers ask with HEAD. Node leaves the body out.
      requireMethod(req, 'GET', 'HEAD')
      return options.health()
    }

    const reason = gateReason(req, allowedOrigins)
    if (reason) {
      emit?.({ type: 'gate.blocked', requestId: call.id, reason })
      throw new BffError('CROSS_SITE_BLOCKED')
    }
    if (options.isClosing()) throw new BffError('SHUTTING_DOWN', { retryAfterMs: SHUTDOWN_RETRY_MS })
    const grant = await authorizeRequest(req, call, settings, emit)
    seen.grant = grant

    const match = matchRoute(path)
    if (!match) throw new BffError('NOT_FOUND')
    const { route, encodedId } = match
    seen.route = route.name
    // HEAD is not GET on a route: it would spend an upstream call on an answer without a body.
    requireMethod(req, route.method)
    return route.answer({ req, call, grant, encodedId }, services)
  }

  function answerProblem(thrown: unknown, req: Request, res: Response, exchange: Exchange, seen: Seen): void {
    const error = toBffError(thrown, exchange.call.stage)
    const problem = toProblem(error, exchange.call.id, settings)
    sendProblem(res, problem, error)
    tellFinished(req, exchange, seen, problem.status, error)
  }

  function tellFinished(
    req: Request,
    exchange: Exchange,
    seen: Seen,
    status: number,
    outcome: Answer | BffError,
  ): void {
    const error = outcome instanceof BffError ? outcome : undefined
    const unexpected = error?.code === 'INTERNAL_ERROR' ? error.cause : undefined
    emit?.(
      withCause(
        {
          type: 'request.finished',
          requestId: exchange.call.id,
          route: seen.route,
          method: req.method,
          status,
          durationMs: exchanges.elapsedMs(exchange),
          ...(seen.grant && { user: seen.grant.user }),
          ...(error && { errorCode: error.code }),
          ...(error?.field !== undefined && { field: error.field }),
          ...(error?.reqId !== undefined && { reqId: error.reqId }),
          ...(!(outcome instanceof BffError) && outcome.shared !== undefined && { shared: outcome.shared }),
        },
        unexpected,
      ),
    )
  }

  function tellAbandoned(req: Request, exchange: Exchange, seen: Seen): void {
    emit?.({
      type: 'request.abandoned',
      requestId: exchange.call.id,
      route: seen.route,
      method: req.method,
      durationMs: exchanges.elapsedMs(exchange),
      ...(seen.grant && { user: seen.grant.user }),
    })
  }

  return async (req, res) => {
    setCorsHeaders(req, res, allowedOrigins)
    if (answerPreflight(req, res, allowedOrigins)) return
    const exchange = exchanges.begin(res)
    const seen: Seen = { route: 'unknown' }
    try {
      if (exchange.call.ended) throw exchange.call.ended
      const answer = await pass(req, exchange, seen)
      if (isAnswered(res, exchange)) return tellAbandoned(req, exchange, seen)
      sendAnswer(res, answer)
      tellFinished(req, exchange, seen, answer.status, answer)
    } catch (thrown) {
      if (isAnswered(res, exchange)) tellAbandoned(req, exchange, seen)
      else answerProblem(thrown, req, res, exchange, seen)
    } finally {
      exchanges.end(exchange)
    }
  }
}

/** The client has left, or somebody in front of us has answered in our place (a time limit of the host's, say): nothing is left to write. */
function isAnswered(res: Response, { call }: Exchange): boolean {
  return call.ended?.why === 'client-gone' || res.headersSent
}

function pathOf(url: string): string {
  const query = url.indexOf('?')
  return query === -1 ? url : url.slice(0, query)
}

function requireMethod(req: Request, ...methods: readonly string[]): void {
  if (!methods.includes(req.method)) throw new BffError('METHOD_NOT_ALLOWED', { allow: methods.join(', ') })
}
