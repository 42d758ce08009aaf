import type { LiveToken } from '../../token/TokenSource.js'
import type { VoiceError } from '../../errors/VoiceError.js'

/** The status that an application sees. A stream that is rolling over is `open`. */
export type StreamStatus = 'idle' | 'connecting' | 'queued' | 'open' | 'reconnecting' | 'closed' | 'failed'

/** A place in the queue for a session of the account, from 1, and the number of requests in the queue. */
export interface QueuePlace {
  readonly place: number
  readonly of: number
}

/**
 * A socket that is not ready: its handshake runs, or it is open and the server has not yet said that it is
 * ready.
 */
export interface Handshake {
  readonly step: 'opening' | 'setup'
  readonly generation: number
  readonly token: LiveToken
  readonly giveUpAt: number
}

/**
 * One attempt to get a connection, from the token request until it is ready. `generation` counts up and is
 * never used twice; a late input with an older generation is ignored.
 */
export type Attempt =
  | Handshake
  /** Waits for a token other than the one that was refused. */
  | { readonly step: 'minting'; readonly generation: number; readonly refusedGeneration?: number | undefined }

/** The next connection: ready, not yet in use. */
export interface Standby {
  readonly step: 'ready'
  readonly generation: number
  readonly token: LiveToken
  readonly readyAt: number
  readonly switchBy: number
}

/**
 * A connection has not answered, so the standby gets the same sound. The first of the two that sends a message
 * stays. If none does for `limitMs`, `open` is the state again.
 */
export interface Trial {
  readonly open: StateOf<'open'>
  readonly limitMs: number
}

/** The connection that carries the stream. */
export interface Connection {
  readonly generation: number
  readonly token: LiveToken
  /** From this time on earlier failures do not count. */
  readonly stableAt: number
}

/** Failures and refusals since the last stable connection. */
export interface RetryState {
  readonly failures: number
  /** Failures while the browser said that it is offline. They lengthen the wait, but never end the stream. */
  readonly offlineFailures?: number | undefined
  /** Handshakes that were refused without a reason. */
  readonly refusals: number
  /** The service has said `unauthorized`, so a fresh token was tried. */
  readonly isUnauthorized?: boolean | undefined
  /** Generation of the token that was refused last. No handshake uses it again. */
  readonly refusedGeneration?: number | undefined
  /** The error that the BFF found when it tried the handshake. The BFF tries once for each connection. */
  readonly diagnosis?: VoiceError | undefined
  /**
   * What the last check said: the diagnosis, or why the BFF could not try. It is the reason of every further
   * refusal without a reason, until a connection is open.
   */
  readonly checkError?: VoiceError | undefined
  /** When the last attempt began that `open` asked for after a failure. Another one within a second waits. */
  readonly openedAt?: number | undefined
}

export const NO_RETRIES: RetryState = { failures: 0, refusals: 0 }

export type StreamState =
  | { readonly status: 'idle' }
  | {
      readonly status: 'connecting'
      readonly attempt: Attempt
      readonly retries: RetryState
      /** The request for a token waits in the queue, null: at an unknown place. */
      readonly queue?: QueuePlace | null | undefined
    }
  | {
      readonly status: 'open'
      readonly connection: Connection
      readonly retries: RetryState
      /** The old connection after a rollover: its messages are still read, nothing is sent on it. */
      readonly draining?: { readonly generation: number; readonly until: number } | undefined
      /**
       * A second session was refused. At `at` the stream begins to wait for a safe moment (`seeking`) to
       * replace the connection. At the next `at` it replaces the connection in any case.
       */
      readonly retire?: { readonly seeking: boolean; readonly at: number } | undefined
      /** A second session was refused while this connection was doubted. */
      readonly isAlone?: boolean | undefined
    }
  | {
      readonly status: 'rolling over'
      readonly connection: Connection
      readonly retries: RetryState
      readonly standby: Handshake | Standby
      /** Set if the connection is doubted. */
      readonly trial?: Trial | undefined
    }
  | {
      readonly status: 'reconnecting'
      readonly retries: RetryState
      /** Why the last connection ended or could not be made. */
      readonly error: VoiceError
      readonly next:
        | Attempt
        /** `until` is `Infinity` while the application of a phone is in the background. */
        | { readonly step: 'backoff'; readonly since: number; readonly until: number }
        /** The BFF tries the handshake, because a browser does not see the reason of a refusal. */
        | { readonly step: 'checking'; readonly generation: number; readonly token: LiveToken }
    }
  | { readonly status: 'closed' }
  /** `retries` has only what a stream that is opened again needs. */
  | { readonly status: 'failed'; readonly error: VoiceError; readonly retries: RetryState }
  /** Its user has changed: no input has an effect. `error` is set if the BFF found the other user. */
  | { readonly status: 'ended'; readonly error: VoiceError | null }

/** A state of that status. */
export type StateOf<TStatus extends StreamState['status']> = Extract<StreamState, { status: TStatus }>

/** The current attempt, if there is one. */
export function attemptOf(state: StreamState): Attempt | undefined {
  switch (state.status) {
    case 'connecting':
      return state.attempt
    case 'rolling over':
      return state.standby.step === 'ready' ? undefined : state.standby
    case 'reconnecting':
      return state.next.step === 'backoff' || state.next.step === 'checking' ? undefined : state.next
    default:
      return undefined
  }
}

/** The connection on which data is sent, if there is one. */
export function connectionOf(state: StreamState): Connection | undefined {
  return 'connection' in state ? state.connection : undefined
}

/** The retry state. It is reset when its connection has been stable. */
export function retriesOf(state: StreamState, now: number): RetryState {
  if (!('retries' in state)) return NO_RETRIES
  return 'connection' in state && now >= state.connection.stableAt
    ? resetRetries(state.retries)
    : state.retries
}

/** The retry state after a stable connection. A refused token is still not used again. */
function resetRetries({ refusedGeneration }: RetryState): RetryState {
  return { ...NO_RETRIES, refusedGeneration }
}

function isUntroubled({ failures, offlineFailures = 0, refusals }: RetryState): boolean {
  return failures + offlineFailures + refusals === 0
}

/** True while the stream needs a connection. */
export function isActive(state: StreamState): boolean {
  return !['idle', 'closed', 'failed', 'ended'].includes(state.status)
}

/** The time at which the state changes without another input; `Infinity` if it does not. */
export function dueAt(state: StreamState): number {
  const attempt = attemptOf(state)
  if (attempt) return attempt.step === 'minting' ? Infinity : attempt.giveUpAt
  switch (state.status) {
    case 'rolling over':
      return state.standby.step === 'ready' ? state.standby.switchBy : Infinity
    case 'reconnecting':
      return state.next.step === 'backoff' ? state.next.until : Infinity
    case 'open':
      return Math.min(
        isUntroubled(state.retries) ? Infinity : state.connection.stableAt,
        state.draining?.until ?? Infinity,
        state.retire?.at ?? Infinity,
      )
    default:
      return Infinity
  }
}

/** The generation of a standby that gets the same sound as the connection, to see if it answers. */
export function triedOf(state: StreamState): number | undefined {
  const isTried = state.status === 'rolling over' && state.trial && state.standby.step === 'ready'
  return isTried ? state.standby.generation : undefined
}

/** True if the connection has left speech without an answer. */
export const isDoubted = (state: StreamState): boolean =>
  (state.status === 'rolling over' && state.trial !== undefined) ||
  (state.status === 'open' && state.isAlone === true)

/** The generations of all sockets that a state needs. */
export function socketsOf(state: StreamState): (number | undefined)[] {
  const attempt = attemptOf(state)
  return [
    attempt?.step === 'minting' ? undefined : attempt?.generation,
    connectionOf(state)?.generation,
    state.status === 'rolling over' ? state.standby.generation : undefined,
    state.status === 'open' ? state.draining?.generation : undefined,
  ]
}
