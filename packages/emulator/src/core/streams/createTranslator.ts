import type { TranslationConfig, TranslationFrame } from '@stagepass/contract'
import { createHearing } from '../speech/createHearing.js'
import { BLOCK_BYTES, BYTES_PER_SAMPLE, SAMPLE_RATE } from '../speech/pcm.js'
import { spokenPart } from '../speech/phrases.js'
import type { Stream, StreamContext } from './Stream.js'
import { synthesizeSpeech } from '../speech/synthesizeSpeech.js'
import { translateUtterance } from './translateUtterance.js'

/** Ten seconds. */
const MAX_VOICE_BYTES = 10 * SAMPLE_RATE * BYTES_PER_SAMPLE

/** A client that has finished just stops sending; after so long the utterance under way is over. */
const END_OF_AUDIO_MS = 700

/** Opus is not decoded: each frame counts as 20 ms of loud speech, and PCM comes back, as public clients expect. */
const LOUD_BLOCK = Buffer.alloc(BLOCK_BYTES, Buffer.from([0x00, 0x20]))

export interface TranslatorOptions extends StreamContext {
  readonly send: (frame: TranslationFrame) => void
  readonly sendAudio: (pcm: Buffer) => void
}

/** A configured `/vt` stream: speech in; transcripts, translations and the translation's voice out. */
export function createTranslator(
  config: TranslationConfig,
  { send, sendAudio, now, after }: TranslatorOptions,
): Stream {
  const {
    interim = config.transcript === undefined,
    final = true,
    translate = true,
  } = config.transcript ?? {}
  const reference = config.metadata?.reference_id
  const common = reference === undefined ? {} : { reference_id: reference }
  let startedAtMs: number | undefined
  let cancelEnd: (() => void) | undefined
  /** The translation's voice, played out as fast as the speaker's comes in: a frame for a frame. */
  let voice: Buffer = Buffer.alloc(0)

  const hearing = createHearing((utterance) => {
    const ids = { utterance_id: `u${utterance.index + 1}`, ...common }
    const { heard, translated } = translateUtterance(utterance.index, config)
    const wanted = utterance.final ? final : interim
    const transcript = {
      text: ended(spokenPart(heard, utterance.share), utterance.final),
      final: utterance.final,
      start: isoTime((startedAtMs ?? 0) + utterance.start * 1_000),
      duration: Math.round(utterance.duration * 1_000),
      ...ids,
    }
    if (!utterance.final) {
      if (wanted) send({ transcript })
      return
    }
    const spoken = ended(spokenPart(translated, utterance.share), true)
    const translation = { text: spoken, final: true, ...ids }
    // The service may put both into one frame. So does every second utterance here, for a client must read both ways.
    if (wanted && translate && utterance.index % 2 === 1) send({ transcript, translate: translation })
    else {
      if (wanted) send({ transcript })
      if (translate) send({ translate: translation })
    }
    const audio = synthesizeSpeech(spoken, config.voice).map((word) => word.audio)
    // The translation may be longer than what was said; it must not fall behind for ever.
    voice = Buffer.concat([voice, ...audio]).subarray(-MAX_VOICE_BYTES)
  })

  return {
    onText: () => undefined,
    onBinary(bytes) {
      startedAtMs ??= now()
      const audio = config.audio?.format === 'opus' ? LOUD_BLOCK : bytes
      hearing.hear(audio)
      const out = Buffer.alloc(audio.length)
      voice.copy(out)
      voice = voice.subarray(audio.length)
      sendAudio(out)
      cancelEnd?.()
      cancelEnd = after(END_OF_AUDIO_MS, () => hearing.finish())
    },
  }
}

function ended(text: string, final: boolean): string {
  return final ? `${text}.` : text
}

/** As the public frames spell it: UTC with an offset. */
function isoTime(ms: number): string {
  return new Date(ms).toISOString().replace('Z', '+00:00')
}
