import type { ReceivedData } from '@stagepass/react'

/** What the service has understood so far. A later caption of the same id replaces it. */
export interface Caption {
  readonly id: string
  readonly text: string
  readonly isFinal: boolean
}

/** The caption in a message of Speech-to-Text, if there is one. */
export function readCaption(message: ReceivedData): Caption | undefined {
  if (typeof message !== 'string') return undefined
  const { type, text, final, utterance_id } = JSON.parse(message) as Record<string, unknown>
  if (type !== 'transcript' || typeof text !== 'string') return undefined
  return { id: String(utterance_id), text, isFinal: final === true }
}

/** The last captions, at most five. */
export function withCaption(list: readonly Caption[], caption: Caption): readonly Caption[] {
  const isKnown = list.some(({ id }) => id === caption.id)
  const next = isKnown ? list.map((old) => (old.id === caption.id ? caption : old)) : [...list, caption]
  return next.slice(-5)
}
