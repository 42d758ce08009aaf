import type { RefusalCause } from '@stagepass/contract'
import type { CoreParts } from './CoreParts.js'
import { endOfFault } from './endOfFault.js'
import type { CoreSettings } from './options.js'
import { judgeHandshake, productOfPath, readAuthorization } from './sockets/handshake.js'
import {
  formatRefusal,
  formatRefusalClose,
  formatRefusalFrame,
  type RefusalForm,
  type RefuseBy,
} from './sockets/formatRefusal.js'
import type { Socket, SocketListener } from './sockets/Socket.js'
import type { IncomingUpgrade } from './Transport.js'
import type { Sockets } from './sockets/sockets.js'
import type { Store } from './store/store.js'
import type { TapeStreams } from './streams/createTapeStreams.js'
import { POLICY_VIOLATION } from './streams/ProductStream.js'

interface UpgradeOptions extends Pick<CoreSettings, 'maxSessions' | 'refuseBy' | 'refusalForm'> {
  readonly store: Store
  readonly sockets: Sockets
  readonly tapeStreams: TapeStreams | undefined
}

/** Answers handshakes: checks them, applies the faults, and refuses in one of the three ways. */
export function createUpgradeHandler(
  { clock, faults, log, exchanges, nextReqId, oneWayMs }: CoreParts,
  { store, sockets, tapeStreams, maxSessions, refuseBy, refusalForm }: UpgradeOptions,
): (incoming: IncomingUpgrade) => void {
  return (incoming) => {
    const exchange = exchanges.open(incoming)
    const { path, search, record } = exchange
    const product = productOfPath(path)
    log.counts[product ? 'handshake' : 'unknown'] += 1
    if (!product) {
      exchange.respond({ status: 404, body: { error: `There is no stream at ${path}.` } })
      return
    }

    const accept = (listen: (socket: Socket) => SocketListener | undefined): void => {
      incoming.accept((socket) => {
        log.responded(record, 101)
        return listen(socket)
      })
    }
    const acceptThenClose = (code: number, reason: string, frame?: string): void => {
      accept((socket) => {
        if (frame !== undefined) socket.send(frame)
        socket.close(code, reason)
        return undefined
      })
    }
    const refuse = (cause: RefusalCause, by: RefuseBy, form: RefusalForm | undefined): void => {
      if (by === 'status') exchange.respond(formatRefusal(cause, form))
      else if (by === 'frame') acceptThenClose(POLICY_VIOLATION, '', formatRefusalFrame(cause, form))
      else {
        const { code, reason } = formatRefusalClose(cause, form)
        acceptThenClose(code, reason)
      }
    }

    const target = { endpoint: 'handshake', path, product } as const
    if (faults.takeDropBeforeReading(target, incoming.connection.idleMs)) {
      exchange.drop()
      return
    }
    const { delayMs, effect, changes, mutes } = faults.take(target)
    exchange.change(changes)
    const end = endOfFault(effect, exchange, nextReqId)

    // One wait for the whole round trip, because an upgrade has one response, and the token is checked when
    // the socket opens.
    exchange.wait(delayMs + oneWayMs() + oneWayMs(), () => {
      if (end) return end()
      if (effect?.type === 'refuse')
        return refuse(effect.cause, effect.by ?? refuseBy, effect.form ?? refusalForm)
      if (effect?.type === 'close') return acceptThenClose(effect.code, effect.reason)
      // A handshake has no response body that could be cut.
      if (effect?.type === 'drop') return exchange.drop()

      const verdict = judgeHandshake({
        authorization: readAuthorization(incoming.headers.authorization, search),
        product,
        nowMs: clock.now(),
        findToken: (sessionKey) => store.tokens.get(sessionKey),
        isFull: (account) => sockets.countOf(account) >= maxSessions,
      })
      if (!verdict.ok) return refuse(verdict.code, refuseBy, refusalForm)
      const taped = tapeStreams?.next(verdict.token, incoming.headers.authorization !== undefined)
      if (taped === 'no response') return exchange.drop()
      if (typeof taped === 'object') return refuse(taped.refused, 'status', undefined)
      accept((socket) => sockets.open(socket, verdict.token, mutes, taped))
    })
  }
}
