import type { Received } from './createReceiver.js'
import { createReceiver } from './createReceiver.js'
import type { TakenFault } from './faults/faultQueue.js'
import { formatMalformed } from './faults/malformed.js'
import { formatFailure } from './request/failure.js'
import type { HttpRequest, HttpResponse } from './request/http.js'
import { parseBody } from './request/parseRequest.js'
import type { CoreParts } from './CoreParts.js'
import { createMatcher } from './routes/createMatcher.js'
import type { Route } from './routes/Route.js'
import type { Connection, IncomingRequest } from './Transport.js'

/** Longest request body that is read; real ones are far shorter. (Contract: "Token request body".) */
const MAX_BODY_BYTES = 1_024 * 1_024

/** Answers HTTP requests: finds the route, applies the faults, sends the route's response. */
export function createRequestHandler(
  parts: CoreParts,
  routes: readonly Route[],
): (incoming: IncomingRequest) => void {
  const { clock, faults, counts, waits, oneWayMs, onError } = parts
  const match = createMatcher(routes)
  const receive = createReceiver(parts)

  return (incoming) => {
    const { method, headers, connection } = incoming
    const received = receive(incoming)
    const { path, query, record } = received
    const matched = match(path)
    const endpoint = matched?.route.endpoint
    counts[endpoint ?? 'unknown'] += 1

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
      const taken = faults.take({ endpoint: route.endpoint, path, product })
      waits.after(taken.delayMs + oneWayMs(), connection, () => {
        // The route runs after the delay, so limits and expiry use the time after the delay.
        const outcome = decide(taken, route, () => respondSafely(() => route.respond(requestNow(), id)))
        waits.after(oneWayMs(), connection, () => perform(outcome, received, connection))
      })
    })
  }

  function perform(outcome: Outcome, received: Received, connection: Connection): void {
    switch (outcome.type) {
      case 'respond':
        received.respond(outcome.response)
        return
      case 'half':
        received.respondHalf(outcome.response)
        return
      case 'malformed':
        waits.hold(connection)
        received.respondEncoded(formatMalformed(outcome.kind, outcome.options))
        return
      case 'drop':
        received.drop()
        return
      case 'hang':
        waits.hold(connection)
        return
      default:
        outcome satisfies never
    }
  }

  /** An error of a route must not end the process: it is the response to this request alone. */
  function respondSafely(respond: () => HttpResponse): HttpResponse {
    try {
      return respond()
    } catch (error) {
      onError(error)
      return formatFailure(error)
    }
  }
}

type Outcome =
  | { readonly type: 'respond' | 'half'; readonly response: HttpResponse }
  | Exclude<NonNullable<TakenFault['effect']>, { type: 'respond' | 'fail' | 'refuse' | 'close' }>

function decide({ effect }: TakenFault, route: Route, respond: () => HttpResponse): Outcome {
  switch (effect?.type) {
    case 'fail':
      return { type: 'respond', response: route.fail(effect.code) }
    case 'respond':
      return effect
    case 'drop':
      return effect.when === 'mid-answer' ? { type: 'half', response: respond() } : effect
    case 'malformed':
    case 'hang':
      return effect
    // These faults apply to handshakes only.
    case 'refuse':
    case 'close':
    case undefined:
      return { type: 'respond', response: respond() }
    default:
      return effect satisfies never
  }
}
