import { readFileSync } from 'node:fs'
import type { Product } from '@stagepass/contract'
import { DEMO_PRODUCTS } from '../../../examples/demo/src/streams/demoProducts.js'

const HEADER_BYTES = 44
const BYTES_PER_MS = 32
const FRAME_BYTES = 640

/** The sound that the demo sends: its WAV file without the header. */
export const recording = readFileSync('examples/demo/public/recordings/sense-and-sensibility.wav').subarray(
  HEADER_BYTES,
)

/** The recording as it arrives at a product, padded with silence to a whole frame. */
export function sentRecording(product: Product): Buffer {
  const silenceMs = DEMO_PRODUCTS.find((shown) => shown.product === product)?.silenceMs ?? 0
  const bytes = recording.length + silenceMs * BYTES_PER_MS
  return Buffer.concat([recording], Math.ceil(bytes / FRAME_BYTES) * FRAME_BYTES)
}
