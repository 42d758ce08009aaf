/** Loudness from which the user speaks. */
const SPEAKS = 0.08
/** Words have gaps: 400 ms. */
const HOLD_FRAMES = 20
/** 14 dB down: still heard, and too quiet to be taken for the user. */
const DUCKED = 0.2

/**
 * Makes the playback quieter while the user speaks: takes the level of each frame of the microphone, and
 * returns the factor for the volume.
 */
export function createDucking(): (level: number) => number {
  let quietFrames = HOLD_FRAMES
  return (level) => {
    quietFrames = level >= SPEAKS ? 0 : quietFrames + 1
    return quietFrames < HOLD_FRAMES ? DUCKED : 1
  }
}
