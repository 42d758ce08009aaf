import { z } from 'zod'
import { LANGUAGE_WITH_REGION } from '../service/assumptions.js'

/*
 * Frames of `/vt`, as seen in public clients. (Assumptions: "Frames of /vt".) The stream layer does not read
 * them. Only the optional codec and the emulator's `/vt` use them.
 */

const language = z.string().regex(LANGUAGE_WITH_REGION, 'must be a language with a region, such as "en-US"')

/**
 * The client's first frame is `{ "config": … }` with this object. It comes before any audio. Unknown keys are
 * ignored.
 */
export const TranslationConfig = z.object({
  /** Default `pcm_s16le`, one channel. Clients may omit `channels`. */
  audio: z
    .object({
      format: z.enum(['pcm_s16le', 'opus']),
      sample_rate: z.literal(16_000),
      channels: z.literal(1).optional(),
    })
    .optional(),
  source_language: language,
  target_language: language,
  /** The voice of the translation. */
  voice: z.enum(['male', 'female']),
  /** Words to be recognised with this spelling. */
  vocabulary: z.array(z.string()).optional(),
  translation_dictionary: z.array(z.object({ source: z.string(), target: z.string() })).optional(),
  /**
   * Selects the texts that are sent. Without `transcript`, all are sent. With it, `interim` is false by
   * default.
   */
  transcript: z
    .object({
      interim: z.boolean().optional(),
      final: z.boolean().optional(),
      translate: z.boolean().optional(),
    })
    .optional(),
  features: z.looseObject({ background_voice_cancellation: z.boolean().optional() }).optional(),
  /** Any object. Texts and errors repeat its `reference_id`. */
  metadata: z.looseObject({ reference_id: z.string().optional() }).optional(),
})
export type TranslationConfig = z.infer<typeof TranslationConfig>

/** A value of another type costs no other value. */
const optional = <TSchema extends z.ZodType>(schema: TSchema) => schema.optional().catch(undefined)

const ids = { utterance_id: optional(z.string()), reference_id: optional(z.string()) }

/**
 * The recognised text, in the source language. A later text with the same `utterance_id` replaces a text that
 * is not final.
 */
const TranslationTranscript = z.looseObject({
  text: z.string(),
  final: z.boolean(),
  /** ISO 8601. */
  start: optional(z.string()),
  /** Whole milliseconds. */
  duration: optional(z.int().nonnegative()),
  ...ids,
})
type TranslationTranscript = z.infer<typeof TranslationTranscript>

/** The translation of a text. The service sends it for final texts only. */
const TranslationText = z.looseObject({ text: z.string(), final: z.boolean(), ...ids })
type TranslationText = z.infer<typeof TranslationText>

/**
 * The service's error: 400, 401, 402, 429 (rate, or too many sessions) or 500. If it arrives instead of
 * `ready`, the config is wrong.
 */
const TranslationError = z.looseObject({
  code: z.int(),
  reason: optional(z.string()),
  description: optional(z.string()),
  reference_id: optional(z.string()),
})
type TranslationError = z.infer<typeof TranslationError>

/**
 * A text frame of the server. Only `ready` has a `type`. Every other frame has one key for each part, and may
 * have several parts. A part that cannot be read is left out.
 */
export const TranslationFrame = z.union([
  z.looseObject({ type: z.literal('ready') }),
  z
    .looseObject({
      transcript: optional(TranslationTranscript),
      translate: optional(TranslationText),
      error: optional(TranslationError),
    })
    .refine(({ transcript, translate, error }) => transcript ?? translate ?? error, 'no known key'),
])
export type TranslationFrame =
  | { type: 'ready' }
  | {
      transcript?: TranslationTranscript | undefined
      translate?: TranslationText | undefined
      error?: TranslationError | undefined
    }
