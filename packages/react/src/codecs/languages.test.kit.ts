import { voiceTranslation } from './voiceTranslation.js'

const CONFIG = { source_language: 'en-US', voice: 'female' } as const

/** A new codec at each call. */
export const to = (target_language: string) => voiceTranslation({ ...CONFIG, target_language })

/** The language in the configuration that a service got. */
export const languageOf = (data: unknown): unknown =>
  (JSON.parse(String(data)) as { config: { target_language: string } }).config.target_language
