import { cleanup } from '@testing-library/react'
import { afterEach, beforeAll, beforeEach, expect, it, vi } from 'vitest'
import { createTestVoice } from '../../testing/createTestVoice.js'
import { renderSilentSession, soundOf } from './silentSession.test.kit.js'

beforeAll(async () => {
  // A chunk loads in real time.
  await import('./followSpeech.js')
})

beforeEach(() => {
  vi.useFakeTimers()
})

afterEach(() => {
  cleanup()
  vi.useRealTimers()
})

it('closes the stream in silence, and opens it at the next speech with the sound from before it', async () => {
  using voice = createTestVoice()
  const { session, shown, pass, start } = renderSilentSession(voice)
  start()
  await pass(1_000)
  expect(session.current.status).toBe('active')
  voice.microphone.speak(soundOf(1_000, 10_000))
  await pass(10_000)
  expect(session.current).toMatchObject({ status: 'waiting', stream: { status: 'closed' } })
  expect(voice.emulator.sockets).toHaveLength(0)
  await pass(10_000)
  const before = voice.emulator.frames.length
  const { savedMs } = session.current.silence
  expect(savedMs).toBeGreaterThan(10_000)
  voice.microphone.speak(soundOf(1_000, 10_000))
  await pass(2_000)
  expect(session.current).toMatchObject({ status: 'active', silence: { opens: 1 } })
  const frames = voice.emulator.frames
    .slice(before)
    .map(({ data }) => new Int16Array((data as Uint8Array).slice().buffer))
  const first = frames.findIndex((frame) => frame.some((sample) => sample !== 0))
  expect(first).toBeGreaterThanOrEqual(25)
  expect(frames.filter((frame) => frame.some((sample) => sample !== 0))).toHaveLength(50)
  expect(shown).toEqual(['idle', 'starting', 'active', 'waiting', 'active'])
  expect(voice.emulator.counts.token).toBe(1)
  expect(voice.emulator.counts.handshake).toBe(2)
})
