/** Sound is speech if it is this much louder than the noise, in dB. */
const ABOVE_NOISE = 9
/** Decibels above the smallest level: the noise is taken to be between these two. */
const QUIETEST_NOISE = 20
const LOUDEST_NOISE = 60
/** The noise rises by at most 1 dB a second, so that a long word is not taken for noise. */
const RISE = 0.02
/** Full scale, in dB above the smallest level. */
const FULL = 96

/**
 * Tells speech from quiet by loudness alone, for each 20 ms of sound. `quietestNoise`: where the noise begins.
 * The lower it is, the quieter a word may be, and the longer a steady noise counts as speech.
 */
export function createSpeechLevel(quietestNoise = QUIETEST_NOISE) {
  let noise = quietestNoise

  /** True for speech. `power`: mean of the squared samples. Digital silence is always quiet. */
  return (power: number): boolean => {
    const level = FULL + 10 * Math.log10(Math.max(power, 1e-9) / 0x8000 ** 2)
    noise = Math.min(LOUDEST_NOISE, Math.max(quietestNoise, Math.min(level, noise + RISE)))
    return level > noise + ABOVE_NOISE
  }
}
