import type { TranslationConfig, TranslationFrame } from '@stagepass/contract'
import { concatBytes } from '../platform/bytes.js'
import { createSpeechDetector } from '../speech/createSpeechDetector.js'
import { BLOCK_BYTES, BYTES_PER_SAMPLE, SAMPLE_RATE } from '../speech/pcm.js'
import type { ProductStream, StreamContext } from './ProductStream.js'
import { synthesizeSpeech } from '../speech/synthesizeSpeech.js'
import { translateUtterance } from './translateUtterance.js'

/** Ten seconds. */
const MAX_VOICE_BYTES = 10 * SAMPLE_RATE * BYTES_PER_SAMPLE

/**
 * A client that has finished only stops sending. After this time the current utterance ends. It is long,
 * because a busy page may pause for a second.
 */
const END_OF_AUDIO_MS = 2_000

/**
 * Opus is not decoded. Each message counts as 20 ms of loud speech, and PCM is sent back, as public clients
 * expect.
 */
const LOUD_BLOCK = Uint8Array.from({ length: BLOCK_BYTES }, (_, at) => (at % 2 === 0 ? 0x00 : 0x20))

export interface TranslatorOptions extends StreamContext {
  readonly send: (frame: TranslationFrame) => void
  readonly sendAudio: (pcm: Uint8Array) => void
}

/**
 * A configured `/vt` stream. It receives speech, and sends transcripts, translations and the voice of the
 * translation.
 */
export function createTranslator(
  config: TranslationConfig,
  { send, sendAudio, now, after }: TranslatorOptions,
): ProductStream {
  const {
    interim = config.transcript === undefined,
    final = true,
    translate = true,
  } = config.transcript ?? {}
  const reference = config.metadata?.reference_id
  const common = reference === undefined ? {} : { reference_id: reference }
  let startedAtMs: number | undefined
  let cancelEnd: (() => void) | undefined
  /**
   * The part of the translation's voice that is not sent yet. Each audio message is answered with one of the
   * same length.
   */
  let voice: Uint8Array = new Uint8Array(0)

  const detector = createSpeechDetector((utterance) => {
    const ids = { utterance_id: `u${utterance.index + 1}`, ...common }
    const { heard, translated } = translateUtterance(utterance, config)
    const wanted = utterance.final ? final : interim
    const transcript = {
      text: heard,
      final: utterance.final,
      start: isoTime((startedAtMs ?? 0) + utterance.start * 1_000),
      duration: Math.round(utterance.duration * 1_000),
      ...ids,
    }
    if (!utterance.final) {
      if (wanted) send({ transcript })
      return
    }
    const translation = { text: translated, final: true, ...ids }
    // The service may put both into one message. Every second utterance does so here, because a client must
    // read both forms.
    if (wanted && translate && utterance.index % 2 === 1) send({ transcript, translate: translation })
    else {
      if (wanted) send({ transcript })
      if (translate) send({ translate: translation })
    }
    const audio = synthesizeSpeech(translated, config.voice).map((word) => word.audio)
    // The translation may be longer than the speech. Its delay must not grow without limit.
    voice = concatBytes([voice, ...audio]).subarray(-MAX_VOICE_BYTES)
  })

  return {
    onText: () => undefined,
    onBinary(bytes) {
      startedAtMs ??= now()
      const audio = config.audio?.format === 'opus' ? LOUD_BLOCK : bytes
      detector.push(audio)
      const out = new Uint8Array(audio.length)
      out.set(voice.subarray(0, out.length))
      voice = voice.subarray(audio.length)
      sendAudio(out)
      cancelEnd?.()
      cancelEnd = after(END_OF_AUDIO_MS, () => detector.finish())
    },
  }
}

/** UTC with an offset, as in the public frames. */
function isoTime(ms: number): string {
  return new Date(ms).toISOString().replace('Z', '+00:00')
}
