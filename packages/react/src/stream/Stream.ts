import type { ReceivedData, SendData } from '../platform/socket.js'
import type { VoiceError } from '../VoiceError.js'
import type { StreamInput } from './machine/input.js'
import type { StreamStatus } from './machine/state.js'
import type { SendQueueStats, SendResult } from './queue/createSendQueue.js'
import type { MessageInfo } from './wire/createConnections.js'

export type MessageListener = (data: ReceivedData, info: MessageInfo) => void

/** What React shows: the same object until something in it changes. */
export interface StreamSnapshot {
  readonly status: StreamStatus
  /** Why the stream is `failed`, or is `reconnecting`; `null` in every other status. */
  readonly error: VoiceError | null
}

const WITHOUT_ERROR: Readonly<Record<StreamStatus, StreamSnapshot>> = {
  idle: { status: 'idle', error: null },
  connecting: { status: 'connecting', error: null },
  open: { status: 'open', error: null },
  reconnecting: { status: 'reconnecting', error: null },
  closed: { status: 'closed', error: null },
  failed: { status: 'failed', error: null },
}

export const IDLE = WITHOUT_ERROR.idle

export function snapshotOf(status: StreamStatus, error: VoiceError | null): StreamSnapshot {
  return error ? { status, error } : WITHOUT_ERROR[status]
}

/** Counters of a stream since it was created, over all its connections. */
export interface StreamStats extends SendQueueStats {
  /** Messages that came. */
  readonly received: number
  /** Number of the connection in use; `undefined` without one. */
  readonly generation: number | undefined
}

/** A stream without React, and without consumers: it does what its inputs say. */
export interface Stream {
  snapshot(): StreamSnapshot
  /** `at`: the monotonic time at which it was sent; default: now. */
  send(data: SendData, at?: number): SendResult
  /** Counts messages that were dropped before this stream was there, because too many waited. */
  countDropped(count: number, bytes: number): void
  /** Takes an input from outside the stream. */
  step(input: StreamInput): void
  stats(): StreamStats
  /** Releases the stream, which listens to nothing any longer. */
  end(): void
}
