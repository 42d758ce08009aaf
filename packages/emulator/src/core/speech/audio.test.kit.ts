import { encodePcm, SAMPLE_RATE } from './pcm.js'

/** A tone that counts as speech, or silence if `level` is 0. */
export function tone(seconds: number, level = 0.3): Buffer {
  const samples = Float32Array.from(
    { length: Math.round(seconds * SAMPLE_RATE) },
    (_, index) => level * Math.sin((2 * Math.PI * 220 * index) / SAMPLE_RATE),
  )
  return Buffer.from(encodePcm(samples))
}

/** Splits into frames of this many bytes. The last one may be shorter. */
export function framesOf(audio: Buffer, bytes: number): Buffer[] {
  return Array.from({ length: Math.ceil(audio.length / bytes) }, (_, index) =>
    audio.subarray(index * bytes, (index + 1) * bytes),
  )
}
