import { LANGUAGE_WITH_REGION, type TranslationConfig } from '@stagepass/contract'
import type { Codec } from '../stream/Codec.js'
import type { ReceivedData } from '../platform/socket.js'

interface WithIds {
  /** Names the utterance: texts with the same id are about the same words. */
  readonly utterance_id?: string | undefined
  /** `metadata.reference_id` of the config. */
  readonly reference_id?: string | undefined
}

/** What was heard, in the source language. */
export interface TranscriptMessage extends WithIds {
  readonly type: 'transcript'
  readonly text: string
  /** False while the text grows: a later message with the same `utterance_id` replaces it. */
  readonly final: boolean
  /** When the utterance began, ISO 8601. */
  readonly start?: string | undefined
  /** Milliseconds. */
  readonly duration?: number | undefined
}

/** The same in the target language. */
export interface TranslateMessage extends WithIds {
  readonly type: 'translate'
  readonly text: string
  readonly final: boolean
}

/**
 * The service's error. `code` is a number such as 400, 401, 402, 429 or 500. If the error ends the stream,
 * `stream.error` says so.
 */
export interface TranslationErrorMessage {
  readonly type: 'error'
  readonly code?: number | string | undefined
  readonly reason?: string | undefined
  readonly description?: string | undefined
  readonly reference_id?: string | undefined
}

/**
 * What comes from `/vt`: the translated voice as 16-bit little-endian PCM, 16 kHz, mono; and the text of both
 * languages. What goes there is PCM of the same kind alone, in frames of any length, at the pace of speech.
 */
export type TranslationMessage =
  | { readonly type: 'ready' }
  | { readonly type: 'audio'; readonly pcm: ArrayBuffer }
  | TranscriptMessage
  | TranslateMessage
  | TranslationErrorMessage

const AUDIO = { format: 'pcm_s16le', sample_rate: 16_000 } as const

/**
 * Speaks `/vt` for `useStream`: every connection begins with the configuration and is open when the server is
 * ready; until then audio waits in the stream's queue. Throws if the configuration is invalid. The messages
 * are those of public clients. (Assumptions: "Frames of /vt".)
 *
 * @example
 * const codec = voiceTranslation({ source_language: 'en-US', target_language: 'es-ES', voice: 'female' })
 * const stream = useStream('vt', {
 *   codec,
 *   onMessage: (message) => message.type === 'translate' && show(message.text),
 * })
 */
export function voiceTranslation(config: TranslationConfig): Codec<never, TranslationMessage> {
  for (const name of ['source_language', 'target_language'] as const) {
    if (LANGUAGE_WITH_REGION.test(config[name])) continue
    throw new Error(
      `Failed to configure voice translation: ${name} is ${JSON.stringify(config[name])}. Give a language with its region, such as "en-US".`,
    )
  }
  const { translate: translates = true } = config.transcript ?? {}
  const first = JSON.stringify({ config: { audio: AUDIO, ...config } })

  return {
    start: () => [first],
    isReady: (data) => decode(data).some(({ type }) => type === 'ready'),
    isFinal: (data) =>
      decode(data).reduce<boolean | undefined>((before, message) => {
        if (message.type === 'translate') return message.final
        // Its translation is still to come.
        return message.type === 'transcript' ? message.final && !translates : before
      }, undefined),
    // Only bytes are sent, and those do not come here.
    encode: (nothing) => nothing,
    decode,
  }
}

/**
 * `ready` is the only frame with a `type`. Every other frame is keyed by what it carries, and gives one
 * message for each known key. The rest is passed over, because the service may learn to say more.
 */
function decode(data: ReceivedData): TranslationMessage[] {
  if (typeof data !== 'string') return [{ type: 'audio', pcm: data }]
  const frame = parseObject(data)
  if (!frame) return []
  if (frame.type === 'ready') return [{ type: 'ready' }]
  const { transcript, translate, error } = frame
  return [...readText('transcript', transcript), ...readText('translate', translate), ...readError(error)]
}

function readText(type: 'transcript' | 'translate', block: unknown): TranslationMessage[] {
  if (!isObject(block) || typeof block.text !== 'string' || block.text.trim() === '') return []
  const { text, final, is_final: isFinal, duration } = block
  return [
    {
      type,
      text,
      // A legacy spelling of the flag exists. A text that neither of them calls unfinished is final, as
      // public clients read it.
      final: final !== false && isFinal !== false,
      ...strings(block, ['start', 'utterance_id', 'reference_id']),
      ...(typeof duration === 'number' && { duration }),
    },
  ]
}

function readError(error: unknown): TranslationMessage[] {
  if (isCode(error)) return [{ type: 'error', code: error }]
  if (!isObject(error)) return []
  const { code } = error
  const facts = strings(error, ['reason', 'description', 'reference_id'])
  return [{ type: 'error', ...(isCode(code) && { code }), ...facts }]
}

/** The named fields that are texts. */
function strings<TName extends string>(
  block: Readonly<Record<string, unknown>>,
  names: readonly TName[],
): { [TKey in TName]?: string } {
  const found: { [TKey in TName]?: string } = {}
  for (const name of names) {
    const value = block[name]
    if (typeof value === 'string') found[name] = value
  }
  return found
}

function isCode(value: unknown): value is string | number {
  return typeof value === 'number' || typeof value === 'string'
}

function isObject(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

function parseObject(text: string): Readonly<Record<string, unknown>> | undefined {
  try {
    const value: unknown = JSON.parse(text)
    return isObject(value) ? value : undefined
  } catch {
    return undefined
  }
}
