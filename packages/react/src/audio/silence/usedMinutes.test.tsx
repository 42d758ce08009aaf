import { QueryClient } from '@tanstack/react-query'
import { act, cleanup, render } from '@testing-library/react'
import { type ReactNode, useEffect } from 'react'
import { afterEach, expect, it, vi } from 'vitest'
import { createTestVoice } from '../../testing/createTestVoice.js'
import { useUsage, type UseUsageResult } from '../../usage/useUsage.js'
import { useVoiceSession, type UseVoiceSessionResult } from '../useVoiceSession.js'
import { detectLoud, pass, words } from './silentSession.test.kit.js'
import { pageOf } from '../../client/pageOf.test.kit.js'

afterEach(() => {
  cleanup()
  vi.useRealTimers()
})

it('useUsage shows the minutes that the service bills, and the rest is saved', async () => {
  vi.useFakeTimers()
  // Counted by the BFF.
  using voice = createTestVoice({ usage: { minutesPerDay: 30 } })
  let usage: UseUsageResult | undefined
  let session: UseVoiceSessionResult<never, unknown> | undefined
  function Dictation(): ReactNode {
    const minutes = useUsage('stt')
    const current = useVoiceSession<never, unknown>('stt', {
      silence: { closeAfterMs: 2_000, detect: detectLoud },
    })
    useEffect(() => {
      usage = minutes
      session = current
    })
    return null
  }
  render(<Dictation />, { wrapper: pageOf(voice.client, new QueryClient()) })
  const billedMs = (): number => Object.values(voice.emulator.billedMs()).reduce((sum, ms) => sum + ms, 0)
  /** The BFF's answers take real time, because it signs and hashes in another thread. */
  async function passUntil(isTrue: () => boolean): Promise<void> {
    for (let second = 0; second < 1_000 && !isTrue(); second += 1) await pass(1_000)
    expect(isTrue()).toBe(true)
  }
  act(() => session?.start())
  await passUntil(() => billedMs() > 0 && (usage?.reservedMs ?? 0) > 0)
  const savedMs = (): number => session?.silence.savedMs ?? NaN
  const [startedAt, billedBefore, savedBefore] = [Date.now(), billedMs(), savedMs()]
  for (let utterance = 1; utterance <= 3; utterance += 1) {
    voice.microphone.speak(words(0, 100))
    await pass(2_000)
    expect(session?.status).toBe('active')
    await pass(28_000)
    expect(session?.status).toBe('waiting')
    const billed = billedMs() - billedBefore
    // The speech, and for each utterance the silence that closes the stream, with the wait for a last text.
    expect(billed).toBeLessThan(utterance * 5_500)
    expect(Math.abs((usage?.usedMs ?? NaN) - billedMs())).toBeLessThan(500)
    expect(Math.abs(billed + savedMs() - savedBefore - (Date.now() - startedAt))).toBeLessThan(2_000)
  }
  act(() => session?.stop())
  // From here on the BFF has counted.
  await passUntil(() => usage?.reservedMs === 0)
  expect(Math.abs((usage?.usedMs ?? NaN) - billedMs())).toBeLessThan(500)
})
