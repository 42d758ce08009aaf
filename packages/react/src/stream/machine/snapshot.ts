import type { VoiceError } from '../../errors/VoiceError.js'
import type { QueuePlace, StreamState } from './state.js'

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
      /**
       * All sessions of the account are in use. The stream opens when it is its turn; `close()` leaves the
       * queue.
       */
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

const failed = (error: VoiceError): StreamSnapshot => ({
  ...NONE,
  status: 'failed',
  error,
  failureReason: error,
})

/** What a page sees of a state. `retryAt`: when the next attempt starts, if the stream waits for it. */
export function snapshotOf(state: StreamState, retryAt: Date | null): StreamSnapshot {
  switch (state.status) {
    case 'ended':
      return state.error ? failed(state.error) : IDLE
    case 'failed':
      return failed(state.error)
    case 'reconnecting':
      return { ...NONE, status: 'reconnecting', failureReason: state.error, retryAt }
    case 'rolling over':
      return CALM.open
    default:
      return CALM[state.status]
  }
}

export const isSameSnapshot = (one: StreamSnapshot, other: StreamSnapshot): boolean =>
  one.status === other.status &&
  one.failureReason === other.failureReason &&
  one.retryAt === other.retryAt &&
  one.queue === other.queue
