import type { IncomingMessage, ServerResponse } from 'node:http'
import type { Clock } from '../core/platform/clock.js'
import type { Counts } from '../core/request/counts.js'
import { formatFailure } from '../core/request/failure.js'
import type { FaultQueue, Strike } from '../core/faults/faultQueue.js'
import type { Answer, Call } from '../core/request/http.js'
import { encodeAnswer, parseBody, parseQuery, splitTarget } from '../core/request/http.js'
import { sendMalformed } from './writeResponse.js'
import type { OpenRecord, RequestLog } from '../core/request/requestLog.js'
import { createMatcher } from '../core/routes/createMatcher.js'
import type { Route } from '../core/routes/Route.js'
import type { Stalled } from '../core/stalled.js'

/** Longest request body that is read; real ones are far shorter. (Contract: "Token request body".) */
const MAX_BODY_BYTES = 1_024 * 1_024

export interface HttpOptions {
  readonly routes: readonly Route[]
  readonly clock: Clock
  readonly faults: FaultQueue
  readonly log: RequestLog
  readonly counts: Counts
  readonly stalled: Stalled
  readonly oneWayMs: () => number
  /** Called with what a route threw. */
  readonly onError: (error: unknown) => void
}

/** One request on its way to an answer. */
interface Exchange {
  readonly response: ServerResponse
  readonly record: OpenRecord
  /** Destroys the connection, and does not take it for the client's doing. */
  readonly drop: () => void
}

/** Transport of the HTTP interface: finds the route, lets faults strike, sends what the route answers. */
export function createHttpHandler(
  options: HttpOptions,
): (request: IncomingMessage, response: ServerResponse) => void {
  const { clock, faults, log, counts, stalled, oneWayMs, onError } = options
  const match = createMatcher(options.routes)

  return (request, response) => {
    const method = request.method ?? ''
    const { path, search } = splitTarget(request.url ?? '/')
    const query = parseQuery(search)
    const record = log.record({
      method,
      path,
      query,
      headers: request.headers,
      body: undefined,
      status: null,
      aborted: false,
      at: clock.now(),
    })
    let dropped = false
    const drop = (): void => {
      dropped = true
      request.socket.destroy()
    }
    response.once('close', () => {
      record.aborted = !dropped && !response.writableFinished
    })
    const exchange: Exchange = { response, record, drop }

    const matched = match(path)
    counts[matched ? matched.route.surface : 'unknown'] += 1
    // The Date header is the emulator's time, not the machine's.
    response.sendDate = false

    if (
      matched &&
      faults.takeDropBeforeReading({ surface: matched.route.surface, path, product: undefined })
    ) {
      drop()
      return
    }

    readBody(request, (bytes) => {
      if (!bytes) {
        send(exchange, { status: 413, body: { error: 'The body is too large.' } })
        return
      }
      const body = parseBody(bytes)
      if (body.type !== 'none') record.body = body.type === 'json' ? body.value : body.text
      const callAt = (): Call => ({ method, path, query, headers: request.headers, body, nowMs: clock.now() })

      if (!matched) {
        send(exchange, { status: 404, body: { error: `There is nothing at ${path}.` } })
        return
      }
      const { route, id } = matched
      if (method !== route.method) {
        const error = `${path} takes ${route.method} only.`
        send(exchange, { status: 405, body: { error }, headers: { allow: route.method } })
        return
      }

      const { surface } = route
      const strike = faults.take({ surface, path, product: route.productOf(callAt()) })
      stalled.after(strike.delayMs + oneWayMs(), response, () => {
        // The call is made now, so that limits and expiry go by the time at which it is looked at.
        const outcome = decide(strike, route, () => answerOf(() => route.answer(callAt(), id)))
        stalled.after(oneWayMs(), response, () => perform(outcome, exchange))
      })
    })
  }

  function perform(outcome: Outcome, exchange: Exchange): void {
    const { response, record, drop } = exchange
    switch (outcome.type) {
      case 'answer':
        send(exchange, outcome.answer)
        return
      case 'half':
        sendHalf(exchange, outcome.answer)
        return
      case 'malformed':
        stalled.hold(response)
        log.answered(record, sendMalformed(response, outcome.kind, outcome.options))
        return
      case 'drop':
        drop()
        return
      case 'hang':
        stalled.hold(response)
        return
      default:
        outcome satisfies never
    }
  }

  /** What a route throws must not end the process: it is the answer to this request alone. */
  function answerOf(make: () => Answer): Answer {
    try {
      return make()
    } catch (error) {
      onError(error)
      return formatFailure(error)
    }
  }

  function send(exchange: Exchange, answer: Answer): void {
    const text = begin(exchange, answer)
    exchange.response.end(text)
  }

  function sendHalf(exchange: Exchange, answer: Answer): void {
    const text = begin(exchange, answer)
    exchange.response.write(text.slice(0, text.length / 2), exchange.drop)
  }

  /** Writes the head and returns the body. A value that JSON cannot hold, or a head that HTTP cannot, is answered with 500. */
  function begin({ response, record }: Exchange, answer: Answer): string {
    const write = (sent: Answer): string => {
      const { text, headers } = encodeAnswer(sent, clock.now())
      response.writeHead(sent.status, headers)
      return text
    }
    let sent = answer
    let text: string
    try {
      text = write(sent)
    } catch (error) {
      onError(error)
      sent = formatFailure(error)
      text = write(sent)
    }
    log.answered(record, sent.status)
    return text
  }
}

type Outcome =
  | { readonly type: 'answer' | 'half'; readonly answer: Answer }
  | Exclude<NonNullable<Strike['effect']>, { type: 'answer' | 'fail' | 'refuse' | 'close' }>

function decide({ effect }: Strike, route: Route, answer: () => Answer): Outcome {
  switch (effect?.type) {
    case 'fail':
      return { type: 'answer', answer: route.fail(effect.code) }
    case 'answer':
      return { type: 'answer', answer: effect.answer }
    case 'drop':
      return effect.when === 'mid-answer' ? { type: 'half', answer: answer() } : effect
    case 'malformed':
    case 'hang':
      return effect
    // Faults of handshakes do not strike here: a fault names the surfaces that it can.
    case 'refuse':
    case 'close':
    case undefined:
      return { type: 'answer', answer: answer() }
    default:
      return effect satisfies never
  }
}

/** Gives `undefined` where the body is too large; nothing where the client left before its end. */
function readBody(request: IncomingMessage, done: (bytes: Buffer | undefined) => void): void {
  const chunks: Buffer[] = []
  let size = 0
  request.on('error', () => request.destroy())
  request.on('data', (chunk: Buffer) => {
    size += chunk.length
    if (size <= MAX_BODY_BYTES) chunks.push(chunk)
  })
  request.on('end', () => done(size <= MAX_BODY_BYTES ? Buffer.concat(chunks) : undefined))
}
