import { act, cleanup, renderHook } from '@testing-library/react'
import { afterEach, expect, it, vi } from 'vitest'
import { createTestVoice } from '../testing/createTestVoice.js'
import { useVoiceSession } from './useVoiceSession.js'
import { pageOf } from '../client/pageOf.test.kit.js'

afterEach(() => {
  cleanup()
  vi.useRealTimers()
})

it('a session recovers and says why, while the microphone stands still, and keeps its stream', async () => {
  vi.useFakeTimers()
  using voice = createTestVoice()
  const { client } = voice
  const wrapper = pageOf(client)
  const { result } = renderHook(() => useVoiceSession('stt'), { wrapper })
  const pass = (ms: number): Promise<unknown> => act(() => vi.advanceTimersByTimeAsync(ms))
  act(() => result.current.start())
  for (let s = 0; s < 5; s += 1) await pass(1_000)
  expect(result.current).toMatchObject({ status: 'active', failureReason: null })
  voice.microphone.setDead(true)
  await pass(2_000)
  expect(result.current).toMatchObject({
    status: 'recovering',
    error: null,
    failureReason: { code: 'NO_SOUND' },
  })
  voice.microphone.setDead(false)
  await pass(5_000)
  expect(result.current).toMatchObject({ status: 'active', failureReason: null })
  expect(voice.emulator.sockets).toHaveLength(1)
})
