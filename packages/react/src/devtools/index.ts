export { VoicePanel, type VoicePanelProps } from './VoicePanel.js'
