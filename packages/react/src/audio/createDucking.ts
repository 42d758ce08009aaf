/** From this level on the user speaks. */
const SPEAKS = 0.08
/** 400 ms, longer than the gaps between words. */
const HOLD_FRAMES = 20
/** 14 dB quieter: audible, but too quiet to be taken for the user's voice. */
const DUCKED = 0.2

/**
 * Makes the playback quieter while the user speaks. The returned function takes the level of each microphone
 * frame, and returns the factor for the volume.
 */
export function createDucking(): (level: number) => number {
  let quietFrames = HOLD_FRAMES
  return (level) => {
    quietFrames = level >= SPEAKS ? 0 : quietFrames + 1
    return quietFrames < HOLD_FRAMES ? DUCKED : 1
  }
}
