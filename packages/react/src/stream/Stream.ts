import type { VoiceError } from '../VoiceError.js'
import type { OutletStats, SendResult } from './queue/createSendQueue.js'
import type { ReceivedData, SendData } from '../platform/socket.js'
import type { StreamStatus } from './machine/state.js'
import type { StreamInput } from './machine/input.js'

/** What a message arrives with. */
export interface MessageInfo {
  /** Number of the connection that it came by. Two may speak at once while a rollover drains the old one. */
  readonly generation: number
}

export type MessageListener = (data: ReceivedData, info: MessageInfo) => void

/** What React is shown: the same object until something in it changes. */
export interface StreamSnapshot {
  readonly status: StreamStatus
  /** Why the stream is `failed`, or is `reconnecting`; `null` in every other status. */
  readonly error: VoiceError | null
}

export const IDLE: StreamSnapshot = { status: 'idle', error: null }

export interface StreamStats extends OutletStats {
  /** Messages that came. */
  readonly received: number
  /** Number of the connection in use; `undefined` without one. */
  readonly generation: number | undefined
}

/** A stream without React. */
export interface Stream {
  snapshot(): StreamSnapshot
  /** Calls back when the snapshot has changed. Returns its undo. */
  watch(listener: () => void): () => void
  subscribe(listener: MessageListener): () => void
  send(data: SendData): SendResult
  /** For what happens around the stream. */
  step(input: StreamInput): void
  stats(): StreamStats
}
