import type { Samples } from '../sound/pcm.js'

/** Keeps the samples that an audio thread got until they were heard, so that another one can play them. */
export function createSent() {
  let chunks: Samples[] = []
  /** Position of the first sample of `chunks`. */
  let from = 0
  return {
    add: (samples: Samples): void => void chunks.push(samples),
    /** Forgets the chunks before this position. */
    forget(to: number): void {
      let count = 0
      for (const { length } of chunks) {
        if (from + length > to) break
        from += length
        count += 1
      }
      if (count > 0) chunks = chunks.slice(count)
    },
    /** The samples from this position on. */
    after(position: number): Samples[] {
      this.forget(position)
      const [first, ...others] = chunks
      return first ? [first.slice(Math.max(0, Math.round(position) - from)), ...others] : []
    },
  }
}
