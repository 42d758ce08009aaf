// @vitest-environment jsdom
import { act, cleanup } from '@testing-library/react'
import { afterEach, expect, it, vi } from 'vitest'
import { createTestVoice } from '../../testing/createTestVoice.js'
import { createScene, type Noise, type Scene } from './createScene.test.kit.js'
import { renderSilentSession } from './silentSession.test.kit.js'

const RATE = 16_000
const FRAME_SAMPLES = 320
/** More frames than arrive in a second. */
const RECENT_FRAMES = 300

afterEach(() => {
  cleanup()
  vi.useRealTimers()
})

function hashOf(samples: Int16Array): number {
  let hash = 0x811c9dc5
  for (const sample of samples) hash = Math.imul(hash ^ sample, 0x01000193)
  return hash
}

/** The frames of a scene in which an utterance begins. */
const onsetsOf = ({ samples, utterances }: Scene): number[] =>
  utterances.map(({ from }) => {
    const at = Math.floor(from / FRAME_SAMPLES) * FRAME_SAMPLES
    return hashOf(samples.subarray(at, at + FRAME_SAMPLES))
  })

/** Plays a scene to the microphone of a page. */
async function play(scene: Scene) {
  vi.useFakeTimers()
  using voice = createTestVoice()
  const { start } = renderSilentSession(voice, { silence: { closeAfterMs: 5_000 } })
  const arrived = new Set<number>()
  await start()
  await vi.dynamicImportSettled()
  const beganAt = Date.now()
  // A second ahead, so that each frame is a whole one.
  voice.microphone.speak(scene.samples.subarray(0, RATE))
  for (let at = RATE; at < scene.samples.length + RATE; at += RATE) {
    voice.microphone.speak(scene.samples.subarray(at, at + RATE))
    await act(() => vi.advanceTimersByTimeAsync(1_000))
    for (const { data } of voice.emulator.frames.slice(-RECENT_FRAMES))
      if (typeof data !== 'string') arrived.add(hashOf(new Int16Array(data.slice().buffer)))
  }
  const endedAt = Date.now()
  const times = voice.events.flatMap(({ type, at }) =>
    type === 'stream.opened' || type === 'stream.closed' ? [((at - beganAt) * RATE) / 1_000] : [],
  )
  const falseOpens = times.filter((from, index) => {
    const to = times[index + 1] ?? Infinity
    return (
      index % 2 === 0 && index > 0 && !scene.utterances.some((one) => one.from < to && one.to > from - RATE)
    )
  })
  const billed = Object.values(voice.emulator.billedMs())
  const totalMs = endedAt - beganAt
  const speechMs = scene.utterances.reduce((sum, { from, to }) => sum + to - from, 0) / 16
  return {
    lost: onsetsOf(scene).filter((onset) => !arrived.has(onset)).length,
    falseOpensAnHour: Math.round((falseOpens.length * 3_600_000) / totalMs),
    paid: billed.reduce((sum, ms) => sum + ms, 0) / totalMs,
    speech: speechMs / totalMs,
    connections: billed.length,
    tokens: voice.emulator.counts.token,
  }
}

// In steady clicks, and in a hum as loud as the speech, the detector hears voices. The stream only stays open.
it.each<[noise: Noise, ratio: number, mostPaid: number]>([
  ['none', 0, 0.8],
  ['white', 20, 0.8],
  ['white', 10, 0.8],
  ['white', 5, 0.8],
  ['brown', 20, 0.8],
  ['brown', 10, 0.8],
  ['brown', 5, 0.8],
  ['hum', 10, 0.8],
  ['hum', 0, 1.05],
  ['keys', 10, 1.05],
  ['keys', 0, 1.05],
])('no onset of 60 utterances is lost: noise %s, %i dB', async (noise, ratio, mostPaid) => {
  const result = await play(createScene(noise, ratio))
  expect(result.lost).toBe(0)
  expect(result.paid).toBeLessThan(mostPaid)
  expect(result.tokens).toBe(1)
})
