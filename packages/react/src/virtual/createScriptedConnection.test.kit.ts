import type { HandshakeErrorCode, Product } from '@stagepass/contract'
import type { Identity } from '../identity/Client.js'
import type { ReceivedData, SendData, SocketListener } from '../platform/socket.js'
import type { UserWatch } from './createUserWatch.test.kit.js'

/** A connection of the scripted service, as its server sees it. */
export interface ScriptedConnection {
  readonly product: Product
  /** Counts the tokens of the product: 1 for the first. */
  readonly token: number
  /** The user for whom the token was requested, and the generation of the client at that time. */
  readonly identity: Identity
  /** The received data, in order. */
  readonly received: readonly SendData[]
  /** Sent data that is still in the buffer of a stalled connection. */
  readonly stuck: readonly SendData[]
  readonly status: 'handshake' | 'open' | 'closed'
  /** Why it was refused, if it was. */
  readonly refusedWith: HandshakeErrorCode | number | undefined
  /** Sends to the application. */
  send(data: ReceivedData): void
  /** Closes like a server, with a code and a reason. Default 1000, ''. */
  close(code?: number, reason?: string): void
  /** The network cuts it: 1006. */
  drop(): void
  /** The server stops reading: sent data stays in the buffer until `drain`. */
  stall(): void
  drain(): void
}

/** A connection with the functions that only the service calls. */
export interface OwnedConnection extends ScriptedConnection {
  accept(): void
  refusedWith: HandshakeErrorCode | number | undefined
  /** The client's side. */
  readonly client: {
    send(data: SendData): void
    close(): void
    bufferedAmount(): number
  }
}

interface ScriptedConnectionOptions {
  readonly product: Product
  readonly token: number
  readonly identity: Identity
  readonly watch: UserWatch
  readonly listener: SocketListener
  /** Called for each message that arrived. */
  readonly onReceived: (connection: ScriptedConnection, data: SendData) => void
}

export function createScriptedConnection(options: ScriptedConnectionOptions): OwnedConnection {
  const { identity, watch } = options
  const received: SendData[] = []
  const buffer: SendData[] = []
  let status: ScriptedConnection['status'] = 'handshake'
  let stalled = false

  function arrive(data: SendData): void {
    received.push(data)
    options.onReceived(connection, data)
  }

  function end(): boolean {
    const lived = status !== 'closed'
    status = 'closed'
    return lived
  }

  const connection: OwnedConnection = {
    product: options.product,
    token: options.token,
    identity,
    refusedWith: undefined,
    received,
    stuck: buffer,
    get status() {
      return status
    },
    accept() {
      if (status !== 'handshake') return
      status = 'open'
      options.listener.opened()
    },
    send(data) {
      if (status !== 'open') return
      watch.check(identity, 'The page gets a message')
      options.listener.received(data)
    },
    close(code = 1000, reason = '') {
      if (end()) options.listener.closed(code, reason)
    },
    drop() {
      if (end()) options.listener.closed(1006, '')
    },
    stall() {
      stalled = true
    },
    drain() {
      stalled = false
      for (const data of buffer.splice(0)) arrive(data)
    },
    client: {
      send(data) {
        if (status !== 'open') return
        watch.check(identity, 'The page sends a message on a connection')
        if (stalled) buffer.push(data)
        else arrive(data)
      },
      // The client's own close is not reported to the client.
      close: () => void end(),
      bufferedAmount: () => buffer.reduce((bytes, data) => bytes + sizeOf(data), 0),
    },
  }
  return connection
}

function sizeOf(data: SendData): number {
  if (typeof data === 'string') return new Blob([data]).size
  return data instanceof Blob ? data.size : data.byteLength
}
