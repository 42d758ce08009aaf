import { hashText } from '../platform/random.js'
import { encodePcm, roundSeconds, SAMPLE_RATE } from './pcm.js'

export interface SpokenWord {
  readonly word: string
  /** Seconds from the start of the text. The audio includes the gap after the word. */
  readonly start: number
  readonly end: number
  readonly audio: Uint8Array
}

const VOICES = { male: 118, female: 196 } as const
export type Voice = keyof typeof VOICES

const LETTER_SECONDS = 0.062
const GAP_SECONDS = 0.07
/** Loudness of the tone and of its overtones. */
const HARMONICS = [0.24, 0.12, 0.08, 0.04]

/**
 * Creates a hummed version of a text. Length and pitch depend on the text, and the same text always gives the
 * same audio.
 */
export function synthesizeSpeech(text: string, voice: Voice = 'female'): SpokenWord[] {
  const words = text.split(/\s+/).filter(Boolean)
  let start = 0
  return words.map((word, index) => {
    const seconds = Math.max(0.12, Math.min(24, word.length) * LETTER_SECONDS)
    // The pitch falls along the sentence, and each word has its own accent.
    const fall = 1.12 - (0.24 * index) / Math.max(1, words.length - 1)
    const accent = 0.94 + (hashText(word) % 13) / 100
    const audio = speakWord(seconds, VOICES[voice] * fall * accent)
    const spoken = { word, start: roundSeconds(start), end: roundSeconds(start + seconds), audio }
    start += seconds + GAP_SECONDS
    return spoken
  })
}

/** One tone that becomes louder and then quieter, and the gap after it. */
function speakWord(seconds: number, pitchHz: number): Uint8Array {
  const voiced = Math.round(seconds * SAMPLE_RATE)
  const samples = new Float32Array(voiced + Math.round(GAP_SECONDS * SAMPLE_RATE))
  for (let index = 0; index < voiced; index += 1) {
    const angle = (2 * Math.PI * pitchHz * index) / SAMPLE_RATE
    const tone = HARMONICS.reduce((sum, level, at) => sum + level * Math.sin(angle * (at + 1)), 0)
    samples[index] = tone * Math.sqrt(Math.sin((Math.PI * index) / voiced))
  }
  return encodePcm(samples)
}
