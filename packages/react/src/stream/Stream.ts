import type { ReceivedData, SendData } from '../platform/socket.js'
import type { VoiceError } from '../VoiceError.js'
import type { StreamInput } from './machine/input.js'
import type { SendQueueStats, SendResult } from './queue/createSendQueue.js'
import type { MessageInfo } from './wire/createConnections.js'

export type MessageListener = (data: ReceivedData, info: MessageInfo) => void

/** What React shows: the same object until something in it changes. */
export type StreamSnapshot =
  | {
      readonly status: 'idle' | 'connecting' | 'open' | 'closed'
      readonly error: null
      readonly failureReason: null
    }
  | {
      readonly status: 'reconnecting'
      readonly error: null
      /** Why there is no connection. The next attempt comes by itself. */
      readonly failureReason: VoiceError
    }
  | {
      readonly status: 'failed'
      /** No attempt follows by itself. */
      readonly error: VoiceError
      readonly failureReason: VoiceError
    }

const calm = (status: 'idle' | 'connecting' | 'open' | 'closed'): StreamSnapshot => ({
  status,
  error: null,
  failureReason: null,
})

const CALM = {
  idle: calm('idle'),
  connecting: calm('connecting'),
  open: calm('open'),
  closed: calm('closed'),
}

export const IDLE = CALM.idle

export const calmSnapshot = (status: keyof typeof CALM): StreamSnapshot => CALM[status]

export const reconnectingSnapshot = (failureReason: VoiceError): StreamSnapshot => ({
  status: 'reconnecting',
  error: null,
  failureReason,
})

export const failedSnapshot = (error: VoiceError): StreamSnapshot => ({
  status: 'failed',
  error,
  failureReason: error,
})

/** Counters of a stream since it was created, over all its connections. */
export interface StreamStats extends SendQueueStats {
  /** Messages that came. */
  readonly received: number
  /** Number of the connection in use; `undefined` without one. */
  readonly generation: number | undefined
}

/** A stream without React, and without users: it does what its inputs say. */
export interface Stream {
  readonly snapshot: () => StreamSnapshot
  readonly send: (data: SendData) => SendResult
  /** Takes an input from outside the stream, which takes a `finish` back. */
  readonly step: (input: StreamInput) => void
  /**
   * Takes no more, and closes when the service has said its last words. Resolves then, or when it is taken
   * back.
   */
  readonly finish: (timeoutMs: number) => Promise<void>
  readonly stats: () => StreamStats
  /** Releases the stream, which listens to nothing any longer. */
  readonly end: () => void
}
