/** Delay before each restart: the first two at once, then later and later. */
const DELAYS_MS: readonly number[] = [0, 0, 2_000, 4_000, 8_000, 16_000]
/** Sound that has flowed for this long is well again: the delays begin from the first. */
const STEADY_MS = 10_000

/**
 * Decides how long to wait before sound is started again, and when to give up. A worklet that always ends
 * after its first frame must not start a context for each frame.
 */
export function createRestarts() {
  let count = 0
  let flowingSince: number | undefined
  return {
    /** The restarts since sound flowed well. */
    count: (): number => count,
    /** Sound flows. */
    flowing(): void {
      flowingSince ??= performance.now()
    },
    /** The delay before the next restart, in ms. `undefined`: give up. */
    next(): number | undefined {
      const flowedMs = flowingSince === undefined ? 0 : performance.now() - flowingSince
      flowingSince = undefined
      if (flowedMs >= STEADY_MS) count = 0
      count += 1
      return DELAYS_MS[count - 1]
    },
    reset(): void {
      count = 0
      flowingSince = undefined
    },
  }
}
