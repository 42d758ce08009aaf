import { act, renderHook } from '@testing-library/react'
import { type ReactNode, StrictMode } from 'react'
import { vi } from 'vitest'
import type { TestVoice } from '../../testing/createTestVoice.js'
import { VoiceProvider } from '../../client/VoiceProvider.js'
import { useVoiceSession, type UseVoiceSessionOptions } from '../useVoiceSession.js'

/** The level from which a frame is a word. */
const LOUD = 5_000
const FRAME_SAMPLES = 320

/** A detector for `words`. */
export const detectLoud = (frame: Int16Array): boolean => (frame[0] ?? 0) >= LOUD

/** So many frames of speech, each with its number. */
export const words = (from: number, to: number): Int16Array =>
  Int16Array.from({ length: (to - from) * FRAME_SAMPLES }, (_, index) => {
    const level = LOUD + from + Math.floor(index / FRAME_SAMPLES)
    return index % 2 ? -level : level
  })

export const numbers = (from: number, to: number): number[] =>
  Array.from({ length: to - from }, (_, index) => from + index)

/** The numbers of the words that the service got, in the order of arrival. */
export const arrived = (voice: TestVoice): number[] =>
  voice.emulator.frames
    .flatMap(({ data }) => (typeof data === 'string' ? [] : [new Int16Array(data.slice().buffer)[0] ?? 0]))
    .filter((level) => level >= LOUD)
    .map((level) => level - LOUD)

export const eventsOf = (voice: TestVoice, type: string): unknown[] =>
  voice.events.filter((event) => event.type === type)

/** Lets time pass by seconds: code that is loaded, and an answer of the service, take turns of the real page. */
export async function pass(ms: number): Promise<void> {
  const settle = () => act(() => vi.dynamicImportSettled())
  await settle()
  for (let left = ms; left > 0; left -= 1_000) {
    await act(() => vi.advanceTimersByTimeAsync(Math.min(left, 1_000)))
    await settle()
  }
}

const REAL_STEP_MS = 20
/** Far longer than any test waits. */
const MOST_STEPS = 5_000
// Before the tests replace it.
const { setTimeout: setRealTimeout } = globalThis
const realPause = (ms: number): Promise<void> => new Promise((resolve) => setRealTimeout(resolve, ms))

/** Lets time pass no faster than real time, while `isOn`: what a page waits for takes real time. */
async function passWhile(isOn: () => boolean): Promise<void> {
  while (isOn()) {
    await act(() => realPause(REAL_STEP_MS))
    await pass(REAL_STEP_MS)
  }
}

/** Lets time pass until `assert` throws no longer. The answers of the BFF take real time. */
export async function until(assert: () => void): Promise<void> {
  let steps = 0
  await passWhile(() => {
    try {
      assert()
      return false
    } catch {
      return (steps += 1) < MOST_STEPS
    }
  })
  assert()
}

interface Props extends UseVoiceSessionOptions<never, unknown> {
  readonly user?: string | null
}

/** A session that waits for `words`, in the fake time of vitest. */
export function renderSilentSession(
  voice: TestVoice,
  initialProps: Props = {},
  product: 'stt' | 'vt' = 'stt',
) {
  const { client } = voice
  /** Each status that was rendered, without repetitions. */
  const shown: string[] = []
  let user: string | null | undefined
  const wrapper = ({ children }: { children?: ReactNode }): ReactNode => (
    <StrictMode>
      <VoiceProvider client={client} user={user}>
        {children}
      </VoiceProvider>
    </StrictMode>
  )
  const { result, rerender, unmount } = renderHook(
    (options: Props) => {
      const session = useVoiceSession<never, unknown>(product, {
        silence: { closeAfterMs: 2_000, detect: detectLoud },
        ...options,
      })
      if (shown.at(-1) !== session.status) shown.push(session.status)
      return session
    },
    { wrapper, initialProps },
  )
  const run = (change: () => void): void => act(change)
  /** As `pass` does. What a start waits for needs real time, more of it on a busy machine. */
  const passStart = async (ms: number): Promise<void> => {
    const startedAt = Date.now()
    const left = (): number => ms - (Date.now() - startedAt)
    await passWhile(() => left() > 0 && result.current.status === 'starting')
    await pass(left())
  }
  return {
    session: result,
    shown,
    rerender,
    unmount,
    pass: passStart,
    /** Starts it, and lets this time pass. */
    start: async (ms = 1_000): Promise<void> => {
      run(() => result.current.start())
      await passStart(ms)
    },
    setUser: (next: string | null): void => {
      user = next
      voice.user = next
      rerender(initialProps)
    },
    run,
  }
}
