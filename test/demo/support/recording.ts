import { readFileSync } from 'node:fs'
import type { Product } from '@stagepass/contract'
import { DEMO_PRODUCTS } from '../../../examples/demo/src/streams/demoProducts.js'

const HEADER_BYTES = 44
const BYTES_PER_MS = 32
const FRAME_BYTES = 640

/** The sound that the demo sends: what follows the header of its WAV file. */
export const recording = readFileSync('examples/demo/public/recordings/sense-and-sensibility.wav').subarray(
  HEADER_BYTES,
)

/** The same as it arrives at a product: with the silence that follows it, up to a whole frame. */
export function sentRecording(product: Product): Buffer {
  const silenceMs = DEMO_PRODUCTS.find((shown) => shown.product === product)?.silenceMs ?? 0
  const bytes = recording.length + silenceMs * BYTES_PER_MS
  return Buffer.concat([recording], Math.ceil(bytes / FRAME_BYTES) * FRAME_BYTES)
}
