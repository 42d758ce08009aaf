export type { TranslationConfig } from '@stagepass/contract'
export type { Codec } from '../stream/Codec.js'
export { json } from './json.js'
export type {
  TranscriptMessage,
  TranslateMessage,
  TranslationAudio,
  TranslationErrorMessage,
  TranslationMessage,
} from './voiceTranslation.js'
export { voiceTranslation } from './voiceTranslation.js'
