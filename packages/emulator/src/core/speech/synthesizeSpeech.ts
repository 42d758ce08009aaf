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

/** First two resonances of the mouth, in hertz. */
const VOWELS: Readonly<Record<string, readonly [number, number]>> = {
  a: [720, 1_240],
  e: [510, 1_850],
  i: [300, 2_250],
  o: [460, 880],
  u: [330, 760],
  y: [320, 1_900],
}
const LETTER_SECONDS = 0.062
const GAP_SECONDS = 0.07
const HARMONICS = 14
const RESONANCE_WIDTH_HZ = 160
const STEP_SAMPLES = 32
/** Leaves room above the loudest vowel. */
const LOUDNESS = 0.14

/** One period of a sine. Reading this table is several times faster than computing the sine. */
const SINE = Float32Array.from({ length: 4_096 }, (_, index) => Math.sin((2 * Math.PI * index) / 4_096))

/**
 * Speech-like sound without words. Its length and pitch follow the text, and it is the same for the same
 * text. A vowel changes the sound of the voice by its resonances; a consonant makes it quieter.
 */
export function synthesizeSpeech(text: string, voice: Voice = 'female'): SpokenWord[] {
  const words = text.split(/\s+/).filter(Boolean)
  let start = 0
  return words.map((word, index) => {
    const letters = word.toLowerCase().slice(0, 24).split('')
    const seconds = Math.max(0.12, letters.length * LETTER_SECONDS)
    // The pitch falls along the sentence, and each word has its own accent.
    const fall = 1.12 - (0.24 * index) / Math.max(1, words.length - 1)
    const accent = 0.94 + (hashText(word) % 13) / 100
    const audio = speakWord(letters, seconds, VOICES[voice] * fall * accent)
    const spoken = { word, start: roundSeconds(start), end: roundSeconds(start + seconds), audio }
    start += seconds + GAP_SECONDS
    return spoken
  })
}

function speakWord(letters: readonly string[], seconds: number, pitchHz: number): Uint8Array {
  const voiced = Math.round(seconds * SAMPLE_RATE)
  const samples = new Float32Array(voiced + Math.round(GAP_SECONDS * SAMPLE_RATE))
  const phases = new Float64Array(HARMONICS)
  const colours = new Float64Array(HARMONICS)
  let [first, second] = [510, 1_850]
  let level = 0
  let pitch = pitchHz

  for (let index = 0; index < voiced; index += 1) {
    const position = index / voiced
    // The resonances change slowly, so they are computed once every 32 samples.
    if (index % STEP_SAMPLES === 0) {
      const letter = letters[Math.floor(position * letters.length)] ?? 'e'
      const vowel = VOWELS[letter]
      // Move towards the current letter step by step, to avoid clicks.
      if (vowel) {
        first += (vowel[0] - first) * 0.12
        second += (vowel[1] - second) * 0.12
      }
      level += ((vowel ? 1 : 0.45) - level) * 0.17
      pitch = pitchHz * (1 + 0.03 * Math.sin(position * Math.PI))
      for (let harmonic = 1; harmonic <= HARMONICS; harmonic += 1) {
        const frequency = pitch * harmonic
        colours[harmonic - 1] =
          resonance(frequency, first) + 0.6 * resonance(frequency, second) + 0.12 / harmonic
      }
    }

    let sample = 0
    for (let harmonic = 1; harmonic <= HARMONICS; harmonic += 1) {
      const next = (phases[harmonic - 1] ?? 0) + (pitch * harmonic) / SAMPLE_RATE
      const phase = next < 1 ? next : next - 1
      phases[harmonic - 1] = phase
      sample += (colours[harmonic - 1] ?? 0) * (SINE[Math.floor(phase * SINE.length)] ?? 0)
    }
    samples[index] = sample * level * Math.sqrt(Math.sin(Math.PI * position)) * LOUDNESS
  }
  return encodePcm(samples)
}

function resonance(frequency: number, centre: number): number {
  const distance = (frequency - centre) / RESONANCE_WIDTH_HZ
  return 1 / (1 + distance * distance)
}
