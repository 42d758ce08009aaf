export { AudioError, type AudioErrorCode } from './sound/AudioError.js'
export {
  createMicrophone,
  type Microphone,
  type MicrophoneGap,
  type MicrophoneState,
} from './microphone/createMicrophone.js'
export { createPlayback, type Playback, type PlaybackStatus } from './playback/createPlayback.js'
export type { MicrophoneOptions } from './microphone/microphoneOptions.js'
export { type AudioDevice, listDevices } from './sound/devices.js'
export { pacedFrames, type PacedFramesOptions } from './sound/pacedFrames.js'
export { FRAME_MS } from './sound/pcm.js'
export type { PlaybackCounters, PlaybackOptions } from './playback/PlaybackOptions.js'
export { useMicrophone, type UseMicrophoneOptions, type UseMicrophoneResult } from './useMicrophone.js'
export { useMicrophones, useSpeakers } from './useDevices.js'
export { usePlayback, type UsePlaybackResult } from './usePlayback.js'
export { type PushToTalkProps, usePushToTalk, type UsePushToTalkOptions } from './usePushToTalk.js'
export {
  useVoiceSession,
  type UseVoiceSessionOptions,
  type UseVoiceSessionResult,
  type VoiceSessionStatus,
} from './useVoiceSession.js'
