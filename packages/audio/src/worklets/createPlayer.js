import { createFilter, PHASES } from './createFilter.js'
import { createRateFollower } from './createRateFollower.js'

/** Length of a fade: at every start, stop, change of volume, and before the samples run out. */
const FADE_SECONDS = 0.005
/**
 * A gap without samples that is longer than this was a pause of the sender. A shorter one was an underrun.
 */
const PAUSE_SECONDS = 1

/**
 * Decides which samples are heard, and when. Independent of the browser: it takes samples, and renders
 * blocks.
 *
 * @param {{ fromRate: number, toRate: number, cushionMs: number, capacity: number }} options rates in Hz;
 * `capacity` in samples, a power of 2
 */
export function createPlayer({ fromRate, toRate, cushionMs, capacity }) {
  const rate = createRateFollower(fromRate, toRate)
  const { half, taps } = createFilter(Math.min(1, toRate / fromRate))
  const width = 2 * half
  const ring = new Int16Array(capacity)
  const mask = capacity - 1
  const cushion = (cushionMs / 1_000) * fromRate
  const fade = FADE_SECONDS * fromRate
  // Slightly faster than the samples run out.
  const gainStep = 1.02 / (FADE_SECONDS * toRate)
  const counters = { underruns: 0, pauses: 0 }

  /** Samples since the beginning: `written` were received, and `position` is the next one to output. */
  let written = 0
  let position = 0
  /** Position of an interruption: the samples before it are dropped after the fade. */
  let cutAt = -1
  let playing = false
  /** While paused, waiting samples are kept. */
  let paused = false
  let gain = 0
  let volume = 1
  let nextVolume = 1
  let peak = 0
  /** Frames of the device since the beginning, and the frame at which each named event happened. */
  let frames = 0
  let waitsSince = 0
  let ranDryAt = -1
  let speechEnded = false
  let lastChunk = 0

  /**
   * The filter also reads `half` samples before the position and after the end. The page sends no more than
   * `maxBufferedMs`, which fits.
   *
   * @param {Int16Array} samples
   */
  const hasRoomFor = (samples) => written - Math.floor(position) + samples.length + width <= capacity

  /** @param {Int16Array} samples */
  function give(samples) {
    // The page no longer counts what was interrupted. If it is in the way, it ends without its fade.
    if (cutAt >= 0 && !hasRoomFor(samples)) stop(cutAt)
    if (!hasRoomFor(samples)) return
    const waiting = written - Math.floor(position)
    if (waiting === 0) waitsSince = frames
    if (ranDryAt >= 0) {
      if ((frames - ranDryAt) / toRate < PAUSE_SECONDS) counters.underruns += 1
      else counters.pauses += 1
      ranDryAt = -1
    }
    if (playing) rate.follow((written - position - cushion) / fromRate, frames)
    for (let i = 0; i < samples.length; i += 1) ring[(written + i) & mask] = samples[i]
    written += samples.length
    // The filter reads beyond the last sample, so silence follows it.
    for (let i = 0; i < half; i += 1) ring[(written + i) & mask] = 0
    lastChunk = samples.length
    speechEnded = false
  }

  function isDue() {
    const waiting = written - position
    if (paused || waiting <= 0) return false
    const waited = ((frames - waitsSince) / toRate) * fromRate
    return speechEnded || waited >= cushion || waiting >= cushion + lastChunk
  }

  function start() {
    playing = true
    gain = 0
    rate.start(frames)
  }

  /** @param {number} at position from which the next sound is heard */
  function stop(at) {
    playing = false
    gain = 0
    position = at
    cutAt = -1
    waitsSince = frames
  }

  /**
   * Fills a block. Returns true if sound began or ended. Values that change with each sample are local
   * variables, because each change of a closure's variable costs an allocation.
   *
   * @param {Float32Array} block
   */
  function render(block) {
    const wasPlaying = playing
    if (!playing && isDue()) start()
    if (!playing) volume = nextVolume
    let [at, level, loudness, loudest] = [position, gain, volume, peak]
    const step = rate.step()
    const length = playing ? block.length : 0
    const isEnding = paused || cutAt >= 0
    let i = 0
    for (; i < length && at < written; i += 1, at += step) {
      level = isEnding || written - at <= fade ? Math.max(0, level - gainStep) : Math.min(1, level + gainStep)
      loudness += Math.max(-gainStep, Math.min(gainStep, nextVolume - loudness))
      const sample = level * loudness === 0 ? 0 : signalAt(at) * level * loudness
      block[i] = sample
      loudest = Math.max(loudest, Math.abs(sample))
      if (isEnding && level === 0) break
    }
    block.fill(0, i)
    frames += block.length
    ;[position, gain, volume, peak] = [at, level, loudness, loudest]
    if (playing && (at >= written || i < block.length)) endPart()
    return playing !== wasPlaying
  }

  /** The signal between two samples: two neighbouring sets of taps, interpolated. @param {number} at */
  function signalAt(at) {
    const index = Math.floor(at)
    const phase = (at - index) * PHASES
    const row = Math.floor(phase)
    const from = row * width
    const first = index - half + 1
    let sum = 0
    let next = 0
    for (let tap = 0; tap < width; tap += 1) {
      const sample = ring[(first + tap) & mask]
      sum += sample * taps[from + tap]
      next += sample * taps[from + width + tap]
    }
    return (sum + (next - sum) * (phase - row)) / 0x8000
  }

  /** The sound has ended: it was interrupted or paused, or no samples are left. */
  function endPart() {
    const isDry = cutAt < 0 && position >= written
    stop(cutAt < 0 ? Math.min(position, written) : cutAt)
    if (!isDry) return
    if (speechEnded) counters.pauses += 1
    else ranDryAt = frames
  }

  return {
    give,
    render,
    /** Drops all samples that were not heard yet, after a fade. */
    interrupt() {
      ranDryAt = -1
      if (playing) cutAt = written
      else stop(written)
    },
    /** The sender pauses: waiting samples are heard now, and their end is not an underrun. */
    endOfSpeech() {
      speechEnded = true
      if (ranDryAt < 0) return
      ranDryAt = -1
      counters.pauses += 1
    },
    /** Fades out and keeps the waiting samples, or continues with them. @param {boolean} next */
    setPaused(next) {
      paused = next
    },
    /** @param {number} next 0 to 1 */
    setVolume(next) {
      nextVolume = Math.max(0, Math.min(1, next))
    },
    /** Samples wait to be heard. */
    isWaiting: () => position < written,
    /** The report for the page. `peak` is since the last report, and 0 if nothing is heard. */
    report() {
      const loudest = playing ? Math.min(1, peak) : 0
      peak = 0
      return { position: Math.min(position, written), playing, peak: loudest, ...counters }
    },
  }
}
