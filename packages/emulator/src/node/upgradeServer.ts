import type { IncomingMessage } from 'node:http'
import { STATUS_CODES } from 'node:http'
import type { Duplex } from 'node:stream'
import type { WebSocket } from 'ws'
import { WebSocketServer } from 'ws'
import type { Clock } from '../core/platform/clock.js'
import type { Counts } from '../core/request/counts.js'
import type { FaultQueue } from '../core/faults/faultQueue.js'
import { judgeHandshake, productOfPath, readAuthorization } from '../core/sockets/handshake.js'
import type { Answer } from '../core/request/http.js'
import { encodeAnswer, parseQuery, splitTarget } from '../core/request/http.js'
import type { RefusalCause, RefusalForm, RefuseBy } from '../core/sockets/refusal.js'
import { formatRefusal, formatRefusalClose, formatRefusalFrame, REFUSED } from '../core/sockets/refusal.js'
import type { OpenRecord, RequestLog } from '../core/request/requestLog.js'
import type { Sockets } from '../core/sockets/sockets.js'
import type { Stalled } from '../core/stalled.js'
import type { Store } from '../core/store/store.js'

const MAX_FRAME_BYTES = 16 * 1_024 * 1_024

export interface UpgradeOptions {
  readonly store: Store
  readonly sockets: Sockets
  readonly maxSessions: number
  readonly refuseBy: RefuseBy
  readonly refusalForm: RefusalForm | undefined
  readonly clock: Clock
  readonly faults: FaultQueue
  readonly log: RequestLog
  readonly counts: Counts
  readonly stalled: Stalled
  readonly oneWayMs: () => number
}

/** Transport of the handshakes: judges them, lets faults strike, and refuses in each of the three ways. */
export function createUpgradeHandler(
  options: UpgradeOptions,
): (request: IncomingMessage, transport: Duplex, head: Buffer) => void {
  const { store, sockets, maxSessions, refuseBy, refusalForm } = options
  const { clock, faults, log, counts, stalled, oneWayMs } = options
  const webSockets = new WebSocketServer({
    noServer: true,
    clientTracking: false,
    perMessageDeflate: false,
    maxPayload: MAX_FRAME_BYTES,
  })

  return (request, transport, head) => {
    const { path, search } = splitTarget(request.url ?? '/')
    const record = log.record({
      method: request.method ?? '',
      path,
      query: parseQuery(search),
      headers: request.headers,
      body: undefined,
      status: null,
      aborted: false,
      at: clock.now(),
    })
    let dropped = false
    const dropConnection = (): void => {
      dropped = true
      transport.destroy()
    }
    transport.once('close', () => {
      record.aborted = record.status === null && !dropped
    })
    // A client may go away at any moment; Node leaves it to us to close our half then.
    transport.on('error', () => transport.destroy())
    transport.once('end', () => {
      if (record.status === null) transport.destroy()
    })

    const product = productOfPath(path)
    counts[product ? 'handshake' : 'unknown'] += 1
    if (!product) {
      refuse(transport, { status: 404, body: { error: `There is no stream at ${path}.` } }, record)
      return
    }

    const accept = (run: (socket: WebSocket) => void): void => {
      webSockets.handleUpgrade(request, transport, head, (socket) => {
        log.answered(record, 101)
        // A broken frame closes the socket; ws says why to nobody but this listener.
        socket.on('error', () => undefined)
        run(socket)
      })
    }
    const refuseWith = (cause: RefusalCause, by: RefuseBy, form: RefusalForm | undefined): void => {
      switch (by) {
        case 'status':
          refuse(transport, formatRefusal(cause, form), record)
          return
        case 'frame':
          accept((socket) => {
            socket.send(formatRefusalFrame(cause, form))
            socket.close(REFUSED)
          })
          return
        case 'close':
          accept((socket) => {
            const { code, reason } = formatRefusalClose(cause, form)
            socket.close(code, reason)
          })
          return
        default:
          by satisfies never
      }
    }

    const struck = { surface: 'handshake', path, product } as const
    if (faults.takeDropBeforeReading(struck)) {
      dropConnection()
      return
    }
    const { delayMs, effect } = faults.take(struck)

    // One wait for the whole round trip: an upgrade has one answer, and the judgement belongs to the moment of opening.
    stalled.after(delayMs + oneWayMs() + oneWayMs(), transport, () => {
      switch (effect?.type) {
        case 'refuse':
          refuseWith(effect.cause, effect.by ?? refuseBy, effect.form ?? refusalForm)
          return
        case 'answer':
          refuse(transport, effect.answer, record)
          return
        case 'drop':
          if (effect.when === 'mid-answer') transport.write('HTTP/1.1 101 Switching', dropConnection)
          else dropConnection()
          return
        case 'hang':
          stalled.hold(transport)
          return
        case 'close':
          accept((socket) => socket.close(effect.code, effect.reason))
          return
        // Faults of HTTP answers do not strike here: a fault names the surfaces that it can.
        case 'fail':
        case 'malformed':
        case undefined:
          break
        default:
          effect satisfies never
      }

      const verdict = judgeHandshake({
        authorization: readAuthorization(request.headers.authorization, search),
        product,
        nowMs: clock.now(),
        findToken: (sessionKey) => store.tokens.get(sessionKey),
        isFull: (account) => sockets.countOf(account) >= maxSessions,
      })
      if (!verdict.ok) refuseWith(verdict.code, refuseBy, refusalForm)
      else accept((socket) => sockets.open(socket, transport, verdict.token))
    })
  }

  function refuse(transport: Duplex, answer: Answer, record: OpenRecord): void {
    const { status } = answer
    log.answered(record, status)
    const { text, headers } = encodeAnswer(answer, clock.now())
    const lines = Object.entries({ ...headers, connection: 'close' }).map(
      ([name, value]) => `${name}: ${value}`,
    )
    transport.end(
      `HTTP/1.1 ${status} ${STATUS_CODES[status] ?? 'Refused'}\r\n${lines.join('\r\n')}\r\n\r\n${text}`,
    )
  }
}
