import type { MicrophoneState } from '@stagepass/audio'
import type { Client } from '../../identity/Client.js'
import type { StreamStatus } from '../../stream/machine/state.js'
import type { ShownSilence } from '../silence/followSpeech.js'
import { NOTHING_SAVED } from '../silence/SilenceOptions.js'

/**
 * `starting`: the connection or the microphone is not ready. `active`: the service hears the user. `waiting`,
 * only with the option `silence`: the microphone is on, but there is no speech, so the stream is closed and no
 * minutes count. `queued`: all sessions of the account are in use, so the user is not heard: frames of the
 * microphone are dropped, and `queue` has the place. `paused`: neither side is heard, until `resume`.
 * `recovering`: the connection or the device was lost, and is restored automatically; `failureReason` says why.
 * `stopping`: the microphone is off, and the last texts are expected. `failed`: `error` says why; `start` tries
 * again.
 */
export type VoiceSessionStatus =
  'idle' | 'starting' | 'queued' | 'active' | 'waiting' | 'paused' | 'recovering' | 'stopping' | 'failed'

/** A session. Its microphone, its stream and its playback have states of their own. */
export interface SessionState extends ShownSilence {
  /** What its user wants. */
  readonly wish: 'off' | 'on' | 'paused' | 'stopping'
  /** For whom it was started. Another user must start it again. */
  readonly client?: Client | undefined
}

export const OFF: SessionState = { wish: 'off', isWaiting: false, saved: NOTHING_SAVED }

/** True if this client has started the session, and its user is still the same. */
export const isWanted = ({ wish, client }: SessionState, current: Client): boolean =>
  wish !== 'off' && client === current && !current.signal.aborted

/** The status of a session that its user wants. */
export function statusOf(
  { wish, isWaiting }: SessionState,
  stream: StreamStatus,
  microphone: MicrophoneState['status'],
): VoiceSessionStatus {
  if (wish === 'stopping') return 'stopping'
  if (stream === 'failed' || microphone === 'failed') return 'failed'
  if (stream === 'reconnecting' || microphone === 'recovering') return 'recovering'
  if (stream === 'queued') return 'queued'
  if (microphone !== 'capturing' || !(isWaiting || stream === 'open')) return 'starting'
  if (wish === 'paused') return 'paused'
  return isWaiting ? 'waiting' : 'active'
}
