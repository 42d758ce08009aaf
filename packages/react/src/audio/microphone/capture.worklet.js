// Runs on the audio thread, in a scope of its own: it imports nothing and stays one plain file, so that a page with a strict
// Content-Security-Policy can load it from its own origin (no blob:, no data:).
//
// It brings the microphone from the device's rate to the wire's (Firefox refuses a context at another rate than the device's, so the
// browser cannot do it everywhere) and posts whole frames of 16-bit PCM, however busy the page is.

/** Zero crossings of the filter on each side: what would alias is more than 60 dB down, for about a millisecond of delay. */
const CROSSINGS = 16
/** One block of the audio thread. */
const SILENCE = new Float32Array(128)
/** Share of the narrower band that passes; the rest is the filter's slope. */
const PASS_BAND = 0.92

/**
 * A polyphase windowed-sinc filter. The returned function takes a block and hands on each sample that can be computed with the input so
 * far; there is no seam between blocks.
 *
 * @param {number} fromRate
 * @param {number} toRate
 * @param {(sample: number) => void} onSample
 * @returns {(block: Float32Array) => void}
 */
function createResampler(fromRate, toRate, onSample) {
  const divisor = greatestCommonDivisor(fromRate, toRate)
  const step = fromRate / divisor
  const phases = toRate / divisor
  const cutoff = PASS_BAND * Math.min(1, toRate / fromRate)
  const half = Math.ceil(CROSSINGS / cutoff)
  const filters = Array.from({ length: phases }, (_, phase) => sincFilter(phase / phases, half, cutoff))

  // Silence before the first sample, so that the first output stands exactly on it.
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
 * Taps for an output that lies `fraction` of a sample after its input sample, scaled so that a constant stays what it is.
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

/** What is too loud is cut off, never wrapped around. @param {number} sample */
function toPcm16(sample) {
  const clipped = Math.max(-1, Math.min(1, sample))
  return Math.round(clipped * (clipped < 0 ? 0x8000 : 0x7fff))
}

/** `processorOptions` are `{ sampleRate, frameLength }`; each message is one frame, its loudest sample and its time. */
class CaptureProcessor extends AudioWorkletProcessor {
  constructor({ processorOptions }) {
    super()
    const { sampleRate: toRate, frameLength } = processorOptions
    let frame = new Int16Array(frameLength)
    let filled = 0
    let peak = 0
    this.resample = createResampler(sampleRate, toRate, (sample) => {
      frame[filled] = toPcm16(sample)
      peak = Math.max(peak, Math.abs(sample))
      filled += 1
      if (filled < frameLength) return
      this.port.postMessage({ frame: frame.buffer, peak: Math.min(1, peak), time: currentTime }, [
        frame.buffer,
      ])
      frame = new Int16Array(frameLength)
      filled = 0
      peak = 0
    })
  }

  process(inputs) {
    // Firefox gives a muted microphone no channel at all. Its silence goes on, because the other side counts on it.
    this.resample(inputs[0]?.[0] ?? SILENCE)
    return true
  }
}

registerProcessor('stagepass-capture', CaptureProcessor)
