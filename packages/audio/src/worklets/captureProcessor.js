import { createResampler } from './createResampler.js'

/*
 * Runs on the audio thread, see playbackProcessor.js. It converts the microphone from the device's rate to
 * the wire's, and posts whole frames of 16-bit PCM, even if the page is busy. The browser cannot convert
 * everywhere: Firefox refuses a context with another rate than the device's.
 */

/** One block of the audio thread. */
const SILENCE = new Float32Array(128)

/** Too loud samples are clipped, never wrapped around. @param {number} sample */
function toPcm16(sample) {
  const clipped = Math.max(-1, Math.min(1, sample))
  return Math.round(clipped * (clipped < 0 ? 0x8000 : 0x7fff))
}

/**
 * `processorOptions` are `{ sampleRate, frameLength }`; each message is one frame, its loudest sample and its
 * time.
 */
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
    // In Firefox a muted microphone has no channel. Its frames continue as silence, because the service
    // expects frames.
    this.resample(inputs[0]?.[0] ?? SILENCE)
    return true
  }
}

registerProcessor('stagepass-capture', CaptureProcessor)
