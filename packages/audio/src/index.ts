/**
 * Microphone and loudspeaker for speech in the browser, without React.
 *
 * @module @stagepass/audio
 */
export { AudioError, type AudioErrorCode } from './sound/AudioError.js'
export {
  createMicrophone,
  type Microphone,
  type MicrophoneGap,
  type MicrophoneState,
} from './microphone/createMicrophone.js'
export type { MicrophoneOptions } from './microphone/microphoneOptions.js'
export { watchDevices } from './microphone/microphones.js'
export {
  type MicrophonePermission,
  watchMicrophonePermission,
} from './microphone/watchMicrophonePermission.js'
export { createPlayback, type Playback, type PlaybackStatus } from './playback/createPlayback.js'
export type { PlaybackCounters, PlaybackOptions } from './playback/PlaybackOptions.js'
export { type AudioDevice, listDevices } from './sound/devices.js'
export { pacedFrames, type PacedFramesOptions } from './sound/pacedFrames.js'
export { FRAME_MS, SAMPLE_RATE } from './sound/pcm.js'
export {
  createSpeechGate,
  type SpeechGate,
  type SpeechGateOptions,
  speechTimes,
} from './speech/createSpeechGate.js'
