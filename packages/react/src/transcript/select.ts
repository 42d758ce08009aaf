import { readCaption } from '../codecs/captions.js'
import type { TranslationMessage } from '../codecs/voiceTranslation.js'
import type { TranscriptText } from './Segment.js'

/**
 * Selects the recognized text of `/vt`, for `useTranscript`. Its times are dates, in milliseconds since 1970.
 */
export function selectTranscript(message: TranslationMessage): TranscriptText | undefined {
  if (message.type !== 'transcript') return undefined
  const { text, final, utterance_id: id, start = '', duration } = message
  const startMs = Date.parse(start)
  return { text, final, id, ...times(startMs, duration) }
}

/** Selects the translation of `/vt`, for `useTranscript`. The service sends no times with it. */
export function selectTranslation(message: TranslationMessage): TranscriptText | undefined {
  if (message.type !== 'translate') return undefined
  const { text, final, utterance_id: id } = message
  return { text, final, id }
}

/**
 * Selects the recognized text of the emulator's `stt`, for `useTranscript`, from a stream with the codec
 * `captions` or `json`, or without a codec. Its times count from the start of the connection. Reads `{ text,
 * final?, start?, duration?, utterance_id? }`; a text without `final` is final; `start` and `duration` are
 * seconds. Other messages are ignored.
 */
export function selectText(message: unknown): TranscriptText | undefined {
  const caption = readCaption(message)
  if (!caption) return undefined
  const { text, final, start = Number.NaN, duration = Number.NaN, utterance_id: id } = caption
  return { text, final, ...(id !== undefined && { id }), ...times(start * 1_000, duration * 1_000) }
}

/** Leaves out a time that is not a number. */
function times(startMs: number, durationMs = Number.NaN): Pick<TranscriptText, 'startMs' | 'endMs'> {
  if (!Number.isFinite(startMs)) return {}
  const endMs = startMs + durationMs
  return Number.isFinite(endMs) ? { startMs, endMs } : { startMs }
}
