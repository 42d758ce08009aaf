import type { HandshakeErrorCode, Product } from '@stagepass/contract'
import type { Identity } from '../identity/Client.js'
import type { ReceivedData, SendData, SocketListener } from '../platform/socket.js'

interface ScriptedConnectionOptions {
  readonly product: Product
  /** Counts the tokens: 1 for the first. */
  readonly token: number
  /** The user for whom the token was requested, and the generation of the client at that time. */
  readonly identity: Identity
  readonly listener: SocketListener
}

export type ScriptedConnection = ReturnType<typeof createScriptedConnection>

/** A connection of the scripted service, as its server sees it. `client` is the other side. */
export function createScriptedConnection({ listener, ...given }: ScriptedConnectionOptions) {
  const received: SendData[] = []
  const stuck: SendData[] = []
  let status: 'handshake' | 'open' | 'closed' = 'handshake'
  let stalled = false
  let isClosing = false

  function end(code?: number, reason = ''): void {
    if (status === 'closed') return
    status = 'closed'
    if (code !== undefined) listener.closed(code, reason)
  }

  return {
    ...given,
    /** Why it was refused, if it was. */
    refusedWith: undefined as HandshakeErrorCode | number | undefined,
    /** The received data, in order. */
    received: received as readonly SendData[],
    /** Sent data that is still in the buffer of a stalled connection. */
    stuck: stuck as readonly SendData[],
    get status() {
      return status
    },
    accept(): void {
      if (status !== 'handshake') return
      status = 'open'
      listener.opened()
    },
    /** Sends to the application. */
    send(data: ReceivedData): void {
      if (status === 'open') listener.received(data)
    },
    /** Closes like a server, with a code and a reason. */
    close: (code = 1000, reason = ''): void => end(code, reason),
    /** The network cuts it. */
    drop: (): void => end(1006),
    /** The server answers a close only after `answerClose`. */
    delayClose(): void {
      isClosing = true
    },
    answerClose(): void {
      isClosing = false
    },
    /** The server stops reading: sent data stays in the buffer until `drain`. */
    stall(): void {
      stalled = true
    },
    drain(): void {
      stalled = false
      received.push(...stuck.splice(0))
    },
    client: {
      send(data: SendData): void {
        if (status === 'open') (stalled ? stuck : received).push(data)
      },
      // The client's own close is not reported to the client.
      close: (): void => end(),
      isClosed: (): boolean => status === 'closed' && !isClosing,
      bufferedAmount: (): number => stuck.reduce((bytes, data) => bytes + sizeOf(data), 0),
    },
  }
}

function sizeOf(data: SendData): number {
  if (typeof data === 'string') return new Blob([data]).size
  return data instanceof Blob ? data.size : data.byteLength
}
