/** What one bar stands for. */
export const BAR_MS = 60
/** Bars that are kept: more than any screen shows. */
const KEPT = 256

/** Loudness of one direction over time, as bars. Knows no canvas. */
export interface WaveLane {
  /**
   * Adds samples that begin now, or behind those that have not had their time yet: a burst is laid out as it
   * will be heard.
   */
  add(samples: Int16Array, nowMs: number): void
  /** Height of a bar, 0 to 1; bars are numbered by time. */
  bar(index: number): number
  /** Time at which the last sample is over. */
  readonly endsAtMs: number
}

export const barAt = (timeMs: number): number => Math.floor(timeMs / BAR_MS)

const SAMPLES_PER_MS = 16
/** Loudness is taken over pieces of this length. */
const PIECE = 10 * SAMPLES_PER_MS

export function createWaveLane(): WaveLane {
  const peaks = new Float32Array(KEPT)
  const owners = new Float64Array(KEPT).fill(-1)
  let endsAtMs = 0

  return {
    add(samples, nowMs) {
      let at = Math.max(nowMs, endsAtMs)
      for (let start = 0; start < samples.length; start += PIECE) {
        const piece = samples.subarray(start, start + PIECE)
        const index = barAt(at)
        const slot = index % KEPT
        if (owners[slot] !== index) peaks[slot] = 0
        owners[slot] = index
        for (const sample of piece) peaks[slot] = Math.max(peaks[slot] ?? 0, Math.abs(sample) / 0x8000)
        at += piece.length / SAMPLES_PER_MS
      }
      endsAtMs = at
    },
    bar: (index) => (owners[index % KEPT] === index ? (peaks[index % KEPT] ?? 0) : 0),
    get endsAtMs() {
      return endsAtMs
    },
  }
}
