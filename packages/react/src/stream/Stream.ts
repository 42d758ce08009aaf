import type { ReceivedData, SendData } from '../platform/socket.js'
import type { StreamInput } from './machine/input.js'
import type { StreamSnapshot } from './machine/snapshot.js'
import type { SendQueueStats, SendResult } from './queue/createSendQueue.js'
import type { MessageInfo } from './wire/createConnections.js'

export type MessageListener = (data: ReceivedData, info: MessageInfo) => void

/** Counters of a stream since it was created, over all its connections. */
export interface StreamStats extends SendQueueStats {
  /** Received messages. */
  readonly received: number
  /** Number of the current connection; `undefined` if there is none. */
  readonly generation: number | undefined
  /** With `resend`: length of the sound that is not final yet, from its first word on. */
  readonly unfinalMs: number
  /** With `resend`: length of the sound that is not sent yet. */
  readonly behindMs: number
}

/** A stream without React. Its inputs control it. */
export interface Stream {
  readonly snapshot: () => StreamSnapshot
  readonly send: (data: SendData) => SendResult
  /** An input from outside the stream. It cancels a `finish`. */
  readonly step: (input: StreamInput) => void
  /** The codec may have changed. A connection that was begun with another configuration is replaced. */
  readonly refresh: () => void
  /**
   * Accepts no more data, and closes after the last text of the service. Resolves then, or when it is
   * cancelled, with true if all data was sent and the last text has come.
   */
  readonly finish: (timeoutMs: number) => Promise<boolean>
  readonly stats: () => StreamStats
  /** Releases the stream and removes its listeners. */
  readonly end: () => void
}
