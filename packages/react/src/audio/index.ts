/**
 * Hooks for microphone, loudspeaker, conversations and push-to-talk.
 *
 * @module @stagepass/react/audio
 */
export type { AudioError, AudioErrorCode } from '@stagepass/audio'
export { useMicrophone, type UseMicrophoneOptions, type UseMicrophoneResult } from './useMicrophone.js'
export { useMicrophones, useSpeakers } from './useDevices.js'
export { useMicrophonePermission } from './useMicrophonePermission.js'
export { usePlayback, type UsePlaybackResult } from './usePlayback.js'
export { type PushToTalkProps, usePushToTalk, type UsePushToTalkOptions } from './usePushToTalk.js'
export type { RecoveredRecording } from './recovery/RecoveredRecording.js'
export { useRecovery, type UseRecoveryResult } from './recovery/useRecovery.js'
export type { VoiceSessionStatus } from './session/state.js'
export type { SilenceOptions, SilenceState } from './silence/SilenceOptions.js'
export {
  useVoiceSession,
  type UseVoiceSessionOptions,
  type UseVoiceSessionResult,
} from './useVoiceSession.js'
