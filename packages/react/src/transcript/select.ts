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
 * `json` or without a codec. Its times count from the start of the connection. Reads `{ text, final?, start?,
 * duration?, utterance_id? }`; a text without `final` is final; `start` and `duration` are seconds. Other
 * messages are ignored.
 */
export function selectText(message: unknown): TranscriptText | undefined {
  const { text, final, start, duration, utterance_id: id } = fieldsOf(message)
  if (typeof text !== 'string') return undefined
  return {
    text,
    final: final !== false,
    ...((typeof id === 'string' || typeof id === 'number') && { id }),
    ...times(inMs(start), inMs(duration)),
  }
}

const inMs = (seconds: unknown): number => (typeof seconds === 'number' ? seconds * 1_000 : Number.NaN)

/** Leaves out a time that is not a number. */
function times(startMs: number, durationMs = Number.NaN): Pick<TranscriptText, 'startMs' | 'endMs'> {
  if (!Number.isFinite(startMs)) return {}
  const endMs = startMs + durationMs
  return Number.isFinite(endMs) ? { startMs, endMs } : { startMs }
}

function fieldsOf(message: unknown): Readonly<Record<string, unknown>> {
  if (typeof message !== 'string') return Object(message) as Readonly<Record<string, unknown>>
  try {
    return Object(JSON.parse(message)) as Readonly<Record<string, unknown>>
  } catch {
    return {}
  }
}
