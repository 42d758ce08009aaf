/**
 * Codecs: they turn the messages of a stream into typed objects, and back.
 *
 * @module @stagepass/react/codecs
 */
export type { TranslationConfig } from '@stagepass/contract'
export type { Codec } from '../stream/Codec.js'
export { type CaptionMessage, captions } from './captions.js'
export { InvalidMessage } from './InvalidMessage.js'
export { json } from './json.js'
export { speech, type SpeechCommand, type SpeechMessage } from './speech.js'
export type { SchemaIssue, StandardSchema } from './StandardSchema.js'
export {
  type TranscriptMessage,
  type TranslateMessage,
  type TranslationErrorMessage,
  type TranslationMessage,
  voiceTranslation,
} from './voiceTranslation.js'
