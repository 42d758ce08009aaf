import { z } from 'zod'

/*
 * Frames of `/vt` as they were seen in public clients. (Assumptions: "Frames of /vt".) The stream layer
 * itself is frame-agnostic; this is the vocabulary of the optional codec and of the emulator's `/vt`.
 */

/** First frame of the client, before any audio. Languages are BCP 47 with region. */
export const TranslationConfig = z.object({
  audio: z
    .object({
      format: z.enum(['pcm_s16le', 'opus']),
      sample_rate: z.literal(16_000),
      channels: z.literal(1),
    })
    .optional(),
  source_language: z.string().regex(/^[a-z]{2,3}-[A-Z]{2}$/),
  target_language: z.string().regex(/^[a-z]{2,3}-[A-Z]{2}$/),
  voice: z.enum(['male', 'female']),
  vocabulary: z.array(z.string()).optional(),
  translation_dictionary: z.array(z.object({ source: z.string(), target: z.string() })).optional(),
  transcript: z
    .object({
      interim: z.boolean().optional(),
      final: z.boolean().optional(),
      translate: z.boolean().optional(),
    })
    .optional(),
  features: z.object({ background_voice_cancellation: z.boolean().optional() }).optional(),
  metadata: z.object({ reference_id: z.string().optional() }).optional(),
})
export type TranslationConfig = z.infer<typeof TranslationConfig>

const reference = { reference_id: z.string().optional() }

/** Text frames of the server. Unknown frames are tolerated by the codec. */
export const TranslationFrame = z.discriminatedUnion('type', [
  z.object({ type: z.literal('ready') }),
  z.object({
    type: z.literal('transcript'),
    text: z.string(),
    final: z.boolean(),
    start: z.number().optional(),
    duration: z.number().optional(),
    utterance_id: z.string().optional(),
    ...reference,
  }),
  z.object({
    type: z.literal('translate'),
    text: z.string(),
    final: z.boolean(),
    utterance_id: z.string().optional(),
    ...reference,
  }),
  z.object({
    type: z.literal('error'),
    code: z.int(),
    reason: z.string().optional(),
    description: z.string().optional(),
    ...reference,
  }),
])
export type TranslationFrame = z.infer<typeof TranslationFrame>
