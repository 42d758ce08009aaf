import { checkNumber } from './checkNumber.js'

/** Samples a second on the service's sockets: 16-bit little-endian PCM, mono. */
export const SAMPLE_RATE = 16_000

/** Length of one frame. At `SAMPLE_RATE` a frame has 320 samples, which are 640 bytes. */
export const FRAME_MS = 20

/** Throws if no sound could have this rate. */
export const checkRate = (sampleRate: number): void => checkNumber('sampleRate', sampleRate, 1_000, 768_000)

/** Samples in one frame. */
export function samplesPerFrame(sampleRate: number): number {
  return Math.round((sampleRate * FRAME_MS) / 1_000)
}

/**
 * 16-bit samples in a buffer of their own. Not `Int16Array<ArrayBuffer>`, which has no type parameter before
 * TypeScript 5.7.
 */
export type Samples = ReturnType<Int16ArrayConstructor['from']>
