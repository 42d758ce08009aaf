import type { Microphone, MicrophoneState, Playback } from '@stagepass/audio'
import type { StreamStatus } from '../../stream/machine/state.js'
import type { HeardSession } from '../silence/createEar.js'
import type { VoiceSessionStatus } from './state.js'

/** The parts of a session, and its options, as they were last rendered. */
export interface SessionParts extends HeardSession {
  readonly status: VoiceSessionStatus
  readonly stream: {
    readonly status: StreamStatus
    readonly send: (frame: ArrayBuffer) => unknown
    readonly open: () => void
    readonly close: () => void
    readonly finish: (options?: { timeoutMs?: number | undefined }) => Promise<void>
  }
  readonly microphone: Pick<Microphone, 'start' | 'stop'> & Pick<MicrophoneState, 'status' | 'suspended'>
  readonly playback: Pick<Playback, 'unlock' | 'interrupt' | 'level'>
}
