/*
 * The control loop that follows the sender's clock. When a chunk arrives, it compares the waiting sound with
 * the cushion. A difference of 10 ms changes the rate by 0.05 %; a lasting difference changes it more and
 * more, until the difference is gone. The rate is kept for the next speech.
 */
const RATE_PER_SECOND = 0.05
const RATE_GROWTH = RATE_PER_SECOND ** 2 / 4
const RATE_MOST = 0.005
/** The differences of single chunks are jitter. This is how long they are averaged. */
const SMOOTHING_SECONDS = 2
/** A larger difference is not drift: the sender is faster than real time, as a TTS service is. */
const BACKLOG_SECONDS = 2

/**
 * Finds how many samples are consumed for one frame of the device.
 *
 * @param {number} fromRate in Hz
 * @param {number} toRate in Hz
 */
export function createRateFollower(fromRate, toRate) {
  let measuredAt = 0
  /** Average difference between the waiting sound and the cushion, in seconds. */
  let drift = 0
  /** Share by which the sender's clock is faster than the device's, as measured so far. */
  let lasting = 0
  let step = fromRate / toRate

  return {
    step: () => step,
    /** Sound begins. @param {number} frames of the device since the beginning */
    start(frames) {
      drift = 0
      step = (fromRate / toRate) * (1 + lasting)
      measuredAt = frames
    },
    /**
     * @param {number} seconds the waiting sound minus the cushion, when a chunk arrives
     * @param {number} frames of the device since the beginning
     */
    follow(seconds, frames) {
      // Chunks that arrive together are measured once.
      if (frames <= measuredAt) return
      const passed = (frames - measuredAt) / toRate
      measuredAt = frames
      const measured = Math.abs(seconds) > BACKLOG_SECONDS ? 0 : seconds
      drift += (measured - drift) * (1 - Math.exp(-passed / SMOOTHING_SECONDS))
      // A difference that already causes the largest change of rate comes from a disturbance, and says
      // nothing about the clocks.
      if (Math.abs(drift) * RATE_PER_SECOND < RATE_MOST)
        lasting = bounded(lasting + drift * RATE_GROWTH * passed)
      step = (fromRate / toRate) * (1 + bounded(lasting + drift * RATE_PER_SECOND))
    },
  }
}

/** @param {number} rate */
const bounded = (rate) => Math.max(-RATE_MOST, Math.min(RATE_MOST, rate))
