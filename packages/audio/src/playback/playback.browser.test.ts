import { expect, it, vi } from 'vitest'
import { createMicrophone } from '../index.js'
import { distortionDb, sweep } from '../sound/spectrum.test.kit.js'
import { listen, loudest, setup, tone } from './listen.browser.test.kit.js'

it('plays 20 Hz to 7 kHz without distortion or images', async () => {
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
  // The order matters: each is a separate message to the audio thread.
  playback.setVolume(0.5)
  playback.setMuted(false)
  await vi.waitFor(() => expect(loudest(last(0.02))).toBeGreaterThan(0.2))
  expect(loudest(last(0.02))).toBeLessThan(0.3)
  await vi.waitFor(() => expect(playback.level()).toBeCloseTo(0.25, 1))

  playback.interrupt()
  expect(playback.status).toBe('idle')
  expect(playback.bufferedMs()).toBe(0)
  await vi.waitFor(() => expect(loudest(last(0.02))).toBe(0))
  expect(playback.counters()).toEqual({ underruns: 0, pauses: 0, interrupts: 1, droppedMs: 0 })
})

it('reports the delay that it adds', async () => {
  const playback = setup()
  playback.unlock()
  playback.play(tone(440, 0.5, 1))
  await vi.waitFor(() => expect(playback.status).toBe('playing'))
  expect(playback.latencyMs()).toBeGreaterThan(playback.bufferedMs())
  expect(playback.latencyMs()).toBeLessThan(playback.bufferedMs() + 500)
})

it('reports a worklet that does not load, and tries again after a tap', async () => {
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

/** Records a stream at 16 kHz while the callback runs. WebKitGTK has no MediaRecorder. */
async function record(stream: MediaStream, during: () => Promise<void>): Promise<Float32Array> {
  const recorder = createMicrophone({ source: stream })
  const samples: number[] = []
  recorder.onFrame((frame) => samples.push(...Array.from(new Int16Array(frame), (sample) => sample / 0x8000)))
  await recorder.start()
  expect(recorder.state.status).toBe('capturing')
  await during()
  recorder.stop()
  return Float32Array.from(samples)
}

/** Strength of a tone in sound of 16 kHz. */
function strengthOf(sound: Float32Array, hertz: number): number {
  const turn = (2 * Math.PI * hertz) / 16_000
  // In parts of an eighth of a second, because the phase changes at a gap.
  const parts = Array.from({ length: Math.floor(sound.length / 2_000) }, (_, at) => {
    const part = sound.subarray(at * 2_000, (at + 1) * 2_000)
    const sine = part.reduce((sum, sample, index) => sum + sample * Math.sin(turn * index), 0)
    const cosine = part.reduce((sum, sample, index) => sum + sample * Math.cos(turn * index), 0)
    return Math.hypot(sine, cosine)
  })
  return parts.reduce((sum, part) => sum + part, 0)
}

it('returns the heard sound as a stream, which can be recorded until the playback is closed', async () => {
  const playback = setup()
  playback.unlock()
  const stream = playback.stream()!
  expect(playback.stream()).toBe(stream)
  const sound = await record(stream, async () => {
    playback.play(tone(440, 0.5, 1.5))
    await vi.waitFor(() => expect(playback.level()).toBeGreaterThan(0.4))
    await vi.waitFor(() => expect(playback.status).toBe('idle'))
  })
  playback.close()
  expect(stream.getTracks()[0]!.readyState).toBe('ended')
  expect(loudest(sound)).toBeGreaterThan(0.35)
  expect(loudest(sound)).toBeLessThan(0.65)
  // On a busy machine the recording has gaps. Their noise has all frequencies, but is quiet.
  const others = [220, 330, 550, 660, 880].map((hertz) => strengthOf(sound, hertz))
  expect(strengthOf(sound, 440)).toBeGreaterThan(5 * Math.max(...others))

  playback.setMuted(true)
  const next = playback.stream()!
  expect(next).not.toBe(stream)
  const silence = await record(next, async () => {
    playback.play(tone(440, 0.5, 0.5))
    await vi.waitFor(() => expect(playback.status).toBe('playing'))
    await vi.waitFor(() => expect(playback.status).toBe('idle'))
  })
  expect(loudest(silence)).toBeLessThan(0.01)
})

it('audible false: nothing goes to the loudspeaker, and all to the stream', async () => {
  const connect = vi.spyOn(AudioNode.prototype, 'connect')
  const playback = setup({ audible: false })
  playback.unlock()
  const stream = playback.stream()!
  const sound = await record(stream, async () => {
    playback.play(tone(440, 0.5, 1.5))
    await vi.waitFor(() => expect(playback.status).toBe('playing'))
    await vi.waitFor(() => expect(playback.status).toBe('idle'))
  })
  expect(loudest(sound)).toBeGreaterThan(0.35)
  const toSpeaker = connect.mock.contexts.filter(
    (_, index) => connect.mock.calls[index]?.[0] instanceof AudioDestinationNode,
  )
  connect.mockRestore()
  expect(toSpeaker.map((node) => node instanceof GainNode && node.gain.value)).toEqual([0])
})
