// Written by scripts/embedWorklets.ts from the modules of worklets/. One plain file, to be served from the page's own origin.

// createResampler.js
var CROSSINGS = 16
var PASS_BAND = 0.92
function createResampler(fromRate, toRate, onSample) {
  const divisor = greatestCommonDivisor(fromRate, toRate)
  const step = fromRate / divisor
  const phases = toRate / divisor
  const cutoff = PASS_BAND * Math.min(1, toRate / fromRate)
  const half = Math.ceil(CROSSINGS / cutoff)
  const filters = Array.from({ length: phases }, (_, phase) => sincFilter(phase / phases, half, cutoff))
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
var greatestCommonDivisor = (a, b) => (b === 0 ? a : greatestCommonDivisor(b, a % b))

// captureProcessor.js
var SILENCE = /* @__PURE__ */ new Float32Array(128)
function toPcm16(sample) {
  const clipped = Math.max(-1, Math.min(1, sample))
  return Math.round(clipped * (clipped < 0 ? 32768 : 32767))
}
var CaptureProcessor = class extends AudioWorkletProcessor {
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
      this.port.postMessage(
        {
          frame: frame.buffer,
          peak: Math.min(1, peak),
          time: currentTime,
        },
        [frame.buffer],
      )
      frame = new Int16Array(frameLength)
      filled = 0
      peak = 0
    })
  }
  process(inputs) {
    this.resample(inputs[0]?.[0] ?? SILENCE)
    return true
  }
}
registerProcessor('stagepass-capture', CaptureProcessor)
