import type { TranslationConfig } from '@stagepass/contract'
import { phraseOf, spokenPart } from '../speech/phrases.js'

/**
 * Entries and characters beyond these limits are ignored, because a config must not cause seconds of work.
 */
const MAX_ENTRIES = 100
const MAX_LENGTH = 1_000

/** The spoken part of an utterance. */
export interface SpokenShare {
  readonly index: number
  /** The part of its sentence, from 0 to 1. */
  readonly share: number
  readonly final: boolean
}

/** Both texts of an utterance. Final texts end with a full stop. */
export interface TranslatedUtterance {
  readonly heard: string
  readonly translated: string
}

/**
 * Returns the spoken part of the n-th utterance in both languages. No speech is recognised, but the config
 * has a visible effect: every final utterance ends with the next word of `vocabulary`, and the translation
 * keeps it. If the heard text contains the `source` of a `translation_dictionary` entry, the translation
 * contains its `target`.
 */
export function translateUtterance(
  { index, share, final }: SpokenShare,
  { source_language, target_language, vocabulary = [], translation_dictionary = [] }: TranslationConfig,
): TranslatedUtterance {
  const words = vocabulary.slice(0, MAX_ENTRIES).filter((word) => word.trim() !== '')
  const word = words[index % Math.max(1, words.length)]
  const ending = word === undefined || !final ? '' : ` ${word.slice(0, MAX_LENGTH)}`
  const spoken = (language: string): string => spokenPart(phraseOf(index, language), share) + ending
  const stop = final ? '.' : ''
  const heard = spoken(source_language)
  const entries = translation_dictionary.slice(0, MAX_ENTRIES).filter(({ source }) => source.trim() !== '')
  const translated = entries.reduce(
    (text, { source, target }) =>
      applyEntry(heard, text, source.slice(0, MAX_LENGTH), target.slice(0, MAX_LENGTH)),
    spoken(target_language),
  )
  return { heard: heard + stop, translated: translated + stop }
}

/**
 * Replaces the source word if the translation kept it, otherwise the word at the same place in the sentence.
 */
function applyEntry(heard: string, translated: string, source: string, target: string): string {
  const found = wholeWords(source).exec(heard)
  if (!found) return translated
  const kept = wholeWords(source)
  if (kept.test(translated)) return translated.replace(kept, () => target)
  const words = translated.split(' ')
  const place = Math.round((found.index / heard.length) * (words.length - 1))
  return words.with(place, target).join(' ')
}

function wholeWords(text: string): RegExp {
  const escaped = text.trim().replaceAll(/[\\^$.*+?()[\]{}|/]/g, String.raw`\$&`)
  return new RegExp(String.raw`(?<![\p{L}\p{N}])${escaped}(?![\p{L}\p{N}])`, 'iu')
}
