/** Samples a second that the service's sockets carry: 16-bit little-endian PCM, mono. */
export const SAMPLE_RATE = 16_000

/** Length of one frame. At `SAMPLE_RATE` it holds 320 samples, which are 640 bytes. */
export const FRAME_MS = 20

/** Samples in one frame. */
export function samplesPerFrame(sampleRate: number): number {
  return Math.round((sampleRate * FRAME_MS) / 1_000)
}

/**
 * 16-bit samples over memory of their own. Written without `Int16Array<ArrayBuffer>`: before TypeScript 5.7
 * it has no type parameter.
 */
export type Samples = ReturnType<Int16ArrayConstructor['from']>
