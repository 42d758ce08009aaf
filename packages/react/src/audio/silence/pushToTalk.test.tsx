import { act, cleanup, fireEvent, render, screen } from '@testing-library/react'
import { type ReactNode, useEffect } from 'react'
import { afterEach, beforeEach, expect, it, vi } from 'vitest'
import { createTestVoice, type TestVoice } from '../../testing/createTestVoice.js'
import { usePushToTalk } from '../usePushToTalk.js'
import { useVoiceSession } from '../useVoiceSession.js'
import { arrived, detectLoud, numbers, pass, words } from './silentSession.test.kit.js'
import { pageOf } from '../../client/pageOf.test.kit.js'

beforeEach(() => {
  vi.useFakeTimers()
})

afterEach(() => {
  cleanup()
  vi.useRealTimers()
})

const SILENCE = { closeAfterMs: 2_000, detect: detectLoud }

/** A page with a button to talk, and one that starts the session hands-free. */
function openPage(voice: TestVoice, mode: 'hold' | 'toggle' = 'hold') {
  /** Each status that was rendered, without repetitions. */
  const shown: string[] = []
  function Talk(): ReactNode {
    const session = useVoiceSession<never, unknown>('stt', { silence: SILENCE })
    const talk = usePushToTalk(session, { mode })
    useEffect(() => {
      if (shown.at(-1) !== session.status) shown.push(session.status)
    })
    return (
      <>
        <button {...talk}>Talk</button>
        <button onClick={session.start}>Hands-free</button>
      </>
    )
  }
  render(<Talk />, { wrapper: pageOf(voice.client) })
  const button = screen.getByText('Talk')
  return {
    shown,
    status: () => shown.at(-1),
    isPressed: () => button.getAttribute('aria-pressed') === 'true',
    press: () => void fireEvent.pointerDown(button, { pointerId: 1, button: 0, buttons: 1 }),
    release: () => void fireEvent.pointerUp(button, { pointerId: 1 }),
    click: () => act(() => button.click()),
    startHandsFree: () => act(() => screen.getByText('Hands-free').click()),
  }
}

it('a button that is held through silence stays pressed, pays for speech alone, and loses no word', async () => {
  using voice = createTestVoice()
  const { shown, status, isPressed, press, release } = openPage(voice)
  press()
  await pass(1_000)
  voice.microphone.speak(words(0, 50))
  await pass(10_000)
  expect(status()).toBe('waiting')
  expect(isPressed()).toBe(true)
  expect(voice.microphone.isOpen).toBe(true)
  expect(voice.emulator.sockets).toHaveLength(0)
  voice.microphone.speak(words(50, 100))
  // Released at the end of the last word.
  await pass(1_000)
  release()
  expect(voice.microphone.isOpen).toBe(false)
  await pass(5_000)
  expect(arrived(voice)).toEqual(numbers(0, 100))
  expect(shown).toEqual(['idle', 'starting', 'active', 'waiting', 'active', 'stopping', 'idle'])
  expect(isPressed()).toBe(false)
  expect(voice.emulator.sockets).toHaveLength(0)
})

it('a word is not lost if the button is released while the stream opens', async () => {
  using voice = createTestVoice()
  const { status, press, release } = openPage(voice)
  press()
  await pass(10_000)
  expect(status()).toBe('waiting')
  voice.microphone.speak(words(0, 5))
  // A fifth of it decides, and no answer of the service has come.
  act(() => void vi.advanceTimersByTime(100))
  expect([status(), voice.emulator.sockets.length]).toEqual(['waiting', 0])
  release()
  expect(voice.microphone.isOpen).toBe(false)
  await pass(5_000)
  expect(status()).toBe('idle')
  expect(arrived(voice)).toEqual(numbers(0, 5))
})

it('a release while it waits opens nothing, and the next press is heard at once', async () => {
  using voice = createTestVoice()
  const { shown, status, isPressed, press, release } = openPage(voice)
  press()
  await pass(10_000)
  expect(status()).toBe('waiting')
  release()
  await pass(5_000)
  expect([status(), isPressed(), voice.microphone.isOpen]).toEqual(['idle', false, false])
  expect(voice.emulator.counts.handshake).toBe(1)
  press()
  await pass(1_000)
  // Without a word: a press is a wish to be heard.
  expect(status()).toBe('active')
  voice.microphone.speak(words(0, 50))
  await pass(1_000)
  release()
  await pass(5_000)
  expect(arrived(voice)).toEqual(numbers(0, 50))
  const first = ['idle', 'starting', 'active', 'waiting', 'stopping']
  expect(shown).toEqual([...first, 'idle', 'starting', 'active', 'stopping', 'idle'])
})

it('a press opens the stream of a session that waits hands-free, and its release ends the session', async () => {
  using voice = createTestVoice()
  const opened = vi.spyOn(navigator.mediaDevices, 'getUserMedia')
  const { shown, status, isPressed, press, release, startHandsFree } = openPage(voice)
  startHandsFree()
  await pass(10_000)
  expect([status(), isPressed()]).toEqual(['waiting', true])
  press()
  await pass(1_000)
  expect(status()).toBe('active')
  expect(voice.emulator.sockets).toHaveLength(1)
  voice.microphone.speak(words(0, 50))
  await pass(1_000)
  release()
  await pass(5_000)
  expect([status(), isPressed(), voice.microphone.isOpen]).toEqual(['idle', false, false])
  expect(arrived(voice)).toEqual(numbers(0, 50))
  expect(shown).toEqual(['idle', 'starting', 'active', 'waiting', 'active', 'stopping', 'idle'])
  // The browser does not ask the user again, and no sound is lost meanwhile.
  expect(opened).toHaveBeenCalledOnce()
})

it('a toggled button that was forgotten costs nothing in silence, and a press in a wait ends the session', async () => {
  using voice = createTestVoice()
  const { shown, status, isPressed, click } = openPage(voice, 'toggle')
  click()
  await pass(60_000)
  expect([status(), isPressed()]).toEqual(['waiting', true])
  const paidMs = Object.values(voice.emulator.billedMs()).reduce((sum, ms) => sum + ms, 0)
  expect(paidMs).toBeLessThan(5_000)
  click()
  await pass(1_000)
  expect(shown).toEqual(['idle', 'starting', 'active', 'waiting', 'stopping', 'idle'])
  expect([isPressed(), voice.microphone.isOpen]).toEqual([false, false])
  expect(voice.emulator.counts.handshake).toBe(1)
})
