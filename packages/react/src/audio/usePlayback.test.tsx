import { act, cleanup, renderHook } from '@testing-library/react'
import { afterEach, expect, it } from 'vitest'
import { createVirtualVoice } from '../virtual/createVirtualVoice.test.kit.js'
import { usePlayback } from './index.js'
import { fakeLoudspeaker } from '../../../audio/src/playback/fakeLoudspeaker.test.kit.js'
import { pageOf } from '../client/pageOf.test.kit.js'

afterEach(cleanup)

const TEN_SECONDS = new Int16Array(160_000).fill(8_000)
/** Samples of the fake loudspeaker in 30 ms. */
const FADE = 48 * 30

it('S35 is silent 30 ms after the user has changed, and the next user hears nothing of the old sound', async () => {
  using speaker = fakeLoudspeaker()
  const voice = createVirtualVoice()
  voice.client.setUser('ada')
  const wrapper = pageOf(voice.client)
  const { result } = renderHook(() => usePlayback(), { wrapper })
  act(() => result.current.unlock())
  await act(() => speaker.pass(50))
  act(() => result.current.play(TEN_SECONDS))
  await act(() => speaker.pass(500))
  expect(speaker.heard.at(-1)).toBeCloseTo(8_000 / 0x8000, 1)

  const before = speaker.heard.length
  act(() => voice.client.setUser('ben'))
  expect(result.current.bufferedMs()).toBe(0)
  await act(() => speaker.pass(12_000))
  expect(speaker.heard.slice(before + FADE).every((sample) => sample === 0)).toBe(true)
})

it('plays without a provider', async () => {
  using speaker = fakeLoudspeaker()
  const { result } = renderHook(() => usePlayback())
  act(() => result.current.play(TEN_SECONDS))
  await act(() => speaker.pass(500))
  expect(result.current.status).toBe('playing')
})

it('calls the onHeard of the last render', async () => {
  using speaker = fakeLoudspeaker()
  const heard: string[] = []
  const { result, rerender } = renderHook(
    ({ name }) => usePlayback({ onHeard: (word: string) => heard.push(`${name} ${word}`) }),
    { initialProps: { name: 'first' } },
  )
  const { play, mark } = result.current
  act(() => {
    play(TEN_SECONDS.subarray(0, 4_800))
    mark('one')
  })
  rerender({ name: 'second' })
  await act(() => speaker.pass(700))
  expect(heard).toEqual(['second one'])
})
