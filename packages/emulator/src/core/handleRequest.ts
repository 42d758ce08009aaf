import { createReceiver, type Received } from './createReceiver.js'
import type { TakenFault } from './faults/faultQueue.js'
import { formatFailure, Refused } from './request/failure.js'
import type { HttpRequest, HttpResponse } from './request/http.js'
import { parseBody } from './request/parseRequest.js'
import type { CoreParts } from './CoreParts.js'
import { createMatcher, type Route } from './routes/Route.js'
import type { Connection, IncomingRequest } from './Transport.js'

/** Longest request body that is read; real ones are far shorter. (Contract: "Token request body".) */
const MAX_BODY_BYTES = 1_024 * 1_024

/** Answers HTTP requests: finds the route, applies the faults, sends the route's response. */
export function createRequestHandler(
  parts: CoreParts,
  routes: readonly Route[],
): (incoming: IncomingRequest) => void {
  const { clock, faults, log, waits, oneWayMs, onError, formatFail } = parts
  const match = createMatcher(routes)
  const receive = createReceiver(parts)

  return (incoming) => {
    const { method, headers, connection } = incoming
    const received = receive(incoming)
    const { path, query, record } = received
    const matched = match(path)
    const endpoint = matched?.route.endpoint
    log.counts[endpoint ?? 'unknown'] += 1

    if (endpoint && faults.takeDropBeforeReading({ endpoint, path, product: undefined })) {
      received.drop()
      return
    }

    incoming.readBody(MAX_BODY_BYTES, (bytes) => {
      if (!bytes) {
        received.respond({ status: 413, body: { error: 'The body is too large.' } })
        return
      }
      const body = parseBody(bytes)
      if (body.type !== 'none') record.body = body.type === 'json' ? body.value : body.text
      const requestNow = (): HttpRequest => ({ method, path, query, headers, body, nowMs: clock.now() })

      if (!matched) {
        received.respond({ status: 404, body: { error: `There is nothing at ${path}.` } })
        return
      }
      const { route, id } = matched
      if (method !== route.method) {
        const error = `${path} takes ${route.method} only.`
        received.respond({ status: 405, body: { error }, headers: { allow: route.method } })
        return
      }

      const product = route.productOf?.(requestNow())
      const { delayMs, effect } = faults.take({ endpoint: route.endpoint, path, product })
      waits.after(delayMs + oneWayMs(), connection, () => {
        // The route runs after the delay, so limits and expiry use the time after the delay.
        const send = prepare(effect, received, connection, () => route.respond(requestNow(), id))
        waits.after(oneWayMs(), connection, send)
      })
    })
  }

  /** Runs the route, unless a fault replaces its response. Returns what sends the response. */
  function prepare(
    effect: TakenFault['effect'],
    received: Received,
    connection: Connection,
    run: () => HttpResponse,
  ): () => void {
    switch (effect?.type) {
      case 'fail': {
        const response = formatFail(effect.code)
        return () => received.respond(response)
      }
      case 'respond':
        return () => received.respond(effect.response)
      case 'malformed':
        return () => {
          waits.hold(connection)
          received.respondEncoded(effect.response)
        }
      case 'hang':
        return () => waits.hold(connection)
      case 'drop': {
        if (effect.when !== 'mid-response') return () => received.drop()
        const response = runSafely(run)
        return () => received.respondHalf(response)
      }
      // The two faults of handshakes do not come here.
      case 'refuse':
      case 'close':
      case undefined: {
        const response = runSafely(run)
        return () => received.respond(response)
      }
      default:
        return effect satisfies never
    }
  }

  /** An error of a route must not end the process: it is the response to this request alone. */
  function runSafely(run: () => HttpResponse): HttpResponse {
    try {
      return run()
    } catch (error) {
      if (error instanceof Refused) return error.response
      onError(error)
      return formatFailure(error)
    }
  }
}
