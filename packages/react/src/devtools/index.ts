/**
 * A panel that shows tokens, streams and events during development.
 *
 * @module @stagepass/react/devtools
 */
export { VoicePanel, type VoicePanelProps } from './VoicePanel.js'
