import { parseJson } from './parseJson.js'
import { BLOCK_BYTES, BYTES_PER_SAMPLE, loudness } from '../speech/pcm.js'
import type { StreamFactory } from './Stream.js'

const DEFAULT_THRESHOLD = 0.02
/** What is left of the noise between words. */
const CLOSED_GAIN = 0.04
/** How fast the gate moves, per sample: open within about 5 ms, closed within about 60 ms. */
const OPENING = 0.02
const CLOSING = 0.002

/**
 * Voice Isolation. The emulator's invention. (Assumptions: "Frames".)
 *
 * Takes audio (see `pcm.ts`) in binary frames and answers each with one of the same length in which the quiet parts are turned down: a noise gate.
 * `{ "threshold": 0.05 }` (0 to 1) sets what counts as quiet and is answered by `{ type: 'configured', threshold }`.
 */
export const voiceIsolationStream: StreamFactory = (outlet) => {
  let threshold = DEFAULT_THRESHOLD
  let gain = CLOSED_GAIN

  const gate = (block: Buffer): void => {
    const wanted = loudness(block) >= threshold ? 1 : CLOSED_GAIN
    const speed = wanted > gain ? OPENING : CLOSING
    for (let at = 0; at + BYTES_PER_SAMPLE <= block.length; at += BYTES_PER_SAMPLE) {
      gain += (wanted - gain) * speed
      block.writeInt16LE(Math.round(block.readInt16LE(at) * gain), at)
    }
  }

  return {
    onBinary(bytes) {
      // A copy: the frame that came is in the emulator's record.
      const out = Buffer.from(bytes)
      for (let at = 0; at < out.length; at += BLOCK_BYTES) gate(out.subarray(at, at + BLOCK_BYTES))
      outlet.send(out)
    },
    onText(text) {
      const wanted = parseJson(text)?.threshold
      if (typeof wanted === 'number' && wanted >= 0 && wanted <= 1) {
        threshold = wanted
        outlet.send(JSON.stringify({ type: 'configured', threshold }))
        return
      }
      outlet.send(
        JSON.stringify({
          type: 'error',
          code: 'bad_frame',
          message: 'Send 16-bit little-endian PCM, 16 kHz, mono, in binary frames, or {"threshold":0.05}.',
        }),
      )
    },
  }
}
