import { expect, it, vi } from 'vitest'
import { distortionDb, sweep } from '../sound/spectrum.test.kit.js'

// Typed as `string`, because a file of the audio thread has no exports.
const WORKLET: string = './capture.worklet.js'

interface Posted {
  readonly frame: ArrayBuffer
  readonly peak: number
}

type Processor = new (options: { processorOptions: { sampleRate: number; frameLength: number } }) => {
  process(inputs: readonly (readonly Float32Array[])[]): boolean
}

/**
 * Runs the worklet's own file in a scope like the audio thread's, at the given device rate, over blocks of
 * 128 samples. Without a signal it gets no channel, like a muted microphone in Firefox.
 */
async function capture(
  deviceRate: number,
  signal: ((seconds: number) => number) | undefined,
  seconds: number,
) {
  const posted: Posted[] = []
  let Registered: Processor | undefined
  vi.resetModules()
  vi.stubGlobal('sampleRate', deviceRate)
  vi.stubGlobal('currentTime', 0)
  vi.stubGlobal(
    'AudioWorkletProcessor',
    class {
      port = { postMessage: (message: Posted) => posted.push(message) }
    },
  )
  vi.stubGlobal('registerProcessor', (_name: string, processor: Processor) => (Registered = processor))
  await import(WORKLET)
  vi.unstubAllGlobals()
  vi.stubGlobal('sampleRate', deviceRate)
  vi.stubGlobal('currentTime', 0)

  const processor = new Registered!({ processorOptions: { sampleRate: 16_000, frameLength: 320 } })
  for (let start = 0; start + 128 <= deviceRate * seconds; start += 128) {
    const block = signal && Float32Array.from({ length: 128 }, (_, i) => signal((start + i) / deviceRate))
    expect(processor.process([block ? [block] : []])).toBe(true)
  }
  vi.unstubAllGlobals()
  return posted
}

const joined = (posted: readonly Posted[]): Int16Array => {
  const samples = new Int16Array(posted.length * 320)
  posted.forEach(({ frame }, index) => samples.set(new Int16Array(frame), index * 320))
  return samples
}

const tone = (hertz: number, loudness: number) => (seconds: number) =>
  loudness * Math.sin(2 * Math.PI * hertz * seconds)

const rms = (samples: Int16Array): number =>
  Math.sqrt(samples.reduce((sum, sample) => sum + (sample / 0x8000) ** 2, 0) / samples.length)

it.each([16_000, 44_100, 48_000, 96_000, 8_000])(
  'gives 50 frames of 640 bytes a second from a %i Hz device',
  async (deviceRate) => {
    const posted = await capture(deviceRate, tone(440, 0.5), 2)
    // The filter needs the samples that follow, so the last frame may not be posted yet.
    expect(posted.length).toBeGreaterThanOrEqual(98)
    expect(posted.length).toBeLessThanOrEqual(100)
    expect(new Set(posted.map(({ frame }) => frame.byteLength))).toEqual(new Set([640]))
  },
)

it.each([44_100, 48_000])(
  'does not change a 440 Hz tone of a %i Hz device, and adds no seams',
  async (deviceRate) => {
    const samples = joined(await capture(deviceRate, tone(440, 0.5), 1))
    // Without the first milliseconds, in which the filter still has the silence before the tone.
    const differences = samples.subarray(160).map((sample, i) => {
      const wanted = Math.round(0x7fff * 0.5 * Math.sin((2 * Math.PI * 440 * (i + 160)) / 16_000))
      return Math.abs(sample - wanted)
    })
    expect(Math.max(...differences)).toBeLessThan(0x7fff * 0.005)
  },
)

it('captures 20 Hz to 7 kHz without distortion or images', async () => {
  for (const hertz of sweep(20, 7_000, 12)) {
    const samples = joined(await capture(48_000, tone(hertz, 0.5), 1.1)).subarray(800)
    const steady = Float32Array.from(samples, (sample) => sample / 0x8000)
    expect(distortionDb(steady, 16_000, hertz)).toBeLessThan(-60)
  }
})

it('does not alias frequencies that are too high for the wire', async () => {
  const samples = joined(await capture(48_000, tone(11_000, 0.5), 1))
  expect(20 * Math.log10(rms(samples.subarray(320)) / (0.5 / Math.SQRT2))).toBeLessThan(-60)
})

it('clips samples that are too loud, and never wraps them around', async () => {
  const samples = joined(await capture(16_000, tone(100, 3), 0.5))
  expect(Math.max(...samples)).toBe(0x7fff)
  expect(Math.min(...samples)).toBe(-0x8000)
  const steps = samples.subarray(1).map((sample, i) => Math.abs(sample - samples[i]!) / 16)
  expect(Math.max(...steps)).toBeLessThan(0x8000 / 16)
})

it('reports the level of each frame', async () => {
  const posted = await capture(48_000, tone(440, 0.25), 0.5)
  expect(posted.at(-1)!.peak).toBeCloseTo(0.25, 2)
  const quiet = await capture(48_000, () => 0, 0.5)
  expect(quiet.at(-1)!.peak).toBe(0)
})

it('sends frames of silence if a muted microphone has no channel', async () => {
  const posted = await capture(48_000, undefined, 1)
  expect(posted.length).toBeGreaterThanOrEqual(48)
  expect(posted.every(({ peak }) => peak === 0)).toBe(true)
  expect(joined(posted).every((sample) => sample === 0)).toBe(true)
})
