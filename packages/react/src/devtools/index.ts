/**
 * A panel that shows tokens, streams and events during development.
 *
 * @packageDocumentation
 */
export { VoicePanel, type VoicePanelProps } from './VoicePanel.js'
