import { after } from './after.js'
import { checkRate, FRAME_MS, SAMPLE_RATE, samplesPerFrame } from './pcm.js'

/** Options of `pacedFrames`. */
export interface PacedFramesOptions {
  /** Ends the frames early, without an error. */
  readonly signal?: AbortSignal | undefined
  /** Rate of the samples. Default 16,000. */
  readonly sampleRate?: number | undefined
}

/**
 * Yields a recording at the pace of a microphone: one frame every 20 ms (640 bytes at 16 kHz), the last one
 * padded with silence. The clock sets the pace, not a sum of delays, so the frames catch up after a late
 * timer.
 *
 *     for await (const frame of pacedFrames(recording.samples, { signal })) stream.send(frame)
 */
export async function* pacedFrames(
  samples: Int16Array,
  { signal, sampleRate = SAMPLE_RATE }: PacedFramesOptions = {},
): AsyncGenerator<ArrayBuffer, void, undefined> {
  checkRate(sampleRate)
  const length = samplesPerFrame(sampleRate)
  const startedAt = performance.now()

  for (let index = 0; index * length < samples.length; index += 1) {
    const earlyMs = startedAt + index * FRAME_MS - performance.now()
    if (earlyMs > 0) await new Promise<void>((resolve) => after(resolve, earlyMs))
    if (signal?.aborted) return
    const frame = new Int16Array(length)
    frame.set(samples.subarray(index * length, (index + 1) * length))
    yield frame.buffer
  }
}
