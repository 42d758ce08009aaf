import type { LiveToken } from '../../token/TokenSource.js'
import type { VoiceError } from '../../VoiceError.js'

/** What an application sees. A stream that is rolling over is `open`. */
export type StreamStatus = 'idle' | 'connecting' | 'open' | 'reconnecting' | 'closed' | 'failed'

/**
 * A socket that is not ready yet: its handshake runs, or it is open and the server has not said that it is
 * ready.
 */
export interface Handshake {
  readonly step: 'opening' | 'setup'
  readonly generation: number
  readonly token: LiveToken
  readonly giveUpAt: number
}

/**
 * One try to get a connection, from asking for a token to ready. `generation` counts up and is never used
 * twice; what comes late with another generation is dropped.
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

/** The connection that carries the stream. */
export interface Connection {
  readonly generation: number
  readonly token: LiveToken
  /** From this time on the failures before it do not count. */
  readonly stableAt: number
}

/** Failures and refusals since the last stable connection. */
export interface RetryState {
  readonly failures: number
  /** Handshakes refused without a reason. */
  readonly refusals: number
  /** The service has said `unauthorized`, so a fresh token was tried. */
  readonly isUnauthorized?: boolean | undefined
  /** Generation of the token that was refused last: no handshake is tried with it again. */
  readonly refusedGeneration?: number | undefined
  /** What the BFF found when it tried the handshake itself: it is asked once. */
  readonly diagnosis?: VoiceError | undefined
}

export const NO_RETRIES: RetryState = { failures: 0, refusals: 0 }

export type StreamState =
  | { readonly status: 'idle' }
  | { readonly status: 'connecting'; readonly attempt: Attempt }
  | {
      readonly status: 'open'
      readonly connection: Connection
      readonly retries: RetryState
      /** The connection before, after a rollover: its messages are still read, nothing is sent to it. */
      readonly draining?: { readonly generation: number; readonly until: number } | undefined
      /**
       * The next session was refused: from `at` on the connection is replaced, first at a safe moment, then
       * in any case.
       */
      readonly retire?: { readonly seeking: boolean; readonly at: number } | undefined
    }
  | {
      readonly status: 'rolling over'
      readonly connection: Connection
      readonly retries: RetryState
      readonly standby: Handshake | Standby
    }
  | {
      readonly status: 'reconnecting'
      readonly retries: RetryState
      /** Why the last connection ended, or was not made. */
      readonly error: VoiceError
      readonly next:
        | Attempt
        | { readonly step: 'backoff'; readonly since: number; readonly until: number }
        /** The BFF tries the handshake, because a browser does not see why one is refused. */
        | { readonly step: 'checking'; readonly generation: number; readonly token: LiveToken }
    }
  | { readonly status: 'closed' }
  /** `refusedGeneration` as in `RetryState`: a stream that is opened again does not use that token. */
  | {
      readonly status: 'failed'
      readonly error: VoiceError
      readonly refusedGeneration?: number | undefined
    }
  /** Its user has left: nothing follows, whatever happens. With an error, the BFF found another user. */
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

/** The connection that sends go to, if there is one. */
export function connectionOf(state: StreamState): Connection | undefined {
  return 'connection' in state ? state.connection : undefined
}

/** The retry state, reset once its connection was stable. */
export function retriesOf(state: StreamState, now: number): RetryState {
  if (!('retries' in state)) return NO_RETRIES
  return 'connection' in state && now >= state.connection.stableAt
    ? resetRetries(state.retries)
    : state.retries
}

/** The retry state after a stable connection. A token that was refused stays refused. */
function resetRetries({ refusedGeneration }: RetryState): RetryState {
  return { ...NO_RETRIES, refusedGeneration }
}

/** True while the stream wants a connection. */
export function isActive(state: StreamState): boolean {
  return !['idle', 'closed', 'failed', 'ended'].includes(state.status)
}

/** When time alone will change the state; `Infinity` if it never does. */
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
        state.retries.failures + state.retries.refusals === 0 ? Infinity : state.connection.stableAt,
        state.draining?.until ?? Infinity,
        state.retire?.at ?? Infinity,
      )
    default:
      return Infinity
  }
}

/** The generations of all sockets that a state names. */
export function socketsOf(state: StreamState): (number | undefined)[] {
  const attempt = attemptOf(state)
  return [
    attempt?.step === 'minting' ? undefined : attempt?.generation,
    connectionOf(state)?.generation,
    state.status === 'rolling over' ? state.standby.generation : undefined,
    state.status === 'open' ? state.draining?.generation : undefined,
  ]
}
