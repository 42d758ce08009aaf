import { act, cleanup, renderHook } from '@testing-library/react'
import { afterEach, expect, it, vi } from 'vitest'
import { pageOf } from '../client/pageOf.test.kit.js'
import { createTestVoice } from '../testing/createTestVoice.js'
import { useVoiceSession } from './useVoiceSession.js'

afterEach(() => {
  cleanup()
  vi.useRealTimers()
})

const pass = async (seconds: number): Promise<void> => {
  for (let s = 0; s < seconds; s += 1) await act(() => vi.advanceTimersByTimeAsync(1_000))
}

async function start() {
  vi.useFakeTimers()
  const voice = createTestVoice()
  const { result } = renderHook(() => useVoiceSession('stt'), { wrapper: pageOf(voice.client) })
  act(() => result.current.start())
  await pass(5)
  expect(result.current.status).toBe('active')
  return { voice, session: () => result.current }
}

/** The login ends, and the service closes the connection. */
async function signOut(voice: ReturnType<typeof createTestVoice>): Promise<void> {
  voice.user = null
  act(() => voice.emulator.sockets.at(-1)?.close(1008, 'unauthorized'))
  await pass(5)
}

it('is heard again after a sign-in in another tab, without a press', async () => {
  const { voice, session } = await start()
  await signOut(voice)
  expect(session()).toMatchObject({ status: 'failed', error: { code: 'UNAUTHENTICATED' } })
  expect(session().microphone.status).toBe('idle')
  voice.user = 'ada'
  act(() => void window.dispatchEvent(new Event('focus')))
  await pass(5)
  expect(session()).toMatchObject({ status: 'active', error: null })
  expect(session().microphone.status).toBe('capturing')
  voice.close()
})

it('opens no microphone after a failure, if it was stopped', async () => {
  const { voice, session } = await start()
  await signOut(voice)
  act(() => session().stop())
  await pass(12)
  voice.user = 'ada'
  act(() => void window.dispatchEvent(new Event('focus')))
  await pass(5)
  expect(session().status).toBe('idle')
  expect(session().microphone.status).toBe('idle')
  voice.close()
})

it('hears the last words if the microphone fails, and then closes the stream', async () => {
  const { voice, session } = await start()
  voice.microphone.setPermission('denied')
  voice.microphone.unplug()
  voice.microphone.plug('another')
  await act(() => vi.advanceTimersByTimeAsync(10))
  // The code that finds out who denies it.
  await act(() => vi.dynamicImportSettled())
  await act(() => vi.advanceTimersByTimeAsync(10))
  expect(session()).toMatchObject({ status: 'failed', error: { code: 'PERMISSION_DENIED' } })
  expect(session().stream.status).toBe('open')
  await pass(12)
  expect(session().stream.status).toBe('closed')
  expect(session().status).toBe('failed')
  voice.close()
})
