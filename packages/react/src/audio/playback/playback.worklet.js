// Runs on the audio thread, in a scope of its own: it imports nothing and stays one plain file, so that a page with a strict
// Content-Security-Policy can load it from its own origin (no blob:, no data:). This is why it is longer than other files.
//
// It keeps the samples that wait to be heard, and brings them from the sender's rate to the device's by one filter whose position goes on
// from chunk to chunk. The sender's clock and the device's are never quite the same, so it consumes a little faster or slower, by how much
// waits.

/** Taps of the filter on each side: images of what is below 7/8 of the band are more than 60 dB down, for 1.5 ms of delay at 16 kHz. */
const HALF_TAPS = 24
/** Share of the narrower band that passes; the rest is the filter's slope. */
const PASS_BAND = 0.95
/** Positions between two samples for which taps are computed. What lies between them is interpolated, with an error below -90 dB. */
const PHASES = 256
/** Shape of the Kaiser window: side lobes are 80 dB down. */
const KAISER_BETA = 8

/** Length of a fade: at every start, stop, change of volume, and before the samples run out. */
const FADE_SECONDS = 0.005
/** A gap without samples that is longer than this was a pause of the sender. A shorter one was an underrun. */
const PAUSE_SECONDS = 1
/** Frames of the device between two reports while something is heard. */
const REPORT_FRAMES = 2_048

/*
 * The loop that follows the sender's clock. It compares what waits when a chunk arrives with the cushion. A difference of 10 ms changes the
 * rate by 0.05 %, and a lasting one more and more, so that none remains. The rate that was found is kept for the next speech.
 */
const RATE_PER_SECOND = 0.05
const RATE_GROWTH = RATE_PER_SECOND ** 2 / 4
const RATE_MOST = 0.005
/** The differences of single chunks are jitter. This is how long they are averaged. */
const SMOOTHING_SECONDS = 2
/** More than this beyond the cushion is not drift: the sender gives faster than it is heard, as a TTS service does. */
const BACKLOG_SECONDS = 2

/**
 * What is heard, and when. Knows no browser: it is given samples, and renders blocks.
 *
 * @param {{ fromRate: number, toRate: number, cushionMs: number, capacity: number }} options rates in Hz; `capacity` in samples, a power of 2
 */
function createPlayer({ fromRate, toRate, cushionMs, capacity }) {
  const { half, taps } = createFilter(Math.min(1, toRate / fromRate))
  const width = 2 * half
  const ring = new Int16Array(capacity)
  const mask = capacity - 1
  const cushion = (cushionMs / 1_000) * fromRate
  const fade = FADE_SECONDS * fromRate
  // A hair faster than the samples run out.
  const gainStep = 1.02 / (FADE_SECONDS * toRate)
  const counters = { underruns: 0, pauses: 0, overflow: 0 }

  /** Samples since the beginning: `written` were given, and the next output stands at `position`. */
  let written = 0
  let position = 0
  /** Where an interruption began: what is before it is dropped when the fade is over. */
  let cutAt = -1
  let playing = false
  let gain = 0
  let volume = 1
  let nextVolume = 1
  let peak = 0
  /** Frames of the device since the beginning, and the frame of the event in the name. */
  let frames = 0
  let waitsSince = 0
  let ranDryAt = -1
  let measuredAt = 0
  let speechEnded = false
  /** Average difference between what waits and the cushion, in seconds. */
  let drift = 0
  /** Share by which the sender's clock is faster than the device's, as found so far. */
  let lasting = 0
  /** Samples consumed for one frame of the device. */
  let step = fromRate / toRate
  let lastChunk = 0

  /** @param {Int16Array} samples */
  function give(samples) {
    const waiting = written - Math.floor(position)
    // `half` samples before the position and behind the end are read too.
    if (waiting + samples.length + width > capacity) {
      counters.overflow += samples.length
      return
    }
    if (waiting === 0) waitsSince = frames
    if (ranDryAt >= 0) {
      if ((frames - ranDryAt) / toRate < PAUSE_SECONDS) counters.underruns += 1
      else counters.pauses += 1
      ranDryAt = -1
    }
    if (playing && frames > measuredAt) follow((written - position - cushion) / fromRate)
    for (let i = 0; i < samples.length; i += 1) ring[(written + i) & mask] = samples[i]
    written += samples.length
    // The filter looks ahead of the last sample: there is silence.
    for (let i = 0; i < half; i += 1) ring[(written + i) & mask] = 0
    lastChunk = samples.length
    speechEnded = false
  }

  /** @param {number} seconds what waits beside the cushion, when a chunk arrives */
  function follow(seconds) {
    const passed = (frames - measuredAt) / toRate
    measuredAt = frames
    const measured = Math.abs(seconds) > BACKLOG_SECONDS ? 0 : seconds
    drift += (measured - drift) * (1 - Math.exp(-passed / SMOOTHING_SECONDS))
    // A difference that already has the whole change of rate is the rest of a disturbance, and says nothing of the clocks.
    if (Math.abs(drift) * RATE_PER_SECOND < RATE_MOST)
      lasting = bounded(lasting + drift * RATE_GROWTH * passed)
    step = (fromRate / toRate) * (1 + bounded(lasting + drift * RATE_PER_SECOND))
  }

  function isDue() {
    const waiting = written - position
    if (waiting <= 0) return false
    const waited = ((frames - waitsSince) / toRate) * fromRate
    return speechEnded || waited >= cushion || waiting >= cushion + lastChunk
  }

  function start() {
    playing = true
    gain = 0
    drift = 0
    step = (fromRate / toRate) * (1 + lasting)
    measuredAt = frames
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
   * Fills a block. Returns true if something began or ended. What changes with each sample is in variables of the call, because those of a
   * closure cost an allocation for each change.
   *
   * @param {Float32Array} block
   */
  function render(block) {
    const wasPlaying = playing
    if (!playing && isDue()) start()
    if (!playing) volume = nextVolume
    const stopsAt = cutAt < 0 ? written : cutAt
    let [at, level, loudness, loudest] = [position, gain, volume, peak]
    const length = playing ? block.length : 0
    let i = 0
    for (; i < length && at < written; i += 1, at += step) {
      level =
        cutAt >= 0 || written - at <= fade ? Math.max(0, level - gainStep) : Math.min(1, level + gainStep)
      loudness += Math.max(-gainStep, Math.min(gainStep, nextVolume - loudness))
      const sample = level * loudness === 0 ? 0 : signalAt(at) * level * loudness
      block[i] = sample
      loudest = Math.max(loudest, Math.abs(sample))
      if (cutAt >= 0 && level === 0) break
    }
    block.fill(0, i)
    frames += block.length
    ;[position, gain, volume, peak] = [at, level, loudness, loudest]
    if (playing && (at >= written || i < block.length)) endPart(stopsAt)
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

  /** What was to be heard is over: interrupted, or run dry. @param {number} at */
  function endPart(at) {
    const wasInterrupted = cutAt >= 0
    stop(at)
    if (wasInterrupted) return
    if (speechEnded) counters.pauses += 1
    else ranDryAt = frames
  }

  return {
    give,
    render,
    /** Samples that were given before and are not heard yet are dropped, after a fade. */
    interrupt() {
      ranDryAt = -1
      if (playing) cutAt = written
      else stop(written)
    },
    /** The sender says that it pauses: what waits is heard now, and running dry is no underrun. */
    endOfSpeech() {
      speechEnded = true
      if (ranDryAt < 0) return
      ranDryAt = -1
      counters.pauses += 1
    },
    /** @param {number} next 0 to 1 */
    setVolume(next) {
      nextVolume = Math.max(0, Math.min(1, next))
    },
    /** What a page may know. The peak is that since the last report, and 0 if nothing is heard. */
    report() {
      const loudest = playing ? Math.min(1, peak) : 0
      peak = 0
      return { position: Math.min(position, written), playing, peak: loudest, ...counters }
    },
  }
}

/** @param {number} rate */
const bounded = (rate) => Math.max(-RATE_MOST, Math.min(RATE_MOST, rate))

/**
 * Taps of a windowed sinc for `PHASES` positions between two samples, and for the next sample; each set is scaled so that a constant stays
 * what it is.
 *
 * @param {number} band the narrower band, as a share of the sender's
 */
function createFilter(band) {
  const cutoff = PASS_BAND * band
  const half = Math.ceil(HALF_TAPS / band)
  const width = 2 * half
  const taps = new Float32Array((PHASES + 1) * width)
  for (let phase = 0; phase <= PHASES; phase += 1) {
    const row = taps.subarray(phase * width, (phase + 1) * width)
    for (let tap = 0; tap < width; tap += 1) {
      const distance = tap - half + 1 - phase / PHASES
      const x = Math.PI * cutoff * distance
      row[tap] = (x === 0 ? 1 : Math.sin(x) / x) * kaiser(distance / half)
    }
    const sum = row.reduce((total, tap) => total + tap, 0)
    for (let tap = 0; tap < width; tap += 1) row[tap] /= sum
  }
  return { half, taps }
}

/** The Kaiser window, without its constant factor. @param {number} x -1 to 1 */
function kaiser(x) {
  const argument = (KAISER_BETA * KAISER_BETA * Math.max(0, 1 - x * x)) / 4
  let sum = 1
  for (let k = 1, term = 1; k < 30; k += 1) {
    term *= argument / (k * k)
    sum += term
  }
  return sum
}

/**
 * `processorOptions` are `{ sampleRate, cushionMs, maxBufferedMs }`. A message to it is `{ samples }` (an ArrayBuffer of 16-bit samples),
 * `{ volume }`, `'interrupt'` or `'endOfSpeech'`. It posts a report when sound begins or ends, and now and then while it is heard.
 */
class PlaybackProcessor extends AudioWorkletProcessor {
  constructor({ processorOptions }) {
    super()
    const { sampleRate: fromRate, cushionMs, maxBufferedMs } = processorOptions
    // With room for a second in which reports are on their way.
    const capacity = 2 ** Math.ceil(Math.log2((maxBufferedMs / 1_000 + 1) * fromRate))
    const player = createPlayer({ fromRate, toRate: sampleRate, cushionMs, capacity })
    this.player = player
    // The first report says that the audio thread runs.
    this.unreported = REPORT_FRAMES
    // oxlint-disable-next-line unicorn/prefer-add-event-listener -- it also starts the port
    this.port.onmessage = ({ data }) => {
      if (data === 'interrupt') player.interrupt()
      else if (data === 'endOfSpeech') player.endOfSpeech()
      else if (data.samples) player.give(new Int16Array(data.samples))
      else player.setVolume(data.volume)
    }
  }

  process(_inputs, [[block, ...others]]) {
    const changed = this.player.render(block)
    for (const other of others) other.set(block)
    this.unreported += block.length
    if (changed || this.unreported >= REPORT_FRAMES) {
      const report = this.player.report()
      this.unreported = report.playing ? 0 : -Infinity
      this.port.postMessage({ ...report, time: currentTime }, [])
    }
    return true
  }
}

registerProcessor('stagepass-playback', PlaybackProcessor)
