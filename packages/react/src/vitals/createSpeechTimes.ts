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
/** Below this level of PCM16 no frame is loud. */
const LOWEST_LEVEL = 200
/** A loud frame is louder than the background by this factor. */
const ABOVE_NOISE = 3
/** The background becomes louder by this factor in a frame, so that a new noise counts as background later. */
const NOISE_RISE = 1.002

/** Finds the beginnings and ends of speech in the frames of a stream, by their energy. */
export function createSpeechTimes(onStart: (startedAt: number) => void) {
  let noise = LOWEST_LEVEL / ABOVE_NOISE
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
    /** Takes a frame of PCM16. */
    frame(pcm: Int16Array, now: number): void {
      const level = levelOf(pcm)
      const isLoud = level > Math.max(LOWEST_LEVEL, noise * ABOVE_NOISE)
      noise = Math.min(level, noise * NOISE_RISE)
      if (now - lastLoudAt > PAUSE_MS) endRun()
      if (!isLoud) return
      // Before speech is certain, a gap makes a new run.
      if (now - lastLoudAt > (isSpeaking ? PAUSE_MS : GAP_MS)) runAt = now
      lastLoudAt = now
      if (isSpeaking || now - runAt < ONSET_MS) return
      isSpeaking = true
      onStart(runAt)
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

/** The level of a frame: the root of its mean square. */
function levelOf(pcm: Int16Array): number {
  let sum = 0
  for (const sample of pcm) sum += sample * sample
  return pcm.length === 0 ? 0 : Math.sqrt(sum / pcm.length)
}
