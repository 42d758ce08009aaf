import type { LiveToken } from '../../token/TokenSource.js'
import type { VoiceError } from '../../VoiceError.js'

/** What an application sees. A stream that is rolling over is `open`. */
export type StreamStatus = 'idle' | 'connecting' | 'open' | 'reconnecting' | 'closed' | 'failed'

/** A socket that is not complete yet: its handshake runs, or it is open and the server has yet to say that it is ready. */
export interface Opening {
  readonly step: 'opening' | 'greeting'
  readonly id: number
  readonly token: LiveToken
  readonly giveUpAt: number
}

/**
 * One try at a connection. `id` is its generation: it counts up, is never used twice, and whatever comes late with another one is dropped.
 */
export type Trial =
  | Opening
  /** Waits for a token; `not` is the generation of the one that was refused. */
  | { readonly step: 'minting'; readonly id: number; readonly not?: number | undefined }

/** The next connection, complete, waiting for its moment. */
export interface Standby {
  readonly step: 'ready'
  readonly id: number
  readonly token: LiveToken
  readonly readyAt: number
  readonly switchBy: number
}

/** The connection that carries the stream. */
export interface Link {
  readonly id: number
  readonly token: LiveToken
  /** From then on the failures before it are forgotten. */
  readonly stableAt: number
}

/** What lies behind since the last stable connection. */
export interface Tries {
  readonly failures: number
  /** Handshakes refused for a reason that a fresh token might mend. */
  readonly refusals: number
  /** Generation of the token that was refused last: no handshake is tried on it again. */
  readonly not?: number | undefined
  /** What the BFF found when it tried the handshake itself: it is asked once. */
  readonly diagnosis?: VoiceError | undefined
}

export const NO_TRIES: Tries = { failures: 0, refusals: 0 }

/** What is left of them when a connection was stable. A token that was refused stays refused. */
export function forgive({ not }: Tries): Tries {
  return { ...NO_TRIES, not }
}

export type StreamState =
  | { readonly status: 'idle' }
  | { readonly status: 'connecting'; readonly trial: Trial }
  | {
      readonly status: 'open'
      readonly link: Link
      readonly tries: Tries
      /** The connection before, after a rollover: still heard, no longer spoken to. */
      readonly draining?: { readonly id: number; readonly until: number } | undefined
      /** The next session was refused: from `at` on the link is replaced, first at a safe moment, then in any case. */
      readonly retire?: { readonly seeking: boolean; readonly at: number } | undefined
    }
  | {
      readonly status: 'rolling over'
      readonly link: Link
      readonly tries: Tries
      readonly standby: Opening | Standby
    }
  | {
      readonly status: 'reconnecting'
      readonly tries: Tries
      /** Why the last connection ended, or did not come about. */
      readonly error: VoiceError
      readonly next:
        | Trial
        | { readonly step: 'waiting'; readonly since: number; readonly until: number }
        /** The BFF tries the handshake, to learn what a browser is not told. */
        | { readonly step: 'checking'; readonly id: number; readonly token: LiveToken }
    }
  | { readonly status: 'closed' }
  /** `not` as in `Tries`: who opens it again does not come back with a token that was refused. */
  | { readonly status: 'failed'; readonly error: VoiceError; readonly not?: number | undefined }

/** A state of that status. */
export type StateOf<TStatus extends StreamState['status']> = Extract<StreamState, { status: TStatus }>

/** The try under way, where there is one. */
export function trialOf(state: StreamState): Trial | undefined {
  switch (state.status) {
    case 'connecting':
      return state.trial
    case 'rolling over':
      return state.standby.step === 'ready' ? undefined : state.standby
    case 'reconnecting':
      return state.next.step === 'waiting' || state.next.step === 'checking' ? undefined : state.next
    default:
      return undefined
  }
}

/** The connection that sends go to, where there is one. */
export function linkOf(state: StreamState): Link | undefined {
  return 'link' in state ? state.link : undefined
}

/** True while the stream wants a connection. */
export function isActive(state: StreamState): boolean {
  return state.status !== 'idle' && state.status !== 'closed' && state.status !== 'failed'
}

/** When time alone will change the state; `Infinity` where it does not. */
export function dueAt(state: StreamState): number {
  const trial = trialOf(state)
  if (trial) return trial.step === 'minting' ? Infinity : trial.giveUpAt
  switch (state.status) {
    case 'rolling over':
      return state.standby.step === 'ready' ? state.standby.switchBy : Infinity
    case 'reconnecting':
      return state.next.step === 'waiting' ? state.next.until : Infinity
    case 'open':
      return Math.min(
        state.tries.failures + state.tries.refusals === 0 ? Infinity : state.link.stableAt,
        state.draining?.until ?? Infinity,
        state.retire?.at ?? Infinity,
      )
    default:
      return Infinity
  }
}

/** The generations of all connections that a state names. */
export function socketsOf(state: StreamState): (number | undefined)[] {
  const trial = trialOf(state)
  return [
    trial?.step === 'minting' ? undefined : trial?.id,
    linkOf(state)?.id,
    state.status === 'rolling over' ? state.standby.id : undefined,
    state.status === 'open' ? state.draining?.id : undefined,
  ]
}
