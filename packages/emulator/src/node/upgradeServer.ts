import { type IncomingMessage, STATUS_CODES } from 'node:http'
import { Socket as TcpSocket } from 'node:net'
import type { Duplex } from 'node:stream'
import { type RawData, type WebSocket, WebSocketServer } from 'ws'
import type { EmulatorCore } from '../core/EmulatorCore.js'
import type { EncodedResponse } from '../core/request/http.js'
import { MAX_MESSAGE_BYTES, type Socket, type SocketListener } from '../core/sockets/Socket.js'
import type { IdleTimes } from './createIdleTimes.js'
import { encodeBody } from './encodeBody.js'

/** Connects the core to the handshakes of `node:http` and the sockets of `ws`. */
export function serveUpgrades(
  core: EmulatorCore,
  idleTimes: IdleTimes,
): (request: IncomingMessage, transport: Duplex, head: Buffer) => void {
  const webSockets = new WebSocketServer({
    noServer: true,
    clientTracking: false,
    perMessageDeflate: false,
    maxPayload: MAX_MESSAGE_BYTES,
    // The service is not known to agree to a subprotocol. The default of ws agrees to the first one.
    handleProtocols: () => false,
  })

  return (request, transport, head) => {
    let responded = false
    // If the client ends its half of the connection, we must end ours.
    transport.on('error', () => transport.destroy())
    transport.once('end', () => {
      if (!responded) transport.destroy()
    })
    core.handleUpgrade({
      method: request.method ?? '',
      target: request.url ?? '/',
      headers: request.headers,
      connection: {
        idleMs: idleTimes.of(transport),
        onClose: (listener) => transport.once('close', () => listener(responded)),
        respond(response) {
          const bytes = formatRefusal(response)
          responded = true
          transport.end(bytes)
        },
        destroy: () => transport.destroy(),
      },
      accept(listen) {
        webSockets.handleUpgrade(request, transport, head, (socket) => {
          responded = true
          attach(socket, transport, listen)
        })
      },
    })
  }
}

/** Connects the core to one open socket. */
function attach(
  socket: WebSocket,
  transport: Duplex,
  listen: (socket: Socket) => SocketListener | undefined,
): void {
  // A broken frame closes the socket. Without this listener ws would throw the error.
  socket.on('error', () => undefined)
  const listener = listen({
    isOpen: () => socket.readyState === socket.OPEN,
    send: (data) => socket.send(data),
    close: (code, reason) => socket.close(code, reason),
    reset() {
      if (transport instanceof TcpSocket) transport.resetAndDestroy()
      else transport.destroy()
    },
    terminate: () => socket.terminate(),
    freeze: () => socket.pause(),
  })
  if (!listener) return
  socket.on('message', (data: RawData, isBinary) => {
    // The cast: ws passes one Buffer if binaryType has its default.
    const bytes = data as Buffer
    listener.received(isBinary ? bytes : bytes.toString('utf8'))
  })
  socket.on('close', () => listener.closed())
}

/** Formats a refusal, because `node:http` has no response object for an upgrade. */
function formatRefusal({ status, headers, body, coding }: EncodedResponse): Buffer {
  const lines = Object.entries({ ...headers, connection: 'close' }).map(
    ([name, value]) => `${name}: ${value}`,
  )
  const head = `HTTP/1.1 ${status} ${STATUS_CODES[status] ?? 'Refused'}\r\n${lines.join('\r\n')}\r\n\r\n`
  const plain = Buffer.from(body.type === 'text' ? body.text : '')
  return Buffer.concat([Buffer.from(head), (coding && encodeBody(body, coding)) ?? plain])
}
