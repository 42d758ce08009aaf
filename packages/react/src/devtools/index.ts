/**
 * A panel that shows tokens, streams and events during development.
 *
 * @module @stagepass/react/devtools
 */
export { recordVoice, type RecordVoiceOptions, type VoiceRecording } from './recordVoice.js'
export { VoicePanel, type VoicePanelProps } from './VoicePanel.js'
