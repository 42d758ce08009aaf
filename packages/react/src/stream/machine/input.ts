import type { Refusal } from '@stagepass/contract'
import type { VoiceError } from '../../VoiceError.js'
import type { LiveToken } from '../../token/TokenSource.js'

/** What happens to a stream. `id` is the generation of the connection that it happened to. */
export type StreamInput =
  /** Somebody wants the stream. */
  | { type: 'open' }
  /** The application ended it. */
  | { type: 'close' }
  /** Nobody wants it any more. */
  | { type: 'release' }
  | { type: 'minted'; id: number; token: LiveToken }
  | { type: 'mint failed'; id: number; error: VoiceError }
  | { type: 'opened'; id: number }
  | { type: 'ready'; id: number }
  /** A connection ended. `refusal` is what the server gave as the reason in a close or an error frame, if it gave one. */
  | { type: 'lost'; id: number; refusal?: Refusal | undefined }
  /** The BFF tried the handshake. Without an error it was let in. */
  | { type: 'checked'; id: number; error?: VoiceError | undefined }
  /** The BFF could not try it. */
  | { type: 'check failed'; id: number; error: VoiceError }
  /** The token source has another token. */
  | { type: 'renewed'; token: LiveToken }
  /** A switch would tear nothing just now. */
  | { type: 'safe' }
  /** `dueAt` has come. */
  | { type: 'time' }
  /** The page may have been away, `urgent` where it surely was. `slept` where the machine was. */
  | { type: 'wake'; urgent: boolean; slept: boolean }
  /** The network is gone, or the page is about to be frozen. */
  | { type: 'suspend' }
