/**
 * Taps of the filter on each side. Images of frequencies below 7/8 of the band are more than 60 dB down. The
 * delay is 1.5 ms at 16 kHz.
 */
const HALF_TAPS = 24
/** Share of the narrower band that passes; the rest is the filter's slope. */
const PASS_BAND = 0.95
/**
 * Positions between two samples for which taps are computed. Between these positions it interpolates, with an
 * error below -90 dB.
 */
export const PHASES = 256
/** Shape of the Kaiser window: side lobes are 80 dB down. */
const KAISER_BETA = 8

/**
 * Taps of a windowed sinc for `PHASES` positions between two samples, and for the next sample; each set is
 * scaled so that a constant signal is unchanged.
 *
 * @param {number} band the narrower band, as a share of the sender's
 */
export function createFilter(band) {
  const cutoff = PASS_BAND * band
  const half = Math.ceil(HALF_TAPS / band)
  const width = 2 * half
  const taps = new Float32Array((PHASES + 1) * width)
  for (let phase = 0; phase <= PHASES; phase += 1) {
    const row = taps.subarray(phase * width, (phase + 1) * width)
    for (let tap = 0; tap < width; tap += 1) {
      const distance = tap - half + 1 - phase / PHASES
      const x = Math.PI * cutoff * distance
      row[tap] = (x === 0 ? 1 : Math.sin(x) / x) * kaiser(distance / half)
    }
    const sum = row.reduce((total, tap) => total + tap, 0)
    for (let tap = 0; tap < width; tap += 1) row[tap] /= sum
  }
  return { half, taps }
}

/** The Kaiser window, without its constant factor. @param {number} x -1 to 1 */
function kaiser(x) {
  const argument = (KAISER_BETA * KAISER_BETA * Math.max(0, 1 - x * x)) / 4
  let sum = 1
  for (let k = 1, term = 1; k < 30; k += 1) {
    term *= argument / (k * k)
    sum += term
  }
  return sum
}
