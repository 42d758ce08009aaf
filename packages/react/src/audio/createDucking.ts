/** Loudness from which the user speaks. */
const SPEAKS = 0.08
/** Words have gaps: 400 ms. */
const HOLD_FRAMES = 20
/** 14 dB down: still heard, and too quiet to be taken for the user. */
const DUCKED = 0.2

/** The volume of the playback while the user speaks. It is given the level of each frame, and returns the factor if it changed. */
export function createDucking(): (level: number) => number | undefined {
  let factor = 1
  let quietFrames = HOLD_FRAMES
  return (level) => {
    quietFrames = level >= SPEAKS ? 0 : quietFrames + 1
    const next = quietFrames < HOLD_FRAMES ? DUCKED : 1
    if (next === factor) return undefined
    factor = next
    return next
  }
}
