import { cleanup, render, screen } from '@testing-library/react'
import { afterEach, expect, it, onTestFinished, vi } from 'vitest'
import { commands } from 'vitest/browser'
import { createTestVoice, type TestVoice } from '../testing/createTestVoice.js'
import { useVoiceSession } from './index.js'
import { pageOf } from '../client/pageOf.test.kit.js'
import { pointOf } from './pointOf.test.kit.js'

afterEach(() => {
  cleanup()
  vi.restoreAllMocks()
})

/** The locks that the browser has given, in their order. */
function watchLocks() {
  const own = navigator.wakeLock.request.bind(navigator.wakeLock)
  const given: WakeLockSentinel[] = []
  let refusals = 0
  const request = vi.spyOn(navigator.wakeLock, 'request').mockImplementation(async (type) => {
    if (refusals > 0) {
      refusals -= 1
      throw new DOMException('The battery is low.', 'NotAllowedError')
    }
    const lock = await own(type)
    given.push(lock)
    return lock
  })
  return {
    request,
    given,
    held: () => given.filter(({ released }) => !released).length,
    refuseOnce: () => (refusals += 1),
  }
}

/** Hides the page. A browser then releases its locks. */
async function setHidden(isHidden: boolean, given: readonly WakeLockSentinel[]): Promise<void> {
  vi.spyOn(document, 'visibilityState', 'get').mockReturnValue(isHidden ? 'hidden' : 'visible')
  if (isHidden) await Promise.all(given.map((lock) => lock.release()))
  document.dispatchEvent(new Event('visibilitychange', { bubbles: true }))
}

const detect = (frame: Int16Array): boolean => frame.some((sample) => Math.abs(sample) > 1_000)

function show(voice: TestVoice, options: Parameters<typeof useVoiceSession>[1]) {
  function Talk() {
    const session = useVoiceSession('stt', options as object)
    return (
      <>
        <p role="status">{session.status}</p>
        {(['start', 'stop', 'pause', 'resume'] as const).map((name) => (
          <button key={name} onClick={session[name]}>
            {name}
          </button>
        ))}
      </>
    )
  }
  render(<Talk />, { wrapper: pageOf(voice.client) })
  return {
    /** A press of the mouse, because WebKit gives no lock after the click of a script. */
    press: async (name: string): Promise<void> => {
      await commands.input({ type: 'move', ...pointOf(screen.getByRole('button', { name })) })
      await commands.input({ type: 'press' })
      await commands.input({ type: 'release' })
    },
    becomes: (status: string) =>
      vi.waitFor(() => expect(screen.getByRole('status').textContent).toBe(status)),
  }
}

it('holds the screen while the user is heard, and lets it go in a pause and at the end', async () => {
  using voice = createTestVoice()
  const locks = watchLocks()
  const { press, becomes } = show(voice, { keepScreenOn: true })
  expect(locks.request).not.toHaveBeenCalled()
  await press('start')
  // WebKit gives the first lock of a page for some seconds after a press.
  expect(locks.request).toHaveBeenCalled()
  await becomes('active')
  await vi.waitFor(() => expect(locks.held()).toBe(1))
  await press('pause')
  await becomes('paused')
  await vi.waitFor(() => expect(locks.held()).toBe(0))
  await press('resume')
  await becomes('active')
  await vi.waitFor(() => expect(locks.held()).toBe(1))
  await press('stop')
  await becomes('idle')
  await vi.waitFor(() => expect(locks.held()).toBe(0))
})

it('lets the screen go while it waits for speech, and holds it at the next word', async () => {
  using voice = createTestVoice()
  const locks = watchLocks()
  const { press, becomes } = show(voice, { keepScreenOn: true, silence: { closeAfterMs: 1_000, detect } })
  await press('start')
  await becomes('active')
  await vi.waitFor(() => expect(locks.held()).toBe(1))
  await becomes('waiting')
  await vi.waitFor(() => expect(locks.held()).toBe(0))
  voice.microphone.speak(new Int16Array(16_000).fill(8_000))
  await becomes('active')
  await vi.waitFor(() => expect(locks.held()).toBe(1))
})

it('asks again when the page is shown, and never in a hidden page', async () => {
  using voice = createTestVoice()
  const locks = watchLocks()
  const { press, becomes } = show(voice, { keepScreenOn: true })
  await press('start')
  await becomes('active')
  await vi.waitFor(() => expect(locks.held()).toBe(1))
  await setHidden(true, locks.given)
  const asked = locks.request.mock.calls.length
  await setHidden(true, locks.given)
  expect(locks.request.mock.calls).toHaveLength(asked)
  await setHidden(false, locks.given)
  await vi.waitFor(() => expect(locks.held()).toBe(1))
  // Shown twice: one lock is enough.
  await setHidden(false, locks.given)
  cleanup()
  await vi.waitFor(() => expect(locks.held()).toBe(0))
})

it('a browser that refuses changes nothing, and is asked again when the page is shown', async () => {
  using voice = createTestVoice()
  const locks = watchLocks()
  locks.refuseOnce()
  locks.refuseOnce()
  const { press, becomes } = show(voice, { keepScreenOn: true })
  await press('start')
  await becomes('active')
  await vi.waitFor(() => expect(locks.request).toHaveBeenCalled())
  expect(locks.held()).toBe(0)
  await setHidden(true, [])
  await setHidden(false, [])
  await setHidden(false, [])
  await vi.waitFor(() => expect(locks.held()).toBe(1))
})

it('works in a browser without the interface', async () => {
  using voice = createTestVoice()
  Object.defineProperty(navigator, 'wakeLock', { value: undefined, configurable: true })
  onTestFinished(() => void Reflect.deleteProperty(navigator, 'wakeLock'))
  const { press, becomes } = show(voice, { keepScreenOn: true })
  await press('start')
  await becomes('active')
  expect(screen.getByRole('status').textContent).toBe('active')
})

it.each([
  ['a finger', undefined, 1],
  ['a finger', false, 0],
  ['a mouse', undefined, 0],
  ['a mouse', true, 1],
] as const)(
  'on a device that is used with %s, keepScreenOn %s holds %i',
  async (hand, keepScreenOn, count) => {
    using voice = createTestVoice()
    const locks = watchLocks()
    const own = window.matchMedia.bind(window)
    vi.spyOn(window, 'matchMedia').mockImplementation((query) => {
      const found = own(query)
      return query === '(pointer: coarse)'
        ? Object.defineProperty(found, 'matches', { value: hand === 'a finger' })
        : found
    })
    const { press, becomes } = show(voice, { keepScreenOn })
    await press('start')
    await becomes('active')
    await vi.waitFor(() => expect(locks.held()).toBe(count))
    await press('stop')
    await becomes('idle')
    expect(locks.given).toHaveLength(count)
  },
)
