import { readFileSync } from 'node:fs'

const HEADER_BYTES = 44
const FRAME_BYTES = 640

/** The sound that the demo sends: what follows the header of its WAV file. */
export const recording = readFileSync('examples/demo/public/recordings/sense-and-sensibility.wav').subarray(
  HEADER_BYTES,
)

/** The same as it arrives: with silence up to a whole frame. */
export const sentRecording = Buffer.concat([
  recording,
  Buffer.alloc((FRAME_BYTES - (recording.length % FRAME_BYTES)) % FRAME_BYTES),
])
