import { act, cleanup, renderHook } from '@testing-library/react'
import { afterEach, expect, it } from 'vitest'
import { createVirtualVoice } from '../virtual/createVirtualVoice.test.kit.js'
import { useMicrophone, useMicrophones, usePlayback, useSpeakers, useVoiceSession } from './index.js'
import { pageOf } from '../client/pageOf.test.kit.js'

// The simulated page of these tests has no Web Audio.

afterEach(cleanup)

const UNSUPPORTED = { name: 'AudioError', code: 'UNSUPPORTED' }

it('a microphone fails with UNSUPPORTED', async () => {
  const { result } = renderHook(() => useMicrophone({ onFrame: () => undefined }))
  await act(() => result.current.start())
  expect(result.current).toMatchObject({ status: 'failed', error: UNSUPPORTED })
})

it('a playback fails with UNSUPPORTED, and counts what it drops', () => {
  const { result } = renderHook(() => usePlayback())
  act(() => result.current.unlock())
  expect(result.current).toMatchObject({ status: 'failed', error: UNSUPPORTED })
  act(() => result.current.play(new Int16Array(160)))
  expect(result.current.counters().droppedMs).toBe(10)
  act(() => result.current.interrupt())
})

it('a session fails with UNSUPPORTED, and stops', async () => {
  const voice = createVirtualVoice()
  const wrapper = pageOf(voice.client)
  const { result } = renderHook(() => useVoiceSession('vt'), { wrapper })
  act(() => result.current.start())
  await act(() => voice.advance(100))
  expect(result.current).toMatchObject({ status: 'failed', error: UNSUPPORTED })
  act(() => result.current.stop())
  await act(() => voice.advance(10_000))
  expect(result.current.status).toBe('idle')
})

it('there are no devices to choose from', async () => {
  const { result } = renderHook(() => [useMicrophones(), useSpeakers()])
  await act(() => Promise.resolve())
  expect(result.current).toEqual([[], []])
})
