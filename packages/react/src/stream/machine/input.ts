import type { Refusal, Seen } from '@stagepass/contract'
import type { SuspendReason } from '../../platform/platform.js'
import type { LiveToken } from '../../token/TokenSource.js'
import type { VoiceError } from '../../errors/VoiceError.js'
import type { QueuePlace } from './state.js'

/** Inputs of a stream whose BFF shares the sessions of the account. */
export type LeaseInput =
  /** All sessions are in use: the request for a token waits, at this place. Again when the place changes. */
  | { type: 'queued'; generation: number; queue: QueuePlace | null }
  /** The BFF has ended the session. */
  | { type: 'session ended'; error: VoiceError }

/**
 * Inputs of the state machine. `generation` is the number of the attempt or connection that the input is
 * about.
 */
export type StreamInput =
  | LeaseInput
  /** A consumer needs the stream. */
  | { type: 'open' }
  /** The application ended it. */
  | { type: 'close' }
  /** No consumer needs it any longer. */
  | { type: 'release' }
  /** The identity has ended. `error`: the BFF ended it. */
  | { type: 'end'; error: VoiceError | null }
  | { type: 'minted'; generation: number; token: LiveToken }
  | { type: 'mint failed'; generation: number; error: VoiceError }
  | { type: 'opened'; generation: number }
  | { type: 'ready'; generation: number }
  /**
   * A connection ended. `refusal` is the reason that the server gave in a close or an error message, if it
   * gave one. `closeCode` is set if the socket was closed. `isEnd`: `shouldReconnect` has returned false.
   * `by`: the stream itself found that the connection is dead.
   */
  | {
      type: 'lost'
      generation: number
      refusal?: Refusal | undefined
      seen?: string | undefined
      closeCode?: number | undefined
      closeReason?: string | undefined
      isEnd?: boolean | undefined
      by?: 'stall' | 'silence' | undefined
    }
  /** The browser does not let the page have this connection. */
  | { type: 'blocked'; generation: number; by: 'policy' | 'browser'; seen: Seen | undefined }
  /** The BFF tried the handshake. Without an error the service accepted it. */
  | { type: 'checked'; generation: number; error?: VoiceError | undefined }
  /** The BFF could not try the handshake. */
  | { type: 'check failed'; generation: number; error: VoiceError }
  /** The token source has another token. */
  | { type: 'renewed'; token: LiveToken }
  /** A connection or attempt was begun with another configuration than the codec has now. */
  | { type: 'outdated' }
  /**
   * The connection has not answered speech for too long. `token` is for another one that is tried, which
   * has `limitMs` to answer.
   */
  | { type: 'unanswered'; generation: number; token: LiveToken | undefined; limitMs: number }
  /** A connection that was doubted, or the one that is tried, has sent a message. */
  | { type: 'answered'; generation: number }
  /** A switch now would cut off no speech. */
  | { type: 'safe' }
  /** The time of `dueAt` is reached. */
  | { type: 'time' }
  /**
   * The page may have been away. `urgent`: it certainly was. `slept`: the machine was asleep. `isBack`: the
   * page or the application is in front now. `unheard`: the browser said that it was offline, and since then
   * the server has sent nothing on this connection or attempt.
   */
  | {
      type: 'wake'
      urgent: boolean
      slept: boolean
      isBack?: boolean | undefined
      unheard?: number | undefined
    }
  /**
   * The page is about to be frozen or left, or the application of a phone has been in the background for some
   * time.
   */
  | { type: 'suspend'; reason?: SuspendReason | undefined }
