import type { TranscriptText } from './Segment.js'

/**
 * The text of a `select`, whose messages may have any type. Without a string as its text it is none; another
 * field of a wrong type is left out. Each field is read once, because a getter may return something else
 * later.
 */
export function readText(given: TranscriptText | null | undefined): TranscriptText | undefined {
  const read = { ...given } as Readonly<Record<keyof TranscriptText, unknown>>
  const { text, final, id, speaker, language, startMs, endMs } = read
  if (typeof text !== 'string') return undefined
  return {
    ...read,
    text,
    final: Boolean(final),
    id: numberOf(id) ?? stringOf(id),
    speaker: numberOf(speaker)?.toString() ?? stringOf(speaker),
    language: stringOf(language),
    startMs: numberOf(startMs),
    endMs: numberOf(endMs),
  }
}

const stringOf = (value: unknown): string | undefined => (typeof value === 'string' ? value : undefined)

const numberOf = (value: unknown): number | undefined => (typeof value === 'number' ? value : undefined)
