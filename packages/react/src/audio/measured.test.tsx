import { act, cleanup, renderHook } from '@testing-library/react'
import { afterEach, expect, it, vi } from 'vitest'
import { clientOf } from '../client/createVoiceClient.js'
import { createTestVoice, type TestVoice } from '../testing/createTestVoice.js'
import type { StreamMoment } from '../vitals/StreamMoment.js'
import { useVoiceSession } from './useVoiceSession.js'
import { pageOf } from '../client/pageOf.test.kit.js'

afterEach(() => {
  cleanup()
  vi.useRealTimers()
})

/** A session that runs, and what it tells of its sound. */
async function startSession(voice: TestVoice) {
  const told: StreamMoment[] = []
  clientOf(voice.client).moments.subscribe((moment) => {
    if (moment.type === 'played' || moment.type === 'standstill') told.push(moment)
  })
  const wrapper = pageOf(voice.client)
  const { result } = renderHook(() => useVoiceSession('stt', { key: 'talk' }), { wrapper })
  const pass = (ms: number): Promise<unknown> => act(() => vi.advanceTimersByTimeAsync(ms))
  act(() => result.current.start())
  for (let seconds = 0; seconds < 5; seconds += 1) await pass(1_000)
  expect(result.current.status).toBe('active')
  return { told, pass, session: result }
}

it('a session tells when sound of the service will be heard: after what waits before it', async () => {
  vi.useFakeTimers()
  using voice = createTestVoice()
  const { told, session } = await startSession(voice)
  const [socket] = voice.emulator.sockets
  // Half a second of sound.
  act(() => {
    socket?.send(new Uint8Array(16_000))
    socket?.send(new Uint8Array(16_000))
  })
  await vi.waitFor(() => expect(told).toHaveLength(2))
  const [first, second] = told.map((moment) => (moment.type === 'played' ? moment.inMs : NaN))
  expect(told[0]).toMatchObject({ type: 'played', product: 'stt', key: 'talk' })
  expect((second ?? NaN) - (first ?? NaN)).toBeGreaterThan(400)
  expect(session.current.playback.bufferedMs()).toBeGreaterThan(0)
})

it('a session tells how long its microphone gave no sound', async () => {
  vi.useFakeTimers()
  using voice = createTestVoice()
  const { told, pass } = await startSession(voice)
  voice.microphone.setDead(true)
  await pass(4_000)
  expect(told).toEqual([])
  voice.microphone.setDead(false)
  for (let seconds = 0; seconds < 5; seconds += 1) await pass(1_000)
  expect(told).toMatchObject([{ type: 'standstill', product: 'stt', key: 'talk' }])
  const [still] = told.map((moment) => (moment.type === 'standstill' ? moment.ms : NaN))
  expect(still).toBeGreaterThanOrEqual(1_000)
})
