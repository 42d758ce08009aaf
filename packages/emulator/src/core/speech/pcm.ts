import { concatBytes } from '../platform/bytes.js'

/**
 * The audio of all products of the emulator: signed 16-bit little-endian samples, one channel, 16,000 samples
 * a second, no header.
 */
export const SAMPLE_RATE = 16_000
export const BYTES_PER_SAMPLE = 2

/** Loudness is measured over blocks of this length: 20 ms. */
export const BLOCK_SAMPLES = SAMPLE_RATE / 50
export const BLOCK_BYTES = BLOCK_SAMPLES * BYTES_PER_SAMPLE

const FULL_SCALE = 32_768

/** The samples of a block. */
export function viewSamples(bytes: Uint8Array): DataView {
  return new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength)
}

/** Root mean square of the samples, from 0 (silence) to 1. A last odd byte is ignored. */
export function loudness(bytes: Uint8Array): number {
  const samples = Math.floor(bytes.length / BYTES_PER_SAMPLE)
  if (samples === 0) return 0
  const view = viewSamples(bytes)
  let sum = 0
  for (let index = 0; index < samples; index += 1) {
    const sample = view.getInt16(index * BYTES_PER_SAMPLE, true) / FULL_SCALE
    sum += sample * sample
  }
  return Math.sqrt(sum / samples)
}

/** Converts samples from -1 to 1 to bytes. */
export function encodePcm(samples: Float32Array): Uint8Array {
  const bytes = new Uint8Array(samples.length * BYTES_PER_SAMPLE)
  const view = viewSamples(bytes)
  samples.forEach((sample, index) => {
    const value = Math.max(-1, Math.min(1, sample)) * (FULL_SCALE - 1)
    view.setInt16(index * BYTES_PER_SAMPLE, Math.round(value), true)
  })
  return bytes
}

/** Splits messages of any length into blocks of 20 ms. The rest is kept for the next message. */
export function createBlocks(onBlock: (block: Uint8Array) => void): (bytes: Uint8Array) => void {
  let rest: Uint8Array = new Uint8Array(0)
  return (bytes) => {
    rest = rest.length === 0 ? bytes : concatBytes([rest, bytes])
    let start = 0
    for (; start + BLOCK_BYTES <= rest.length; start += BLOCK_BYTES) {
      onBlock(rest.subarray(start, start + BLOCK_BYTES))
    }
    rest = rest.subarray(start)
  }
}

/** Rounds to whole milliseconds. */
export function roundSeconds(seconds: number): number {
  return Math.round(seconds * 1_000) / 1_000
}
