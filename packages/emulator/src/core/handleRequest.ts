import type { CoreParts } from './CoreParts.js'
import { endOfFault } from './endOfFault.js'
import { formatFailure, Refused } from './request/failure.js'
import type { HttpResponse } from './request/http.js'
import { parseBody } from './request/parseRequest.js'
import { createMatcher, type Route } from './routes/Route.js'
import type { IncomingRequest } from './Transport.js'

/** Longest request body that is read. Real bodies are much shorter. (Contract: "Token request body".) */
const MAX_BODY_BYTES = 1_024 * 1_024

/** Answers HTTP requests: finds the route, applies the faults, sends the route's response. */
export function createRequestHandler(
  { clock, faults, log, exchanges, nextReqId, oneWayMs, onError }: CoreParts,
  routes: readonly Route[],
): (incoming: IncomingRequest) => void {
  const match = createMatcher(routes)

  return (incoming) => {
    const { method, headers } = incoming
    const exchange = exchanges.open(incoming)
    const { path, query, record } = exchange
    const matched = match(path)
    const endpoint = matched?.route.endpoint
    log.counts[endpoint ?? 'unknown'] += 1

    if (
      endpoint &&
      faults.takeDropBeforeReading({ endpoint, path, product: undefined }, incoming.connection.idleMs)
    ) {
      exchange.drop()
      return
    }

    incoming.readBody(MAX_BODY_BYTES, (bytes) => {
      if (!bytes) {
        exchange.respond({ status: 413, body: { error: 'The body is too large.' } })
        return
      }
      const body = parseBody(bytes)
      if (body.type !== 'none') record.body = body.type === 'json' ? body.value : body.text

      if (!matched) {
        exchange.respond({ status: 404, body: { error: `There is nothing at ${path}.` } })
        return
      }
      const { route, id } = matched
      if (method !== route.method) {
        const error = `${path} accepts only ${route.method}.`
        exchange.respond({ status: 405, body: { error }, headers: { allow: route.method } })
        return
      }

      const product = route.productOf?.(body)
      const hasCursor = route.hasCursor?.(query)
      const target = { endpoint: route.endpoint, path, product, hasCursor }
      const { delayMs, effect, changes, odd } = faults.take(target)
      exchange.change(changes)
      const end = endOfFault(effect, exchange, nextReqId)
      exchange.wait(delayMs + oneWayMs(), () => {
        if (end) return exchange.wait(oneWayMs(), end)
        // The route runs after the delay, so limits and expiry use the time after the delay.
        const response = runSafely(() =>
          route.respond({ method, path, query, headers, body, odd, nowMs: clock.now() }, id),
        )
        exchange.wait(oneWayMs(), () => {
          if (effect?.type === 'drop') exchange.respondHalf(response)
          else exchange.respond(response)
        })
      })
    })
  }

  /** An error of a route must not end the process. It becomes the response to this request only. */
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
