// @vitest-environment jsdom
import { VoiceProvider } from '@stagepass/react'
import { useVoiceSession } from '@stagepass/react/audio'
import { createTestVoice } from '@stagepass/react/testing'
import { UsageMeter } from '@stagepass/registry/usage-meter'
import { VoiceSession } from '@stagepass/registry/voice-session'
import { QueryClient, QueryClientProvider } from '@tanstack/react-query'
import { act, cleanup, render, screen } from '@testing-library/react'
import { afterEach, expect, it, vi } from 'vitest'

afterEach(() => {
  cleanup()
  vi.restoreAllMocks()
  vi.unstubAllGlobals()
  vi.useRealTimers()
})

/** Speech is loud: the scripted microphone has no voice. */
const SILENCE = {
  closeAfterMs: 2_000,
  detect: (frame: Int16Array): boolean => frame.some((one) => one > 1_000),
}

function Page() {
  const session = useVoiceSession<never, unknown>('stt', { silence: SILENCE })
  return (
    <>
      <button onClick={session.status === 'idle' ? session.start : session.stop}>{session.status}</button>
      <UsageMeter product="stt" savedMs={session.silence.savedMs} />
    </>
  )
}

/** Lets time pass by seconds: an answer of the service takes a turn of the real page. */
async function pass(seconds: number): Promise<void> {
  await act(() => vi.dynamicImportSettled())
  for (let second = 0; second < seconds; second += 1) await act(() => vi.advanceTimersByTimeAsync(1_000))
}

/** The seconds of a line of the meter, such as "1:05 saved in silence". */
function secondsOf(words: RegExp): number {
  const [, minutes, seconds] = /^(\d+):(\d\d)/.exec(screen.getByText(words).textContent) ?? []
  return Number(minutes) * 60 + Number(seconds)
}

it('the meter shows what a session has used, and what silence has saved of it', async () => {
  vi.useFakeTimers()
  using voice = createTestVoice({ usage: { minutesPerDay: 30 } })
  render(
    <QueryClientProvider client={new QueryClient()}>
      <VoiceProvider client={voice.client}>
        <Page />
      </VoiceProvider>
    </QueryClientProvider>,
  )
  const press = () => act(() => screen.getByRole('button').click())
  const billed = () => Object.values(voice.emulator.billedMs()).reduce((sum, ms) => sum + ms, 0) / 1_000
  press()
  // The BFF's answers take real time, because it signs and hashes in another thread.
  for (let second = 0; second < 1_000 && screen.queryByText(/^0:0[1-9] of 30:00 used$/) === null;) {
    await pass(1)
    second += 1
  }
  const before = billed()
  const savedBefore = screen.queryByText(/saved/) ? secondsOf(/saved in silence$/) : 0
  voice.microphone.speak(new Int16Array(3 * 16_000).fill(5_000))
  await pass(90)
  expect(screen.getByRole('button').textContent).toBe('waiting')
  const used = secondsOf(/^\d+:\d\d of 30:00 used$/)
  const saved = secondsOf(/^\d+:\d\d saved in silence$/)
  expect(Math.abs(used - billed())).toBeLessThan(2)
  expect(Math.abs(used - before + saved - savedBefore - 90)).toBeLessThan(3)
  expect(saved - savedBefore).toBeGreaterThan(80)
  // Both stay when the session has ended.
  press()
  for (let second = 0; second < 1_000 && screen.queryByText(/^idle$/) === null; second += 1) await pass(1)
  expect(Math.abs(secondsOf(/used$/) - billed())).toBeLessThan(2)
  expect(secondsOf(/saved in silence$/)).toBeGreaterThanOrEqual(saved)
})

it('the session says that minutes count in silence, if the page may not use the detector', async () => {
  vi.useFakeTimers()
  vi.spyOn(console, 'error').mockImplementation(() => {})
  vi.stubGlobal('WebAssembly', { instantiate: () => Promise.reject(new EvalError('no wasm-unsafe-eval')) })
  using voice = createTestVoice()
  function Session() {
    return <VoiceSession name="Speech" session={useVoiceSession<never, unknown>('stt', { silence: {} })} />
  }
  render(
    <VoiceProvider client={voice.client}>
      <Session />
    </VoiceProvider>,
  )
  act(() => screen.getByRole('button', { name: 'Start, Speech' }).click())
  const words = 'You are heard. Minutes count in silence too.'
  for (let second = 0; second < 100 && screen.queryByText(words) === null; second += 1) await pass(1)
  expect(screen.getByRole('status').textContent).toBe(words)
})
