/**
 * Zero crossings of the filter on each side. Aliases are more than 60 dB down. The delay is about a
 * millisecond.
 */
const CROSSINGS = 16
/** Share of the narrower band that passes; the rest is the filter's slope. */
const PASS_BAND = 0.92

/**
 * A polyphase windowed-sinc filter. The returned function takes a block, and passes each sample that can be
 * computed so far to `onSample`. Blocks join without a seam.
 *
 * @param {number} fromRate
 * @param {number} toRate
 * @param {(sample: number) => void} onSample
 * @returns {(block: Float32Array) => void}
 */
export function createResampler(fromRate, toRate, onSample) {
  const divisor = greatestCommonDivisor(fromRate, toRate)
  const step = fromRate / divisor
  const phases = toRate / divisor
  const cutoff = PASS_BAND * Math.min(1, toRate / fromRate)
  const half = Math.ceil(CROSSINGS / cutoff)
  const filters = Array.from({ length: phases }, (_, phase) => sincFilter(phase / phases, half, cutoff))

  // Silence before the first sample, so that the first output is exactly at the first sample.
  let history = new Float32Array(half)
  let index = half
  let phase = 0

  return (block) => {
    const samples = new Float32Array(history.length + block.length)
    samples.set(history)
    samples.set(block, history.length)

    while (index + half < samples.length) {
      const filter = filters[phase]
      let sum = 0
      for (let tap = 0; tap < filter.length; tap += 1) sum += filter[tap] * samples[index - half + tap]
      onSample(sum)
      index += Math.floor((phase + step) / phases)
      phase = (phase + step) % phases
    }

    const keepFrom = Math.min(samples.length, index - half)
    history = samples.slice(keepFrom)
    index -= keepFrom
  }
}

/**
 * Taps for an output that lies `fraction` of a sample after its input sample, scaled so that a constant
 * signal is unchanged.
 *
 * @param {number} fraction
 * @param {number} half
 * @param {number} cutoff
 */
function sincFilter(fraction, half, cutoff) {
  const taps = new Float32Array(2 * half + 1)
  for (let tap = 0; tap < taps.length; tap += 1) {
    const distance = tap - half - fraction
    const x = Math.PI * cutoff * distance
    const window = 0.5 + 0.5 * Math.cos((Math.PI * distance) / (half + 1))
    taps[tap] = (x === 0 ? 1 : Math.sin(x) / x) * window
  }
  const sum = taps.reduce((total, tap) => total + tap, 0)
  return taps.map((tap) => tap / sum)
}

/** @type {(a: number, b: number) => number} */
const greatestCommonDivisor = (a, b) => (b === 0 ? a : greatestCommonDivisor(b, a % b))
