interface PaceOptions {
  readonly now: () => number
  /** How many times as fast as it was said. */
  readonly pace: () => number
  /** Of the sound. */
  readonly bytesPerSecond: number
}

/** So much may pass at once after a rest, such as the silence that ends a sentence. */
const BURST_MS = 1_000

/** Bounds how fast sound is sent. Live sound, which comes at real time, never waits. */
export function createPace({ now, pace, bytesPerSecond }: PaceOptions) {
  const most = (bytesPerSecond * BURST_MS) / 1_000
  let left = most
  let at = now()

  function refill(): void {
    const before = at
    at = now()
    left = Math.min(most, left + ((at - before) / 1_000) * bytesPerSecond * pace())
  }

  return {
    mayPass(): boolean {
      refill()
      return left > 0
    },
    pass(bytes: number): void {
      refill()
      left -= bytes
    },
  }
}
