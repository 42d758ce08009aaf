import type { ReceivedData, SendData } from '../platform/socket.js'
import type { VoiceError } from '../errors/VoiceError.js'
import type { StreamInput } from './machine/input.js'
import type { QueuePlace } from './machine/state.js'
import type { SendQueueStats, SendResult } from './queue/createSendQueue.js'
import type { MessageInfo } from './wire/createConnections.js'

export type MessageListener = (data: ReceivedData, info: MessageInfo) => void

/** The state for React: the same object until a field changes. */
export type StreamSnapshot =
  | {
      readonly status: 'idle' | 'connecting' | 'open' | 'closed'
      readonly error: null
      readonly failureReason: null
      readonly retryAt: null
      readonly queue: null
    }
  | {
      /** All sessions of the account are in use. The stream opens when it is its turn; `close()` leaves the queue. */
      readonly status: 'queued'
      readonly error: null
      readonly failureReason: null
      readonly retryAt: null
      /** The place of this stream, from 1. Null while the BFF does not know it. */
      readonly queue: QueuePlace | null
    }
  | {
      readonly status: 'reconnecting'
      readonly error: null
      /** Why there is no connection. The next attempt follows automatically. */
      readonly failureReason: VoiceError
      /** When the next attempt starts, for a countdown; null while one runs. `open()` starts it now. */
      readonly retryAt: Date | null
      readonly queue: null
    }
  | {
      readonly status: 'failed'
      /** No automatic attempt follows. */
      readonly error: VoiceError
      readonly failureReason: VoiceError
      readonly retryAt: null
      readonly queue: null
    }

const NONE = { error: null, failureReason: null, retryAt: null, queue: null }

const calm = (status: 'idle' | 'connecting' | 'open' | 'closed'): StreamSnapshot => ({ ...NONE, status })

const CALM = {
  idle: calm('idle'),
  connecting: calm('connecting'),
  open: calm('open'),
  closed: calm('closed'),
}

export const IDLE = CALM.idle

export const calmSnapshot = (status: keyof typeof CALM): StreamSnapshot => CALM[status]

export const reconnectingSnapshot = (failureReason: VoiceError, retryAt: Date | null): StreamSnapshot => ({
  ...NONE,
  status: 'reconnecting',
  failureReason,
  retryAt,
})

export const failedSnapshot = (error: VoiceError): StreamSnapshot => ({
  ...NONE,
  status: 'failed',
  error,
  failureReason: error,
})

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
   * cancelled.
   */
  readonly finish: (timeoutMs: number) => Promise<void>
  readonly stats: () => StreamStats
  /** Releases the stream and removes its listeners. */
  readonly end: () => void
}
