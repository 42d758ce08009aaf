import { type CreateProductStream, parseJson, refuseFrame, sendJson } from './ProductStream.js'
import { BLOCK_BYTES, BYTES_PER_SAMPLE, loudness, viewSamples } from '../speech/pcm.js'

const DEFAULT_THRESHOLD = 0.02
/** Gain for the noise between words. */
const CLOSED_GAIN = 0.04
/** Speed of the gate, per sample. It opens within about 5 ms and closes within about 60 ms. */
const OPENING = 0.02
const CLOSING = 0.002

/**
 * Voice Isolation. The emulator invented these frames. (Assumptions: "Frames".)
 *
 * A noise gate: accepts audio (see `pcm.ts`) in binary frames, and answers each with a frame of the same
 * length in which the quiet parts are attenuated. `{ "threshold": 0.05 }` (0 to 1) sets the loudness below
 * which audio is quiet, and is answered with `{ type: 'configured', threshold }`.
 */
export const voiceIsolationStream: CreateProductStream = (output) => {
  let threshold = DEFAULT_THRESHOLD
  let gain = CLOSED_GAIN

  const gate = (block: Uint8Array): void => {
    const wanted = loudness(block) >= threshold ? 1 : CLOSED_GAIN
    const view = viewSamples(block)
    const speed = wanted > gain ? OPENING : CLOSING
    for (let at = 0; at + BYTES_PER_SAMPLE <= block.length; at += BYTES_PER_SAMPLE) {
      gain += (wanted - gain) * speed
      view.setInt16(at, Math.round(view.getInt16(at, true) * gain), true)
    }
  }

  return {
    onBinary(bytes) {
      // A copy, because the received message is kept in `upstream.frames`.
      const out = new Uint8Array(bytes)
      for (let at = 0; at < out.length; at += BLOCK_BYTES) gate(out.subarray(at, at + BLOCK_BYTES))
      output.send(out)
    },
    onText(text) {
      const wanted = parseJson(text)?.threshold
      if (typeof wanted === 'number' && wanted >= 0 && wanted <= 1) {
        threshold = wanted
        sendJson(output, { type: 'configured', threshold })
        return
      }
      refuseFrame(
        output,
        'Send 16-bit little-endian PCM, 16 kHz, mono, in binary frames, or {"threshold":0.05}.',
      )
    },
  }
}
