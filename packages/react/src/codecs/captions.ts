import type { Codec } from '../stream/Codec.js'

/** A message of the emulator's `/stt`: what was said, as far as it is known. */
export interface CaptionMessage {
  readonly text: string
  /** False: a later message with the same `utterance_id` replaces this text. */
  readonly final: boolean
  readonly utterance_id?: string | number | undefined
  /** When the words begin, in seconds from the first sound of this connection. */
  readonly start?: number | undefined
  /** How long the words are, in seconds. */
  readonly duration?: number | undefined
}

/**
 * A codec for the emulator's `/stt`. It knows what is final, so a session with it loses no word when a
 * connection is lost (docs/streams.md, "No word is lost"). The emulator defines these messages itself.
 * (Assumptions: "Frames".) If your service has other messages, write a codec that returns the same ones:
 * nothing else changes.
 *
 * @example
 * const codec = captions() // outside of the component
 * const session = useVoiceSession('stt', { codec })
 * const { segments } = useTranscript(session.stream, { select: selectText })
 */
export function captions(): Codec<never, CaptionMessage> {
  return {
    isFinal: (data) => readCaption(data)?.final,
    finalUntilMs(data) {
      const { final, start, duration } = readCaption(data) ?? {}
      return final && start !== undefined && duration !== undefined ? (start + duration) * 1_000 : undefined
    },
    // Never called: only bytes are sent, and bytes bypass `encode`.
    encode: (nothing) => nothing,
    decode(data) {
      const caption = readCaption(data)
      return caption ? [caption] : []
    },
  }
}

/** Reads a message, or its JSON. `undefined` if it has no text. A text without `final` is final. */
export function readCaption(message: unknown): CaptionMessage | undefined {
  const { text, final, start, duration, utterance_id: id } = fieldsOf(message)
  if (typeof text !== 'string') return undefined
  return {
    text,
    final: final !== false,
    ...((typeof id === 'string' || typeof id === 'number') && { utterance_id: id }),
    ...(typeof start === 'number' && { start }),
    ...(typeof duration === 'number' && { duration }),
  }
}

function fieldsOf(message: unknown): Readonly<Record<string, unknown>> {
  if (typeof message !== 'string') return Object(message) as Readonly<Record<string, unknown>>
  try {
    return Object(JSON.parse(message)) as Readonly<Record<string, unknown>>
  } catch {
    return {}
  }
}
