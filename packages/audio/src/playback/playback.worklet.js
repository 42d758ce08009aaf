// Written by scripts/embedWorklets.ts from the modules of worklets/. One plain file, to be served from the page's own origin.

// createFilter.js
var HALF_TAPS = 24
var PASS_BAND = 0.95
var PHASES = 256
function createFilter(band) {
  const cutoff = PASS_BAND * band
  const half = Math.ceil(HALF_TAPS / band)
  const width = 2 * half
  const taps = new Float32Array(257 * width)
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
  return {
    half,
    taps,
  }
}
function kaiser(x) {
  const argument = (64 * Math.max(0, 1 - x * x)) / 4
  let sum = 1
  for (let k = 1, term = 1; k < 30; k += 1) {
    term *= argument / (k * k)
    sum += term
  }
  return sum
}

// createRateFollower.js
var RATE_PER_SECOND = 0.05
var RATE_GROWTH = RATE_PER_SECOND ** 2 / 4
var RATE_MOST = 0.005
var SMOOTHING_SECONDS = 2
var BACKLOG_SECONDS = 2
function createRateFollower(fromRate, toRate) {
  let measuredAt = 0
  let drift = 0
  let lasting = 0
  let step = fromRate / toRate
  return {
    step: () => step,
    start(frames) {
      drift = 0
      step = (fromRate / toRate) * (1 + lasting)
      measuredAt = frames
    },
    follow(seconds, frames) {
      if (frames <= measuredAt) return
      const passed = (frames - measuredAt) / toRate
      measuredAt = frames
      drift +=
        ((Math.abs(seconds) > BACKLOG_SECONDS ? 0 : seconds) - drift) *
        (1 - Math.exp(-passed / SMOOTHING_SECONDS))
      if (Math.abs(drift) * RATE_PER_SECOND < RATE_MOST)
        lasting = bounded(lasting + drift * RATE_GROWTH * passed)
      step = (fromRate / toRate) * (1 + bounded(lasting + drift * RATE_PER_SECOND))
    },
  }
}
var bounded = (rate) => Math.max(-0.005, Math.min(RATE_MOST, rate))

// createPlayer.js
var FADE_SECONDS = 0.005
var PAUSE_SECONDS = 1
function createPlayer({ fromRate, toRate, cushionMs, capacity }) {
  const rate = createRateFollower(fromRate, toRate)
  const { half, taps } = createFilter(Math.min(1, toRate / fromRate))
  const width = 2 * half
  const ring = new Int16Array(capacity)
  const mask = capacity - 1
  const cushion = (cushionMs / 1e3) * fromRate
  const fade = FADE_SECONDS * fromRate
  const gainStep = 1.02 / (FADE_SECONDS * toRate)
  const counters = {
    underruns: 0,
    pauses: 0,
  }
  let written = 0
  let position = 0
  let cutAt = -1
  let playing = false
  let paused = false
  let gain = 0
  let volume = 1
  let nextVolume = 1
  let peak = 0
  let frames = 0
  let waitsSince = 0
  let ranDryAt = -1
  let speechEnded = false
  let lastChunk = 0
  function give(samples) {
    const waiting = written - Math.floor(position)
    if (waiting + samples.length + width > capacity) return
    if (waiting === 0) waitsSince = frames
    if (ranDryAt >= 0) {
      if ((frames - ranDryAt) / toRate < PAUSE_SECONDS) counters.underruns += 1
      else counters.pauses += 1
      ranDryAt = -1
    }
    if (playing) rate.follow((written - position - cushion) / fromRate, frames)
    for (let i = 0; i < samples.length; i += 1) ring[(written + i) & mask] = samples[i]
    written += samples.length
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
  function stop(at) {
    playing = false
    gain = 0
    position = at
    cutAt = -1
    waitsSince = frames
  }
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
    return (sum + (next - sum) * (phase - row)) / 32768
  }
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
    interrupt() {
      ranDryAt = -1
      if (playing) cutAt = written
      else stop(written)
    },
    endOfSpeech() {
      speechEnded = true
      if (ranDryAt < 0) return
      ranDryAt = -1
      counters.pauses += 1
    },
    setPaused(next) {
      paused = next
    },
    setVolume(next) {
      nextVolume = Math.max(0, Math.min(1, next))
    },
    report() {
      const loudest = playing ? Math.min(1, peak) : 0
      peak = 0
      return {
        position: Math.min(position, written),
        playing,
        peak: loudest,
        ...counters,
      }
    },
  }
}

// playbackProcessor.js
var REPORT_FRAMES = 2048
var PlaybackProcessor = class extends AudioWorkletProcessor {
  constructor({ processorOptions }) {
    super()
    const { sampleRate: fromRate, cushionMs, maxBufferedMs } = processorOptions
    const capacity = 2 ** Math.ceil(Math.log2((maxBufferedMs / 1e3 + 1) * fromRate))
    const player = createPlayer({
      fromRate,
      toRate: sampleRate,
      cushionMs,
      capacity,
    })
    this.player = player
    this.unreported = REPORT_FRAMES
    this.port.onmessage = ({ data }) => {
      if (data === 'interrupt') player.interrupt()
      else if (data === 'endOfSpeech') player.endOfSpeech()
      else if (data.samples) player.give(new Int16Array(data.samples))
      else {
        player.setVolume(data.volume)
        player.setPaused(data.paused)
      }
    }
  }
  process(_inputs, [[block, ...others]]) {
    const changed = this.player.render(block)
    for (const other of others) other.set(block)
    this.unreported += block.length
    if (changed || this.unreported >= REPORT_FRAMES) {
      const report = this.player.report()
      this.unreported = report.playing ? 0 : -Infinity
      this.port.postMessage(
        {
          ...report,
          time: currentTime,
        },
        [],
      )
    }
    return true
  }
}
registerProcessor('stagepass-playback', PlaybackProcessor)
