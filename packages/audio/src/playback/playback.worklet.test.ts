import { expect, it } from 'vitest'
import { loadWorklet } from '../sound/loadWorklet.test.kit.js'
import { distortionDb, sweep } from '../sound/spectrum.test.kit.js'

const FROM = 16_000
const CUSHION_MS = 120

interface Report {
  readonly position: number
  readonly playing: boolean
  readonly underruns: number
  readonly pauses: number
  readonly peak: number
  readonly time: number
}

/**
 * The worklet on a device with this rate, in virtual time. The heard sound is collected, or passed to
 * `onBlock`.
 */
function setup({ deviceRate = 48_000, cushionMs = CUSHION_MS } = {}) {
  const worklet = loadWorklet<Report>('packages/audio/src/playback/playback.worklet.js', deviceRate, {
    sampleRate: FROM,
    cushionMs,
    maxBufferedMs: 30_000,
  })
  const heard: number[] = []
  let given = 0
  let end = 0
  return {
    ...worklet,
    heard,
    give: (samples: Int16Array): void => {
      given += samples.length
      worklet.post({ samples: samples.slice().buffer })
    },
    /** Renders this many seconds more. Blocks need not fit: the next call renders less by the excess. */
    play: (seconds: number, onBlock = (block: Float32Array): void => void heard.push(...block)): void => {
      end += seconds
      while (worklet.now() < end - 1e-9) onBlock(worklet.render())
    },
    /** The waiting sound, from the last report and the time since. */
    waitingMs: (): number => {
      const { position, time } = worklet.posted.at(-1)!
      return ((given - position) / FROM - (worklet.now() - time)) * 1_000
    },
    last: () => worklet.posted.at(-1)!,
  }
}

const tone = (hertz: number, loudness: number, seconds: number, from = 0): Int16Array =>
  Int16Array.from({ length: Math.round(seconds * FROM) }, (_, i) =>
    Math.round(0x7fff * loudness * Math.sin((2 * Math.PI * hertz * (i + from)) / FROM)),
  )

const largestStep = (samples: readonly number[]): number =>
  samples.reduce((most, sample, i) => Math.max(most, Math.abs(sample - (samples[i - 1] ?? 0))), 0)

/** Numbers from 0 to 1 that are the same in every run. */
function createRandom(seed: number): () => number {
  let state = seed
  return () => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0
    return state / 2 ** 32
  }
}

it.each([8_000, 44_100, 48_000])(
  'plays 20 Hz to 7 kHz on a %i Hz device without distortion or images',
  (deviceRate) => {
    const highest = Math.min(7_000, deviceRate * 0.43)
    const worst = sweep(20, highest, 16).map((hertz) => {
      const { give, play, heard } = setup({ deviceRate })
      give(tone(hertz, 0.5, 1.6))
      play(1.6)
      const steady = Float32Array.from(heard.slice(Math.round(deviceRate * 0.15)))
      return distortionDb(steady, deviceRate, hertz)
    })
    expect(Math.max(...worst)).toBeLessThan(-60)
  },
)

it('keeps the level up to 7 kHz', () => {
  for (const hertz of sweep(20, 7_000, 8)) {
    const { give, play, heard } = setup()
    give(tone(hertz, 0.5, 1))
    play(0.8)
    const steady = heard.slice(9_600)
    const rms = Math.sqrt(steady.reduce((sum, sample) => sum + sample ** 2, 0) / steady.length)
    expect(20 * Math.log10(rms / (0.5 / Math.SQRT2))).toBeCloseTo(0, 0)
  }
})

it('has no seam between chunks, also while it follows a sender that is faster', () => {
  const { give, play, heard } = setup()
  // Chunks of 20 ms that come every 19.9 ms: 5,000 ppm.
  for (let chunk = 0; chunk < 400; chunk += 1) {
    give(tone(1_000, 0.5, 0.02, chunk * 320))
    play(0.0199)
  }
  const steady = Float32Array.from(heard.slice(-65_536))
  // The rate rises by the sender's lead, and the tone with it.
  const crossings = steady.reduce(
    (count, sample, i) => count + Number(sample >= 0 && (steady[i - 1] ?? 0) < 0),
    0,
  )
  expect(distortionDb(steady, 48_000, (crossings * 48_000) / steady.length)).toBeLessThan(-60)
})

it.each([
  ['fast', 200e-6],
  ['slow', -200e-6],
])('follows a sender that is 200 ppm too %s for ten minutes', (_name, ppm) => {
  const { give, play, post, posted, waitingMs, last } = setup({ deviceRate: 24_000 })
  // With volume 0 the samples of ten minutes are consumed, but not computed.
  post({ volume: 0 })
  const random = createRandom(7)
  const frame = tone(440, 0.5, 0.02)
  const waiting: number[] = []
  const chunkSeconds = 0.02 / (1 + ppm)
  const chunks = Math.floor(600 / chunkSeconds)
  let at = 0
  for (let chunk = 0; chunk < chunks; chunk += 1) {
    // The network delivers up to 15 ms late.
    const next = chunk * chunkSeconds + random() * 0.015
    play(next - at, () => {})
    at = next
    // Measured before a chunk, after the first seconds in which the loop settles.
    if (chunk % 50 === 49 && chunk > 500) waiting.push(waitingMs())
    posted.splice(0, posted.length - 1)
    give(frame)
  }
  expect(last()).toMatchObject({ underruns: 0, pauses: 0 })
  expect(Math.max(...waiting.map((ms) => Math.abs(ms - CUSHION_MS)))).toBeLessThan(20)
})

it('returns to the cushion after the device was stopped, without an underrun', () => {
  const { give, play, post, waitingMs, last } = setup({ deviceRate: 24_000 })
  post({ volume: 0 })
  const frame = tone(440, 0.5, 0.02)
  const live = (seconds: number): void => {
    for (let chunk = 0; chunk < seconds * 50; chunk += 1) {
      give(frame)
      play(0.02)
    }
  }
  live(30)
  for (let chunk = 0; chunk < 40; chunk += 1) give(frame)
  live(60)
  expect(waitingMs()).toBeLessThan(700)
  live(300)
  expect(Math.abs(waitingMs() - CUSHION_MS)).toBeLessThan(20)
  expect(last()).toMatchObject({ underruns: 0, pauses: 0 })
})

it('fades out when the samples run out, and fades in when they continue', () => {
  const random = createRandom(11)
  const { give, play, heard, last } = setup()
  let sent = 0
  const send = (seconds: number): void => {
    give(tone(440, 0.5, seconds, sent))
    sent += Math.round(seconds * FROM)
  }
  for (let underrun = 0; underrun < 50; underrun += 1) {
    const seconds = 0.15 + random() * 0.1
    send(seconds)
    // First a part is heard, then more samples come, then all is heard and a gap follows.
    play(random() * 0.2)
    send(random() * 0.1)
    play(0.5 + random() * 0.4)
  }
  send(0.1)
  play(0.5)
  expect(last().underruns).toBe(50)
  expect(last().pauses).toBe(0)
  expect(largestStep(heard)).toBeLessThan(0.05)
})

it('begins after the cushion, or at once if more samples are waiting', () => {
  const slow = setup()
  for (let i = 0; i < 20; i += 1) {
    slow.give(tone(1_000, 0.5, 0.02, i * 320))
    slow.play(0.02)
  }
  const firstHeard = slow.heard.findIndex((sample) => Math.abs(sample) > 0.01) / 48
  expect(firstHeard).toBeGreaterThan(CUSHION_MS)
  expect(firstHeard).toBeLessThan(CUSHION_MS + 6)

  const burst = setup()
  for (let i = 0; i < 20; i += 1) burst.give(tone(1_000, 0.5, 0.02, i * 320))
  burst.play(0.02)
  expect(burst.heard.some((sample) => Math.abs(sample) > 0.01)).toBe(true)
})

it('does not play faster because a sender is faster than speech', () => {
  const { give, play, last } = setup()
  for (let i = 0; i < 40; i += 1) give(tone(440, 0.5, 0.1, i * 1_600))
  play(0.1)
  const before = last()
  for (let i = 0; i < 160; i += 1) {
    give(tone(440, 0.5, 0.1, i * 1_600))
    play(0.05)
  }
  const consumed = (last().position - before.position) / FROM
  expect(consumed / (last().time - before.time)).toBeCloseTo(1, 4)
})

it('plays sound that is shorter than the cushion, at once after `endOfSpeech`', () => {
  const { give, play, heard, post, last } = setup()
  give(tone(1_000, 0.5, 0.05))
  play(0.115)
  expect(Math.max(...heard)).toBe(0)
  play(0.02)
  expect(Math.max(...heard)).toBeGreaterThan(0.1)
  play(0.5)
  expect(last()).toMatchObject({ playing: false, underruns: 0 })

  post('endOfSpeech')
  heard.length = 0
  give(tone(1_000, 0.5, 0.05))
  post('endOfSpeech')
  play(0.02)
  expect(Math.max(...heard)).toBeGreaterThan(0.1)
})

it('distinguishes an underrun from a pause', () => {
  const { give, play, post, last } = setup()
  const speak = (): void => {
    give(tone(1_000, 0.5, 0.3))
    play(0.5)
  }
  speak()
  expect(last()).toMatchObject({ underruns: 0, pauses: 0 })
  speak()
  expect(last()).toMatchObject({ underruns: 1, pauses: 0 })
  // Longer than a second.
  play(1)
  speak()
  expect(last()).toMatchObject({ underruns: 1, pauses: 1 })
  // `endOfSpeech` came before the samples ran out, and after.
  post('endOfSpeech')
  speak()
  expect(last()).toMatchObject({ underruns: 1, pauses: 2 })
  give(tone(1_000, 0.5, 0.3))
  post('endOfSpeech')
  play(0.5)
  speak()
  expect(last()).toMatchObject({ underruns: 2, pauses: 3 })
})

it('is silent within 30 ms of an interrupt, without a click, and drops only the samples from before it', () => {
  const { give, play, post, heard, waitingMs } = setup()
  give(tone(440, 0.5, 5))
  play(1)
  const from = heard.length
  post('interrupt')
  give(tone(1_000, 0.25, 0.2))
  play(0.1)
  const lastSound = heard.slice(from).findLastIndex((sample) => sample !== 0)
  expect(lastSound / 48).toBeLessThan(30)
  expect(largestStep(heard)).toBeLessThan(0.05)
  // The 200 ms that came after the interrupt.
  expect(waitingMs()).toBeGreaterThan(50)
  heard.length = 0
  play(0.3)
  expect(Math.max(...heard)).toBeCloseTo(0.25, 1)
})

it('plays what comes with an interrupt, also if there is no room for it beside the sound from before', () => {
  const { give, play, post, heard } = setup()
  give(tone(440, 0.5, 20))
  play(1)
  post('interrupt')
  give(tone(1_000, 0.25, 16))
  heard.length = 0
  play(1)
  expect(Math.max(...heard)).toBeCloseTo(0.25, 1)
  play(14)
  heard.length = 0
  play(0.5)
  expect(Math.max(...heard)).toBeCloseTo(0.25, 1)
})

it('is silent within 30 ms of a pause, without a click, and continues at the same place', () => {
  const { give, play, post, heard, waitingMs, last } = setup()
  give(tone(440, 0.5, 1))
  play(0.5)
  const from = heard.length
  post({ volume: 1, paused: true })
  play(0.1)
  const lastSound = heard.slice(from).findLastIndex((sample) => sample !== 0)
  expect(lastSound / 48).toBeLessThan(30)
  expect(last().playing).toBe(false)
  const { position } = last()
  give(tone(440, 0.5, 1, FROM))
  play(3)
  expect(last().position).toBe(position)
  post({ volume: 1, paused: false })
  play(0.01)
  expect(last()).toMatchObject({ playing: true, underruns: 0, pauses: 0 })
  play(0.2)
  expect(largestStep(heard)).toBeLessThan(0.05)
  expect(waitingMs()).toBeCloseTo(2_000 - (position * 1_000) / FROM - 210, -1)
})

it('continues at once after a pause, also with less than the cushion', () => {
  const { give, play, post, heard } = setup()
  give(tone(440, 0.5, 0.2))
  play(0.25)
  post({ volume: 1, paused: true })
  play(1)
  heard.length = 0
  post({ volume: 1, paused: false })
  play(0.02)
  expect(Math.max(...heard)).toBeGreaterThan(0.3)
})

it('drops the waiting samples if it is interrupted while it is paused', () => {
  const { give, play, post, heard, last } = setup()
  give(tone(440, 0.5, 1))
  play(0.5)
  post({ volume: 1, paused: true })
  post('interrupt')
  play(0.1)
  heard.length = 0
  post({ volume: 1, paused: false })
  play(1)
  expect(Math.max(...heard)).toBe(0)
  expect(last()).toMatchObject({ playing: false, position: FROM, underruns: 0 })
})

it('changes the volume without a click, and continues while the volume is 0', () => {
  const { give, play, post, heard, waitingMs } = setup()
  give(tone(440, 0.5, 3))
  play(0.5)
  const waiting = waitingMs()
  for (const volume of [0, 1, 0.5, 1, 0]) {
    post({ volume })
    play(0.1)
  }
  expect(largestStep(heard)).toBeLessThan(0.05)
  expect(Math.max(...heard.slice(-1_000))).toBe(0)
  expect(waiting - waitingMs()).toBeCloseTo(500, -1)
})

it('reports the first block, then only while it plays or sound waits', () => {
  const { give, play, post, posted } = setup()
  play(1)
  expect(posted).toHaveLength(1)
  give(tone(440, 0.25, 1))
  play(0.9)
  expect(posted.length).toBeGreaterThan(15)
  expect(posted.at(-1)!.peak).toBeCloseTo(0.25, 2)
  play(1)
  const count = posted.length
  expect(posted.at(-1)).toMatchObject({ playing: false, position: 16_000 })
  play(5)
  expect(posted).toHaveLength(count)
  post({ paused: true, volume: 1 })
  give(tone(440, 0.25, 1))
  play(1)
  expect(posted.length).toBeGreaterThan(count + 15)
  expect(posted.at(-1)).toMatchObject({ playing: false, position: 16_000 })
})
