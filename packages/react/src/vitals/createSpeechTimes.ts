import { createSpeechLevel } from './createSpeechLevel.js'

/*
 *             loud for ONSET_MS
 *     quiet ─────────────────────▶ speaking
 *       ▲                              │
 *       └──── quiet for PAUSE_MS ──────┘
 *
 * The times are those of frames as they are sent. Speech begins with the first loud frame and ends with the
 * last one.
 */

/** A shorter noise is no speech. */
const ONSET_MS = 100
/** A longer silence ends the speech. */
const PAUSE_MS = 300
/** A text that comes so soon after a loud frame came during the speech. */
const STILL_SPEAKING_MS = 100
/** Frames that are further apart do not belong together. */
const GAP_MS = 100
/** In dB: a figure is missing if a word was very quiet, but noise makes no wrong one. */
const QUIETEST_NOISE = 43

/** Finds the beginnings and ends of speech in the frames of a stream, by their energy. */
export function createSpeechTimes(onStart: (startedAt: number) => void) {
  const isLoud = createSpeechLevel(QUIETEST_NOISE)
  let isSpeaking = false
  /** The first frame of the current run of loud frames. */
  let runAt = -Infinity
  let lastLoudAt = -Infinity
  /** The end of the last speech that a pause has ended. */
  let pauseAt: number | undefined

  function endRun(): void {
    if (isSpeaking) pauseAt = lastLoudAt
    isSpeaking = false
  }

  return {
    /** Takes a frame of PCM16. True if it has speech. */
    frame(pcm: Int16Array, now: number): boolean {
      if (now - lastLoudAt > PAUSE_MS) endRun()
      if (!isLoud(powerOf(pcm))) return false
      // Before speech is certain, a gap makes a new run.
      if (now - lastLoudAt > (isSpeaking ? PAUSE_MS : GAP_MS)) runAt = now
      lastLoudAt = now
      if (isSpeaking || now - runAt < ONSET_MS) return isSpeaking
      isSpeaking = true
      onStart(runAt)
      return true
    },
    /** The end of the speech of which a final text comes now. Each end is returned once. */
    takeEnd(now: number): number | undefined {
      const isQuiet = now - lastLoudAt >= STILL_SPEAKING_MS
      const end = isSpeaking && isQuiet ? lastLoudAt : pauseAt
      pauseAt = undefined
      if (isSpeaking && isQuiet) isSpeaking = false
      return end
    },
  }
}

/** The mean of the squared samples. */
function powerOf(pcm: Int16Array): number {
  let sum = 0
  for (const sample of pcm) sum += sample * sample
  return pcm.length === 0 ? 0 : sum / pcm.length
}
