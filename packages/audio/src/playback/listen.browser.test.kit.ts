import { afterEach, expect, vi } from 'vitest'
import { createPlayback } from '../index.js'

const playbacks: ReturnType<typeof createPlayback>[] = []

/** A playback that is closed after the test. */
export function setup(options?: Parameters<typeof createPlayback>[0]) {
  const playback = createPlayback(options)
  playbacks.push(playback)
  return playback
}

/** A playback, and the last samples that its worklet sent to the loudspeaker, at the rate of the device. */
export async function listen(options?: Parameters<typeof createPlayback>[0]) {
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

export const tone = (hertz: number, loudness: number, seconds: number): Int16Array =>
  Int16Array.from({ length: seconds * 16_000 }, (_, i) =>
    Math.round(0x7fff * loudness * Math.sin((2 * Math.PI * hertz * i) / 16_000)),
  )

export const loudest = (samples: Float32Array): number =>
  samples.reduce((most, sample) => Math.max(most, Math.abs(sample)), 0)

afterEach(() => {
  for (const playback of playbacks.splice(0)) playback.close()
})
