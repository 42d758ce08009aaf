import { isObject, LANGUAGE_WITH_REGION, type TranslationConfig } from '@stagepass/contract'
import type { Codec } from '../stream/Codec.js'
import type { ReceivedData } from '../platform/socket.js'

interface WithIds {
  /** Id of the utterance: texts with the same id are about the same words. */
  readonly utterance_id?: string | undefined
  /** `metadata.reference_id` of the config. */
  readonly reference_id?: string | undefined
}

/** The recognized text, in the source language. */
export interface TranscriptMessage extends WithIds {
  readonly type: 'transcript'
  readonly text: string
  /** False while the text may still grow: a later message with the same `utterance_id` replaces it. */
  readonly final: boolean
  /** When the utterance began, ISO 8601. */
  readonly start?: string | undefined
  /** Milliseconds. */
  readonly duration?: number | undefined
}

/** The translated text, in the target language. */
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
 * A message of `/vt`: the translated voice as 16-bit little-endian PCM, 16 kHz, mono, or text in both
 * languages. Send only PCM of the same format, in frames of any length, at the pace of speech.
 */
export type TranslationMessage =
  | { readonly type: 'ready' }
  | { readonly type: 'audio'; readonly pcm: ArrayBuffer }
  | TranscriptMessage
  | TranslateMessage
  | TranslationErrorMessage

const AUDIO = { format: 'pcm_s16le', sample_rate: 16_000 } as const

/**
 * A codec for `/vt`. Every connection begins with the configuration, and is open when the server is ready;
 * until then audio waits in the stream's queue. Throws if the configuration is invalid. The messages are
 * those of public clients. (Assumptions: "Frames of /vt".)
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
  const decode = decodeOnce()

  return {
    start: () => [first],
    isReady: (data) => decode(data).some(({ type }) => type === 'ready'),
    isFinal: (data) =>
      decode(data).reduce<boolean | undefined>((before, message) => {
        if (message.type === 'translate') return message.final
        // If a translation follows, the transcript is not the last text.
        return message.type === 'transcript' ? message.final && !translates : before
      }, undefined),
    finalDurationMs: (data) =>
      decode(data).reduce<number | undefined>(
        (before, message) => (message.type === 'transcript' && message.final ? message.duration : before),
        undefined,
      ),
    // Never called: only bytes are sent, and bytes bypass `encode`.
    encode: (nothing) => nothing,
    decode,
  }
}

/** Several parts of a stream ask about the same message, one after the other. It is parsed once. */
function decodeOnce(): (data: ReceivedData) => readonly TranslationMessage[] {
  let last: string | undefined
  let messages: readonly TranslationMessage[] = []
  return (data) => {
    if (typeof data !== 'string') return [{ type: 'audio', pcm: data }]
    if (data !== last) messages = decode(data)
    last = data
    return messages
  }
}

/**
 * `ready` is the only frame with a `type`. The keys of any other frame name its contents: each known key
 * becomes one message. Unknown keys are ignored, because the service may add new ones.
 */
function decode(data: string): TranslationMessage[] {
  const frame = parseObject(data)
  if (!frame) return []
  if (frame.type === 'ready') return [{ type: 'ready' }]
  const { transcript, translate, error } = frame
  return [...readText('transcript', transcript), ...readText('translate', translate), ...readError(error)]
}

function readText(type: 'transcript' | 'translate', block: unknown): TranslationMessage[] {
  if (!isObject(block) || typeof block.text !== 'string' || block.text.trim() === '') return []
  const { text, final, is_final: isFinal } = block
  const duration = readNumber(block.duration)
  return [
    {
      type,
      text,
      // The flag has a legacy spelling. A text is final unless one of the two flags is false, as public
      // clients read it.
      final: !isNo(final) && !isNo(isFinal),
      ...(typeof block.start === 'string' && { start: block.start }),
      ...texts(block, ['utterance_id', 'reference_id']),
      ...(duration !== undefined && { duration }),
    },
  ]
}

const isNo = (flag: unknown): boolean => flag === false || flag === 'false'

/** A number, or text that is one. */
function readNumber(value: unknown): number | undefined {
  const number = typeof value === 'string' && /^\d+(?:\.\d+)?$/.test(value) ? Number(value) : value
  return typeof number === 'number' && number >= 0 ? number : undefined
}

function readError(error: unknown): TranslationMessage[] {
  if (isCode(error)) return [{ type: 'error', code: error }]
  if (!isObject(error)) return []
  const { code } = error
  const facts = texts(error, ['reason', 'description', 'reference_id'])
  return [{ type: 'error', ...(isCode(code) && { code }), ...facts }]
}

/**
 * The named fields that are texts. A number becomes one: without the id of its utterance, each text that
 * replaces another would be a new one.
 */
function texts<TName extends string>(
  block: Readonly<Record<string, unknown>>,
  names: readonly TName[],
): { [TKey in TName]?: string } {
  const found: { [TKey in TName]?: string } = {}
  for (const name of names) {
    const value = block[name]
    if (typeof value === 'string' || Number.isFinite(value)) found[name] = String(value)
  }
  return found
}

function isCode(value: unknown): value is string | number {
  return typeof value === 'number' || typeof value === 'string'
}

function parseObject(text: string): Readonly<Record<string, unknown>> | undefined {
  try {
    const value: unknown = JSON.parse(text)
    return isObject(value) ? value : undefined
  } catch {
    return undefined
  }
}
