import { act, cleanup, render } from '@testing-library/react'
import { type ReactNode, StrictMode, useEffect } from 'react'
import { afterEach, expect, it, vi } from 'vitest'
import { VoiceProvider } from '../client/VoiceProvider.js'
import { createTestVoice } from '../testing/createTestVoice.js'
import { usePushToTalk } from './usePushToTalk.js'
import { detectLoud, pass } from './silence/silentSession.test.kit.js'
import { useVoiceSession, type UseVoiceSessionResult } from './useVoiceSession.js'

afterEach(() => {
  cleanup()
  vi.useRealTimers()
})

it.each(['with silence', 'without'])(
  'S57 another client ends the press of a button, its microphone and its stream: %s',
  async (kind) => {
    vi.useFakeTimers()
    using voice = createTestVoice()
    using next = createTestVoice()
    let session = {} as UseVoiceSessionResult<never, unknown>
    const silence = kind === 'with silence' ? { detect: detectLoud } : undefined
    function Talk(): ReactNode {
      const current = useVoiceSession<never, unknown>('stt', { silence })
      useEffect(() => {
        session = current
      })
      return <button {...usePushToTalk(current)} />
    }
    const tree = (client = voice.client): ReactNode => (
      <StrictMode>
        <VoiceProvider client={client}>
          <Talk />
        </VoiceProvider>
      </StrictMode>
    )
    const page = render(tree())
    const button = page.getByRole('button')
    const isPressed = (): string | null => button.getAttribute('aria-pressed')
    act(() => void button.dispatchEvent(new PointerEvent('pointerdown', { pointerId: 1, bubbles: true })))
    for (let s = 0; s < 20 && session.status !== 'active'; s += 1) await pass(1_000)
    expect(session.status).toBe('active')
    await pass(10_000)
    expect(session.status).toBe(silence ? 'waiting' : 'active')
    page.rerender(tree(next.client))
    expect(session).toMatchObject({ status: 'idle', microphone: { status: 'idle' }, silence: { savedMs: 0 } })
    expect(isPressed()).toBe('false')
    await pass(5_000)
    expect([...voice.emulator.sockets, ...next.emulator.sockets]).toEqual([])
    // It does not go on by itself when the first client is back.
    page.rerender(tree())
    await pass(5_000)
    expect(session).toMatchObject({ status: 'idle', microphone: { status: 'idle' } })
    expect(isPressed()).toBe('false')
    expect(voice.emulator.sockets).toEqual([])
  },
)
