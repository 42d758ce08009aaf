import { act, cleanup, renderHook } from '@testing-library/react'
import { afterEach, expect, it, vi } from 'vitest'
import { languageOf, to } from '../codecs/languages.test.kit.js'
import { createTestVoice } from '../testing/createTestVoice.js'
import { useVoiceSession } from './useVoiceSession.js'
import { pageOf } from '../client/pageOf.test.kit.js'

afterEach(() => {
  cleanup()
  vi.useRealTimers()
})

it('a session goes on in another language, with its microphone', async () => {
  vi.useFakeTimers()
  using voice = createTestVoice()
  const { result, rerender } = renderHook(({ language }) => useVoiceSession('vt', { codec: to(language) }), {
    wrapper: pageOf(voice.client),
    initialProps: { language: 'es-ES' },
  })
  const pass = (ms: number): Promise<unknown> => act(() => vi.advanceTimersByTimeAsync(ms))
  const becomesActive = async (): Promise<void> => {
    for (let s = 0; s < 20 && result.current.status !== 'active'; s += 1) await pass(1_000)
    expect(result.current.status).toBe('active')
  }
  act(() => result.current.start())
  await becomesActive()
  rerender({ language: 'fr-FR' })
  expect(result.current).toMatchObject({ status: 'recovering', microphone: { status: 'capturing' } })
  await becomesActive()
  const configs = voice.emulator.frames.filter(({ data }) => typeof data === 'string')
  expect(configs.map(({ data }) => languageOf(data))).toEqual(['es-ES', 'fr-FR'])
  expect(voice.emulator.sockets).toHaveLength(1)
})
