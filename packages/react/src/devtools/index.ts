export { VoicePanel } from './VoicePanel.js'
export type { VoicePanelProps } from './VoicePanel.js'
