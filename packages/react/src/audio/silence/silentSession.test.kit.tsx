import { act, renderHook } from '@testing-library/react'
import { type ReactNode, StrictMode } from 'react'
import { vi } from 'vitest'
import type { TestVoice } from '../../testing/createTestVoice.js'
import { VoiceProvider } from '../../VoiceProvider.js'
import { useVoiceSession, type UseVoiceSessionOptions } from '../useVoiceSession.js'

type Options = UseVoiceSessionOptions<never, unknown>

/** A detector for tones: loud is speech. */
export const detectLoud = (frame: Int16Array): boolean => frame.some((sample) => Math.abs(sample) > 3_000)

/** Sound of this length, whose samples are as loud as `level`. */
export function soundOf(ms: number, level: number): Int16Array {
  return Int16Array.from({ length: ms * 16 }, (_, index) => (index % 2 ? level : -level))
}

/** A session with `silence`, in the fake time of vitest. */
export function renderSilentSession(voice: TestVoice, initialProps: Options = {}) {
  const { client } = voice
  /** Each status that was rendered, without repetitions. */
  const shown: string[] = []
  const wrapper = ({ children }: { children?: ReactNode }): ReactNode => (
    <StrictMode>
      <VoiceProvider client={client}>{children}</VoiceProvider>
    </StrictMode>
  )
  const { result, rerender, unmount } = renderHook(
    (options: Options) => {
      const session = useVoiceSession<never, unknown>('stt', {
        silence: { closeAfterMs: 2_000, detect: detectLoud },
        ...options,
      })
      if (shown.at(-1) !== session.status) shown.push(session.status)
      return session
    },
    { wrapper, initialProps },
  )
  return {
    session: result,
    shown,
    rerender,
    unmount,
    /** Lets time pass by seconds: an answer of the service takes a turn of the real page. */
    pass: async (ms: number): Promise<void> => {
      for (let left = ms; left > 0; left -= 1_000) {
        await act(() => vi.advanceTimersByTimeAsync(Math.min(left, 1_000)))
      }
    },
    start: (): void => act(() => result.current.start()),
    stop: (): void => act(() => result.current.stop()),
  }
}
