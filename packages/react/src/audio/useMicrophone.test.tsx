import { act, cleanup, renderHook } from '@testing-library/react'
import type { ReactNode } from 'react'
import { afterEach, expect, it } from 'vitest'
import { createVirtualVoice } from '../virtual/createVirtualVoice.test.kit.js'
import { VoiceProvider } from '../client/VoiceProvider.js'
import { useMicrophone } from './index.js'
import { pageOf } from '../client/pageOf.test.kit.js'
import { fakeMicrophones } from '@stagepass/testing/fakeMicrophones'

afterEach(cleanup)

it('S35 stops at every change of user, also when a user signs in', async () => {
  using devices = fakeMicrophones('built in')
  const voice = createVirtualVoice()
  const frames: ArrayBuffer[] = []
  let user: string | null = null
  const wrapper = ({ children }: { children: ReactNode }) => (
    <VoiceProvider client={voice.client} user={user}>
      {children}
    </VoiceProvider>
  )
  const { result, rerender } = renderHook(() => useMicrophone({ onFrame: (frame) => frames.push(frame) }), {
    wrapper,
  })
  for (const next of ['ada', 'ben', null, 'ada']) {
    await act(async () => {
      void result.current.start()
      await devices.pass(100)
    })
    expect(result.current.status).toBe('capturing')
    const heard = frames.length
    expect(heard).toBeGreaterThan(0)
    user = next
    rerender()
    expect(result.current.status).toBe('idle')
    expect(devices.tracks.map(({ readyState }) => readyState)).not.toContain('live')
    await act(() => devices.pass(100))
    expect(frames).toHaveLength(heard)
  }
})

it('releases a device that the browser opens after the user has changed', async () => {
  using devices = fakeMicrophones('built in')
  const voice = createVirtualVoice()
  const { result } = renderHook(() => useMicrophone({ onFrame: () => undefined }), {
    wrapper: pageOf(voice.client),
  })
  act(() => void result.current.start())
  act(() => voice.client.reset())
  await act(() => devices.pass(100))
  expect(devices.tracks.map(({ readyState }) => readyState)).toEqual(['ended'])
  expect(result.current.status).toBe('idle')
})

it('captures without a provider', async () => {
  using devices = fakeMicrophones('built in')
  const { result } = renderHook(() => useMicrophone({ onFrame: () => undefined }))
  await act(async () => {
    void result.current.start()
    await devices.pass(100)
  })
  expect(result.current.status).toBe('capturing')
})
