import { readFileSync } from 'node:fs'

const HEADER_BYTES = 44
const BYTES_PER_MS = 32
const FRAME_BYTES = 640

/** The products to which the demo sends a recording, and the silence in which it ends there, in ms. */
const SILENCE_MS = { stt: 1_000, vt: 5_000, viva: 0 } as const
export type SoundProduct = keyof typeof SILENCE_MS

/** The sound that the demo sends: what follows the header of its WAV file. */
export const recording = readFileSync('examples/demo/public/recordings/sense-and-sensibility.wav').subarray(
  HEADER_BYTES,
)

/** The same as it arrives at a product: with the silence that follows it, up to a whole frame. */
export function sentRecording(product: SoundProduct): Buffer {
  const bytes = recording.length + SILENCE_MS[product] * BYTES_PER_MS
  return Buffer.concat([recording], Math.ceil(bytes / FRAME_BYTES) * FRAME_BYTES)
}
