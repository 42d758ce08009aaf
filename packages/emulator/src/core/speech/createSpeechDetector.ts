import { BLOCK_SAMPLES, createBlocks, loudness, roundSeconds, SAMPLE_RATE } from './pcm.js'

/**
 * One piece of speech, or its part that has arrived. Times are in seconds from the first sample of the
 * stream.
 */
export interface Utterance {
  /** 0, 1, 2, … */
  readonly index: number
  readonly start: number
  readonly duration: number
  /** The part of its sentence that was spoken, from 0 to 1. */
  readonly share: number
  readonly final: boolean
}

/** A block of 20 ms below this loudness is silence. About -40 dB. */
const SPEECH_LOUDNESS = 0.01
const BLOCK_SECONDS = BLOCK_SAMPLES / SAMPLE_RATE
/** An utterance ends after this silence, or at the end of its sentence. */
const END_SILENCE_SECONDS = 0.5
const SENTENCE_SECONDS = 3.6
/** Speech between two reports of the growing text. */
const REPORT_SECONDS = 0.3

/**
 * Detects speech only by its loudness. Every 3.6 s of speech is one sentence, so the same recording always
 * gives the same result.
 *
 *     quiet --loud block--> speaking --0.5 s of silence, or the end of the sentence--> quiet
 */
export function createSpeechDetector(onUtterance: (utterance: Utterance) => void) {
  let heardSeconds = 0
  let nextIndex = 0
  let speaking: { index: number; start: number; voiced: number; silent: number; reported: number } | undefined

  const report = (final: boolean): void => {
    if (!speaking) return
    const { index, start, voiced, silent } = speaking
    onUtterance({
      index,
      start: roundSeconds(start),
      duration: roundSeconds(heardSeconds - start - silent),
      share: Math.min(1, voiced / SENTENCE_SECONDS),
      final,
    })
    speaking.reported = voiced
    if (final) speaking = undefined
  }

  const onBlock = (block: Uint8Array): void => {
    const loud = loudness(block) >= SPEECH_LOUDNESS
    if (loud && !speaking) {
      speaking = { index: nextIndex, start: heardSeconds, voiced: 0, silent: 0, reported: 0 }
      nextIndex += 1
    }
    heardSeconds += BLOCK_SECONDS
    if (!speaking) return

    if (loud) {
      speaking.voiced += BLOCK_SECONDS
      speaking.silent = 0
    } else {
      speaking.silent += BLOCK_SECONDS
    }
    if (speaking.silent >= END_SILENCE_SECONDS || speaking.voiced >= SENTENCE_SECONDS) report(true)
    else if (speaking.voiced - speaking.reported >= REPORT_SECONDS) report(false)
  }

  /** Ends the current utterance, if there is one. */
  const finish = (): void => report(true)
  return { push: createBlocks(onBlock), finish }
}
