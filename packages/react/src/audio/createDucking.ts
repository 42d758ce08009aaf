/** Loudness from which the user speaks. */
const SPEAKS = 0.08
/** Words have gaps. */
const HOLD_MS = 400
/** 14 dB down: still heard, and too quiet to be taken for the user. */
const DUCKED = 0.2

/** The volume of the playback while the user speaks. It is given the level of each frame, and returns the factor if it changed. */
export function createDucking(now = () => performance.now()): (level: number) => number | undefined {
  let factor = 1
  let spokeAtMs = -Infinity
  return (level) => {
    const nowMs = now()
    if (level >= SPEAKS) spokeAtMs = nowMs
    const next = nowMs - spokeAtMs < HOLD_MS ? DUCKED : 1
    if (next === factor) return undefined
    factor = next
    return next
  }
}
