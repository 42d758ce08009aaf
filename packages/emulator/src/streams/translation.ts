import type { TranslationFrame } from '@stagepass/contract'
import { TranslationConfig } from '@stagepass/contract/schemas'
import type { Hearing, Utterance } from './createHearing.js'
import { createHearing } from './createHearing.js'
import { parseJson } from './parseJson.js'
import { BLOCK_BYTES, BYTES_PER_SAMPLE, SAMPLE_RATE } from './pcm.js'
import { phraseOf, spokenPart } from './phrases.js'
import type { Outlet, Stream, StreamFactory } from './Stream.js'
import { synthesizeSpeech } from './synthesizeSpeech.js'

/** Ten seconds. */
const MAX_VOICE_BYTES = 10 * SAMPLE_RATE * BYTES_PER_SAMPLE

/** Close code behind a config that was refused: "policy violation". */
const REFUSED = 1008

/**
 * Voice Translation, with the frames that public clients of a service of this shape use; the sentences, and the voice in which the
 * translation comes back, are the emulator's invention.
 *
 *     unconfigured --config--> ready --audio--> ready
 *          |
 *          anything else, or a wrong config --> error frame 400, close
 */
export const translationStream: StreamFactory = (outlet) => {
  const send = (frame: TranslationFrame): void => outlet.send(JSON.stringify(frame))
  let translator: Translator | undefined

  const refuse = (reason: string, description: string): void => {
    send({ type: 'error', code: 400, reason, description })
    outlet.close(REFUSED, reason)
  }

  return {
    onText(text) {
      // A second config, or anything that is not known, is passed over.
      if (translator) return
      const parsed = TranslationConfig.safeParse(parseJson(text)?.config)
      if (!parsed.success) {
        const [issue] = parsed.error.issues
        refuse('invalid_config', `config.${issue?.path.join('.') ?? ''}: ${issue?.message ?? 'not valid'}`)
        return
      }
      translator = createTranslator(parsed.data, send, outlet)
      send({ type: 'ready' })
    },
    onBinary(bytes) {
      if (translator) translator.onBinary(bytes)
      else refuse('config_required', 'The first frame must be {"config":{…}}.')
    },
  } satisfies Stream
}

interface Translator {
  onBinary(bytes: Buffer): void
}

function createTranslator(
  config: TranslationConfig,
  send: (frame: TranslationFrame) => void,
  outlet: Outlet,
): Translator {
  const { interim = true, final = true, translate = true } = config.transcript ?? {}
  const reference = config.metadata?.reference_id
  const common = reference === undefined ? {} : { reference_id: reference }
  /** The translation's voice, played out as fast as the speaker's comes in: a frame for a frame. */
  let voice: Buffer = Buffer.alloc(0)

  const hearing: Hearing = createHearing((utterance: Utterance) => {
    const utterance_id = `u${utterance.index + 1}`
    const heard = sentence(phraseOf(utterance.index, config.source_language), utterance)
    const translated = applyDictionary(
      sentence(phraseOf(utterance.index, config.target_language), utterance),
      config.translation_dictionary ?? [],
    )
    if (utterance.final ? final : interim) {
      const { start, duration } = utterance
      send({
        type: 'transcript',
        text: heard,
        final: utterance.final,
        start,
        duration,
        utterance_id,
        ...common,
      })
    }
    if (translate)
      send({ type: 'translate', text: translated, final: utterance.final, utterance_id, ...common })
    if (utterance.final) {
      const spoken = synthesizeSpeech(translated, config.voice).map(({ audio }) => audio)
      // The translation may be longer than what was said; it must not fall behind for ever.
      voice = Buffer.concat([voice, ...spoken]).subarray(-MAX_VOICE_BYTES)
    }
  })

  return {
    onBinary(bytes) {
      // Opus is not decoded: each frame counts as 20 ms of loud speech, and PCM comes back, as the public clients expect.
      const audio = config.audio?.format === 'opus' ? LOUD_BLOCK : bytes
      hearing.hear(audio)
      const out = Buffer.alloc(audio.length)
      voice.copy(out)
      voice = voice.subarray(audio.length)
      outlet.send(out)
    },
  }
}

const LOUD_BLOCK = Buffer.alloc(BLOCK_BYTES, Buffer.from([0x00, 0x20]))

function sentence(phrase: string, { share, final }: Utterance): string {
  const text = spokenPart(phrase, share)
  return final ? `${text}.` : text
}

function applyDictionary(
  text: string,
  entries: NonNullable<TranslationConfig['translation_dictionary']>,
): string {
  return entries.reduce(
    (result, { source, target }) => (source ? result.replaceAll(source, target) : result),
    text,
  )
}
