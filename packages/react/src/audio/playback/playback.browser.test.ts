import { afterEach, expect, it, vi } from 'vitest'
import { commands } from 'vitest/browser'
import { distortionDb, sweep } from '../sound/spectrum.test.kit.js'
import { createPlayback } from '../index.js'

const playbacks: ReturnType<typeof createPlayback>[] = []

function setup(options?: Parameters<typeof createPlayback>[0]) {
  const playback = createPlayback(options)
  playbacks.push(playback)
  return playback
}

/** A playback with a look at what its worklet gives to the loudspeaker: the last samples, at the rate of the device. */
async function listen(options?: Parameters<typeof createPlayback>[0]) {
  const connected = vi.spyOn(AudioNode.prototype, 'connect')
  const playback = setup(options)
  playback.unlock()
  await vi.waitFor(() => expect(connected).toHaveBeenCalled())
  const worklet = connected.mock.contexts[0] as AudioNode
  connected.mockRestore()
  const analyser = new AnalyserNode(worklet.context, { fftSize: 32_768 })
  worklet.connect(analyser)
  const { sampleRate } = worklet.context
  return {
    playback,
    sampleRate,
    last: (seconds: number): Float32Array => {
      const samples = new Float32Array(analyser.fftSize)
      analyser.getFloatTimeDomainData(samples)
      return samples.slice(-Math.round(seconds * sampleRate))
    },
  }
}

const tone = (hertz: number, loudness: number, seconds: number): Int16Array =>
  Int16Array.from({ length: seconds * 16_000 }, (_, i) =>
    Math.round(0x7fff * loudness * Math.sin((2 * Math.PI * hertz * i) / 16_000)),
  )

const loudest = (samples: Float32Array): number =>
  samples.reduce((most, sample) => Math.max(most, Math.abs(sample)), 0)

afterEach(() => {
  for (const playback of playbacks.splice(0)) playback.close()
})

it('gives the device 20 Hz to 7 kHz without distortion or images', async () => {
  const { playback, last, sampleRate } = await listen()
  for (const hertz of sweep(20, 7_000, 6)) {
    playback.play(tone(hertz, 0.5, 2))
    await vi.waitFor(() => {
      expect(playback.bufferedMs()).toBeGreaterThan(0)
      expect(playback.bufferedMs()).toBeLessThan(900)
    })
    expect(distortionDb(last(0.6), sampleRate, hertz)).toBeLessThan(-60)
    playback.interrupt()
    await vi.waitFor(() => expect(loudest(last(0.02))).toBe(0))
  }
})

it('is silent after an interrupt, and while it is muted', async () => {
  const { playback, last } = await listen()
  playback.play(tone(440, 0.5, 10))
  await vi.waitFor(() => expect(loudest(last(0.02))).toBeGreaterThan(0.4))
  playback.setMuted(true)
  expect(playback.muted).toBe(true)
  await vi.waitFor(() => expect(loudest(last(0.02))).toBe(0))
  expect(playback.status).toBe('playing')
  playback.setMuted(false)
  playback.setVolume(0.5)
  await vi.waitFor(() => expect(loudest(last(0.02))).toBeGreaterThan(0.2))
  expect(loudest(last(0.02))).toBeLessThan(0.3)
  await vi.waitFor(() => expect(playback.level()).toBeCloseTo(0.25, 1))

  playback.interrupt()
  expect(playback.status).toBe('idle')
  expect(playback.bufferedMs()).toBe(0)
  await vi.waitFor(() => expect(loudest(last(0.02))).toBe(0))
  expect(playback.counters()).toEqual({ underruns: 0, pauses: 0, interrupts: 1, droppedMs: 0 })
})

it('does not keep the start of the context as a delay', async () => {
  const addModule = vi.spyOn(AudioWorklet.prototype, 'addModule').mockImplementation(async function (
    this: AudioWorklet,
    url,
  ) {
    // As on a slow machine: a second of speech comes before the audio thread runs.
    for (let frame = 0; frame < 50; frame += 1) {
      await new Promise((resolve) => setTimeout(resolve, 20))
      playback.play(new Int16Array(320))
    }
    addModule.mockRestore()
    return this.addModule(url)
  })
  const playback = setup({ cushionMs: 100 })
  playback.unlock()
  await vi.waitFor(() => expect(playback.counters().droppedMs).toBeGreaterThan(800))
  expect(playback.bufferedMs()).toBeLessThanOrEqual(100)
})

it('keeps all words of a sender that is faster than speech, however slow the start', async () => {
  const playback = setup()
  playback.play(tone(440, 0.5, 3))
  await vi.waitFor(() => expect(playback.status).toBe('playing'))
  await vi.waitFor(() => expect(playback.bufferedMs()).toBeLessThan(2_900))
  expect(playback.bufferedMs()).toBeGreaterThan(1_000)
  expect(playback.counters().droppedMs).toBe(0)
})

it('plays on when its loudspeaker is unplugged, and when it is back', async () => {
  const { playback, last } = await listen()
  playback.play(tone(440, 0.5, 1))
  await vi.waitFor(() => expect(loudest(last(0.02))).toBeGreaterThan(0.4))
  await commands.unplug('speaker')
  try {
    playback.play(tone(440, 0.5, 1))
    await vi.waitFor(() => expect(playback.status).toBe('idle'))
  } finally {
    await commands.plug('speaker')
  }
  playback.play(tone(440, 0.5, 1))
  await vi.waitFor(() => expect(loudest(last(0.02))).toBeGreaterThan(0.4))
  await vi.waitFor(() => expect(playback.status).toBe('idle'))
  expect(playback.error).toBe(null)
})

it('says what it adds to the delay', async () => {
  const playback = setup()
  playback.unlock()
  playback.play(tone(440, 0.5, 1))
  await vi.waitFor(() => expect(playback.status).toBe('playing'))
  expect(playback.latencyMs()).toBeGreaterThan(playback.bufferedMs())
  expect(playback.latencyMs()).toBeLessThan(playback.bufferedMs() + 500)
})

it('says so when the worklet does not load, and tries again after a tap', async () => {
  const playback = setup({ workletUrl: '/there-is-no-such.worklet.js' })
  playback.play(new Int16Array(1_600))
  await vi.waitFor(() => expect(playback.status).toBe('failed'))
  expect(playback.error).toMatchObject({ name: 'AudioError', code: 'WORKLET_BLOCKED' })
  playback.play(new Int16Array(1_600))
  expect(playback.status).toBe('failed')
  expect(playback.counters().droppedMs).toBe(100)
  playback.unlock()
  expect(playback.status).toBe('idle')
})

it('plays what it is given after a cushion, and tells when all was heard', async () => {
  const playback = setup({ cushionMs: 100 })
  playback.unlock()
  playback.play(new Int16Array(1_600))
  playback.play(new Int16Array(1_600).buffer)
  expect(playback.bufferedMs()).toBe(200)
  await vi.waitFor(() => expect(playback.status).toBe('playing'))
  await vi.waitFor(() => expect(playback.status).toBe('idle'))
  expect(playback.bufferedMs()).toBe(0)
  expect(playback.counters()).toEqual({ underruns: 0, pauses: 0, interrupts: 0, droppedMs: 0 })
})

it('holds no more than it may, and counts what it dropped', () => {
  const playback = setup({ maxBufferedMs: 500, cushionMs: 0 })
  for (let i = 0; i < 8; i += 1) playback.play(new Int16Array(1_600))
  expect(Math.round(playback.bufferedMs())).toBeLessThanOrEqual(500)
  expect(playback.counters().droppedMs).toBe(300)
  playback.interrupt()
  expect(playback.bufferedMs()).toBe(0)
  playback.close()
})

it('can be used again after it was closed', async () => {
  const playback = setup()
  playback.play(new Int16Array(1_600))
  playback.close()
  expect(playback.status).toBe('idle')
  playback.unlock()
  playback.play(new Int16Array(1_600))
  await vi.waitFor(() => expect(playback.status).toBe('playing'))
  playback.close()
})
