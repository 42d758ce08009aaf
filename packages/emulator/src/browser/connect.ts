import { utf8Length } from '../core/platform/bytes.js'
import type { EncodedResponse, RequestHeaders } from '../core/request/http.js'
import { MAX_MESSAGE_BYTES, type Socket, type SocketListener } from '../core/sockets/Socket.js'
import { createClosing } from './createClosing.js'
import { isServed, type Service } from './Service.js'

const TOO_BIG = 1009

/** Reported for a close without a code. */
const NO_CODE = 1005

/** Reported for an end without a closing handshake. */
export const LOST = 1006

export type Message = string | Uint8Array

interface Handshake {
  readonly host: string
  /** Path and query. */
  readonly target: string
  readonly headers: RequestHeaders
}

/** The events at the client's side of a WebSocket. None follow `refused`, `closed` or `abandon()`. */
export interface Client {
  opened(): void
  /** The service sent a response and did not open the WebSocket. */
  refused(response: EncodedResponse): void
  received(message: Message): void
  /** A message of the client has reached the service. */
  sent(message: Message): void
  /** The code is 1006 if the connection was lost or there was none. */
  closed(code: number, reason: string): void
}

/** The actions of the client's side. */
export interface ClientSocket {
  send(message: Message): void
  /** Sends all messages first, then begins the closing handshake. */
  close(code: number | undefined, reason: string): void
  /** Ends the connection without a closing handshake. */
  abandon(): void
}

/**
 * Opens a WebSocket to the service: the two sides of one connection.
 *
 *   connecting ──▶ open ──▶ closing ──▶ closed
 *
 * This is the state on the side of the service. `closing`: the service has sent its close. Every step to the
 * other side is a later task, so each side receives everything in the order of sending.
 */
export function connect(
  service: Service,
  { host, target, headers }: Handshake,
  client: Client,
): ClientSocket {
  const { core, runLater } = service
  const closing = createClosing()
  let state: 'connecting' | 'open' | 'closing' | 'closed' = 'connecting'
  let isAbandoned = false
  let isFrozen = false
  let listener: SocketListener | undefined

  const tell = (task: () => void): void =>
    runLater(() => {
      if (!isAbandoned) task()
    })

  /** The service no longer has the connection. `complete`: it has responded to the handshake. */
  const end = (complete = state !== 'connecting'): void => {
    if (state === 'closed') return
    state = 'closed'
    listener?.closed()
    closing.close(complete)
  }
  const lose = (): void => {
    if (state === 'closed') return
    end()
    tell(() => client.closed(LOST, ''))
  }

  const socket: Socket = {
    isOpen: () => state === 'open',
    send(data) {
      if (state !== 'open') return
      const message = typeof data === 'string' ? data : data.slice()
      tell(() => client.received(message))
    },
    close(code = NO_CODE, reason = '') {
      if (state !== 'open') return
      state = 'closing'
      tell(() => client.closed(code, reason))
      runLater(() => end())
    },
    reset: lose,
    terminate: lose,
    freeze: () => {
      isFrozen = true
    },
  }

  runLater(() => {
    if (isAbandoned) return
    if (!isServed(service, host)) return lose()
    core.handleUpgrade({
      method: 'GET',
      target,
      headers: { host, connection: 'Upgrade', upgrade: 'websocket', ...headers },
      connection: {
        onClose: closing.onClose,
        respond(response) {
          end(true)
          tell(() => client.refused(response))
        },
        destroy: lose,
      },
      accept(listen) {
        if (state !== 'connecting') return
        state = 'open'
        tell(() => client.opened())
        listener = listen(socket)
      },
    })
  })

  return {
    send: (message) =>
      runLater(() => {
        if (isFrozen || state === 'closed') return
        client.sent(message)
        const size = typeof message === 'string' ? utf8Length(message) : message.length
        if (size > MAX_MESSAGE_BYTES) socket.close(TOO_BIG)
        else listener?.received(message)
      }),
    close: (code = NO_CODE, reason) =>
      runLater(() => {
        if (isFrozen) return
        // The service sends the code back, unless it has already sent its own close.
        if (state === 'open') tell(() => client.closed(code, reason))
        end()
      }),
    abandon() {
      isAbandoned = true
      end()
    },
  }
}
