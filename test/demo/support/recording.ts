import { readFileSync } from 'node:fs'

/** The sound that the demo sends: what follows the 44 bytes of a WAV file's header. */
export const recording = readFileSync('examples/demo/public/recordings/sense-and-sensibility.wav').subarray(
  44,
)
