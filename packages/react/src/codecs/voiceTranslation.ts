import type { TranslationConfig, TranslationFrame } from '@stagepass/contract'
import type { Codec } from '../stream/Codec.js'
import type { ReceivedData } from '../stream/Socket.js'

/** What comes from `/vt`: the translated voice as 16-bit little-endian PCM, 16 kHz, mono; and the text of both languages. */
export type TranslationMessage = { readonly type: 'audio'; readonly pcm: ArrayBuffer } | TranslationFrame

/** What goes to `/vt`: PCM of the same kind, in frames of any length, at the pace of speech. */
export type TranslationAudio = ArrayBuffer | ArrayBufferView<ArrayBuffer>

const AUDIO = { format: 'pcm_s16le', sample_rate: 16_000, channels: 1 } as const

/**
 * Speaks `/vt` for `useStream`: every connection begins with the configuration and is open when the server is ready; until then audio waits in
 * the stream's queue. Throws where the configuration cannot be right. The frames are those of public
 * clients. (Assumptions: "Frames of /vt".)
 *
 * @example
 * const codec = voiceTranslation({ source_language: 'en-US', target_language: 'es-ES', voice: 'female' })
 * const stream = useStream('vt', { codec, onMessage: (message) => message.type === 'translate' && show(message.text) })
 */
export function voiceTranslation(config: TranslationConfig): Codec<TranslationAudio, TranslationMessage> {
  for (const name of ['source_language', 'target_language'] as const) {
    if (/^[a-z]{2,3}-[A-Z]{2}$/.test(config[name])) continue
    throw new Error(
      `Failed to configure voice translation: ${name} is ${JSON.stringify(config[name])}. Give a language with its region, such as "en-US".`,
    )
  }
  const first = JSON.stringify({ config: { audio: AUDIO, ...config } })

  return {
    start: () => [first],
    isReady: (data) => decode(data).some(({ type }) => type === 'ready'),
    encode: (audio) => audio,
    decode,
  }
}

function decode(data: ReceivedData): TranslationMessage[] {
  if (typeof data !== 'string') return [{ type: 'audio', pcm: data }]
  const frame = parseObject(data)
  if (!frame) return []
  if (isKnown(frame)) return [frame]
  // One frame may carry several blocks, each under its name.
  return Object.entries(frame).flatMap(([type, block]) => {
    const message: object = { ...(block instanceof Object ? block : {}), type }
    return isKnown(message) ? [message] : []
  })
}

/** Frames that are not known are passed over: the service may learn to say more. */
function isKnown(frame: object): frame is TranslationFrame {
  const { type, text, final, code } = frame as Record<string, unknown>
  switch (type) {
    case 'ready':
      return true
    case 'transcript':
    case 'translate':
      return typeof text === 'string' && typeof final === 'boolean'
    case 'error':
      return typeof code === 'number'
    default:
      return false
  }
}

function parseObject(text: string): object | undefined {
  try {
    const value: unknown = JSON.parse(text)
    return value instanceof Object ? value : undefined
  } catch {
    return undefined
  }
}
