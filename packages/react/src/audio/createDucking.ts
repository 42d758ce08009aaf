/** Loudness from which the user speaks. */
const SPEAKS = 0.08
/** Words have gaps: 400 ms. */
const HOLD_FRAMES = 20
/** 14 dB down: still heard, and too quiet to be taken for the user. */
const DUCKED = 0.2

/** Makes the playback quieter while the user speaks. */
export interface Ducking {
  /** Takes the level of each frame of the microphone. */
  readonly hear: (level: number) => void
  /** The microphone is closed, or lost: the playback is as loud as before. */
  readonly end: () => void
}

/** Calls back with the factor for the playback's volume when it changes. */
export function createDucking(onChange: (factor: number) => void): Ducking {
  let factor = 1
  let quietFrames = HOLD_FRAMES

  function hear(level: number): void {
    quietFrames = level >= SPEAKS ? 0 : quietFrames + 1
    const next = quietFrames < HOLD_FRAMES ? DUCKED : 1
    if (next !== factor) onChange((factor = next))
  }

  return {
    hear,
    end: () => {
      quietFrames = HOLD_FRAMES
      hear(0)
    },
  }
}
