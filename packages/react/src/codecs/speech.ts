import type { Codec } from '../stream/Codec.js'
import { json } from './json.js'

/** A text to be spoken. */
export interface SpeechCommand {
  readonly text: string
  readonly voice?: 'female' | 'male' | undefined
}

/** A message of the emulator's `/tts`. Each text has its own `id`. */
export type SpeechMessage =
  | { readonly type: 'start'; readonly id: string; readonly text: string }
  /** The sound of this word follows. */
  | { readonly type: 'word'; readonly id: string; readonly word: string }
  /** PCM16, 16 kHz, mono: for `playback.play`. */
  | { readonly type: 'audio'; readonly pcm: ArrayBuffer }
  /** The text is complete. */
  | { readonly type: 'end'; readonly id: string }
  /** A text was refused. */
  | { readonly type: 'error'; readonly message: string }

/**
 * A codec for the emulator's `/tts`. The emulator defines these messages itself. (Assumptions: "Frames".) If
 * your service has other messages, write a codec that returns the same ones: nothing else changes.
 *
 * @example
 * const codec = speech() // outside of the component
 * const stream = useStream('tts', { codec, onMessage })
 * stream.send({ text: 'Good morning.' })
 */
export function speech(): Codec<SpeechCommand, SpeechMessage> {
  const { encode, decode } = json<SpeechCommand, unknown>()
  return {
    encode,
    decode: (data) =>
      decode(data).flatMap((message) =>
        message instanceof ArrayBuffer ? [{ type: 'audio', pcm: message }] : read(message),
      ),
  }
}

/** Unknown messages are ignored, because a service may add new ones. */
function read(frame: unknown): SpeechMessage[] {
  const { type, id, text, word, message } = Object(frame) as Readonly<Record<string, unknown>>
  switch (type) {
    case 'start':
      return [{ type, id: asText(id), text: asText(text) }]
    case 'mark':
      return [{ type: 'word', id: asText(id), word: asText(word) }]
    case 'end':
      return [{ type, id: asText(id) }]
    case 'error':
      return [{ type, message: asText(message) }]
    default:
      return []
  }
}

const asText = (value: unknown): string => (typeof value === 'string' ? value : '')
