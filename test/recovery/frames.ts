const RATE = 16_000
export const FRAME_MS = 20
const SAMPLES = (RATE * FRAME_MS) / 1_000
const MARK = [12_345, -12_345]
const DIGITS = 16_384

/**
 * A frame of loud noise with its number at its beginning. The noise is the same for the same number, and like no
 * other.
 */
export function frameOf(frame: number): Uint8Array<ArrayBuffer> {
  let state = (frame + 1_000) * 2_654_435_761
  const noise = (): number => {
    state = (Math.imul(state ^ (state >>> 15), 0x2c1b3c6d) + 0x9e3779b9) | 0
    return ((state >>> 8) % 16_000) - 8_000
  }
  const samples = Int16Array.from({ length: SAMPLES }, noise)
  samples.set([...MARK, frame % DIGITS, Math.floor(frame / DIGITS)])
  return new Uint8Array(samples.buffer)
}

/** The numbers of the frames in a sound. */
export function framesIn(samples: Int16Array): number[] {
  const found: number[] = []
  for (let at = 0; at + 4 <= samples.length; at += 1)
    if (samples[at] === MARK[0] && samples[at + 1] === MARK[1])
      found.push((samples[at + 2] ?? 0) + (samples[at + 3] ?? 0) * DIGITS)
  return found
}
