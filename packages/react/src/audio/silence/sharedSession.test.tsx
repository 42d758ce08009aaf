import { cleanup, renderHook } from '@testing-library/react'
import { afterEach, beforeEach, expect, it, vi } from 'vitest'
import { useStream } from '../../stream/useStream.js'
import { createTestVoice } from '../../testing/createTestVoice.js'
import { renderSilentSession, until, words } from './silentSession.test.kit.js'
import { pageOf } from '../../client/pageOf.test.kit.js'

beforeEach(() => {
  vi.useFakeTimers()
})

afterEach(() => {
  cleanup()
  vi.useRealTimers()
})

/** A session of its own that is silent, and the only one of the account. */
async function setupSilent() {
  const voice = createTestVoice({ sessions: { max: 1 } })
  const silent = renderSilentSession(voice)
  silent.run(() => silent.session.current.start())
  await silent.pass(1_000)
  voice.microphone.speak(words(0, 50))
  await silent.pass(20_000)
  await until(() => expect(silent.session.current.status).toBe('waiting'))
  /** Another stream that needs a session. */
  function open(key: string) {
    const wrapper = pageOf(voice.client)
    const { result, unmount } = renderHook(() => useStream('stt', { key }), { wrapper })
    return { unmount, stream: () => result.current }
  }
  return { ...silent, open, voice, [Symbol.dispose]: () => voice[Symbol.dispose]() }
}

it('keeps the session of a silent stream while no other needs it', async () => {
  using page = await setupSilent()
  await page.pass(120_000)
  page.voice.microphone.speak(words(50, 100))
  await until(() => expect(page.session.current).toMatchObject({ status: 'active', stream: { queue: null } }))
  expect(page.voice.events.map(({ type }) => type)).not.toContain('stream.queued')
})

it('gives the session of a silent stream to one that waits, and the next speech is first in the queue', async () => {
  using page = await setupSilent()
  const second = page.open('second')
  await until(() => expect(second.stream()).toMatchObject({ status: 'open' }))
  const third = page.open('third')
  await until(() => expect(third.stream()).toMatchObject({ status: 'queued', queue: { place: 1, of: 1 } }))
  // Within ten seconds the silent page asks for its session, and the answer takes real time.
  await page.pass(10_000)
  const answeredAt = Date.now() + 1_000
  await until(() => expect(Date.now()).toBeGreaterThanOrEqual(answeredAt))
  page.voice.microphone.speak(words(50, 100))
  await until(() =>
    expect(page.session.current.stream).toMatchObject({ status: 'queued', queue: { place: 1, of: 2 } }),
  )
  second.unmount()
  await until(() =>
    expect(page.session.current).toMatchObject({ status: 'active', stream: { status: 'open' } }),
  )
  expect(third.stream().status).toBe('queued')
})
