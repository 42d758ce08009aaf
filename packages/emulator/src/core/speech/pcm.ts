/** The audio of all products here: signed 16-bit little-endian samples, one channel, 16,000 a second, no header. */
export const SAMPLE_RATE = 16_000
export const BYTES_PER_SAMPLE = 2

/** The unit in which loudness is judged: 20 ms. */
export const BLOCK_SAMPLES = SAMPLE_RATE / 50
export const BLOCK_BYTES = BLOCK_SAMPLES * BYTES_PER_SAMPLE

const FULL_SCALE = 32_768

/** Root mean square of the samples, from 0 (silence) to 1. A last odd byte is not looked at. */
export function loudness(bytes: Buffer): number {
  const samples = Math.floor(bytes.length / BYTES_PER_SAMPLE)
  if (samples === 0) return 0
  let sum = 0
  for (let index = 0; index < samples; index += 1) {
    const sample = bytes.readInt16LE(index * BYTES_PER_SAMPLE) / FULL_SCALE
    sum += sample * sample
  }
  return Math.sqrt(sum / samples)
}

/** Samples from -1 to 1 as bytes. */
export function encodePcm(samples: Float32Array): Buffer {
  const bytes = Buffer.alloc(samples.length * BYTES_PER_SAMPLE)
  samples.forEach((sample, index) => {
    const value = Math.max(-1, Math.min(1, sample)) * (FULL_SCALE - 1)
    bytes.writeInt16LE(Math.round(value), index * BYTES_PER_SAMPLE)
  })
  return bytes
}

/** Cuts a stream of frames of any length into blocks of 20 ms; what is over waits for the next frame. */
export function createBlocks(onBlock: (block: Buffer) => void): (bytes: Buffer) => void {
  let rest: Buffer = Buffer.alloc(0)
  return (bytes) => {
    rest = rest.length === 0 ? bytes : Buffer.concat([rest, bytes])
    let start = 0
    for (; start + BLOCK_BYTES <= rest.length; start += BLOCK_BYTES) {
      onBlock(rest.subarray(start, start + BLOCK_BYTES))
    }
    rest = rest.subarray(start)
  }
}
