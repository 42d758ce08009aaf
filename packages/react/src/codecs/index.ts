export type { TranslationConfig } from '@stagepass/contract'
export type { Codec } from '../stream/Codec.js'
export { json } from './json.js'
export {
  type TranscriptMessage,
  type TranslateMessage,
  type TranslationErrorMessage,
  type TranslationMessage,
  voiceTranslation,
} from './voiceTranslation.js'
