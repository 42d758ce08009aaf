import { act, render } from '@testing-library/react'
import { useState } from 'react'
import { describe, expect, it } from 'vitest'
import type { VirtualVoice } from '../virtual/createVirtualVoice.test.kit.js'
import { createVirtualVoice } from '../virtual/createVirtualVoice.test.kit.js'
import { stubAnimationFrames } from './animationFrames.test.kit.js'
import { useStream } from './useStream.js'
import { useStreamValue } from './useStreamValue.js'
import { pageOf } from '../client/pageOf.test.kit.js'

const { frame } = stubAnimationFrames()

/** The stream of text that these tests read. */
const useText = () => useStream<string, string>('stt')

async function open(Reader: () => string): Promise<{ voice: VirtualVoice; text: () => string | null }> {
  const voice = createVirtualVoice()
  const { container } = render(<Reader />, { wrapper: pageOf(voice.client) })
  await act(() => voice.advance(100))
  return { voice, text: () => container.textContent }
}

const say = ({ service }: VirtualVoice, ...messages: string[]): void => {
  for (const message of messages) service.connections.at(-1)?.send(message)
}

describe('useStreamValue', () => {
  it('renders once a frame, and misses nothing', async () => {
    let renders = 0
    const { voice, text } = await open(function Lines() {
      renders += 1
      const stream = useText()
      const lines = useStreamValue(stream, (message, before: string[] = []) => [...before, message])
      return String(lines?.join(' '))
    })
    expect(text()).toBe('undefined')
    const before = renders
    act(() => say(voice, ...Array.from({ length: 100 }, (_, index) => String(index))))
    expect(renders).toBe(before)
    act(frame)
    // StrictMode renders twice.
    expect(renders - before).toBeLessThanOrEqual(2)
    expect(text()?.split(' ')).toHaveLength(100)
    act(() => {
      say(voice, 'a')
      frame()
      say(voice, 'b')
      frame()
    })
    expect(text()).toMatch(/99 a b$/)
  })

  it('shows new messages even if animation frames have stopped, as in a hidden tab', async () => {
    const { voice, text } = await open(function Last() {
      return String(useStreamValue(useText(), (message) => message))
    })
    say(voice, 'hidden')
    await act(() => voice.advance(250))
    expect(text()).toBe('hidden')
  })

  it('does not render if isEqual sees no change, and accepts inline functions', async () => {
    let renders = 0
    const { voice, text } = await open(function Parity() {
      renders += 1
      const value = useStreamValue(
        useText(),
        (message) => ({ even: Number(message) % 2 === 0 }),
        (a, b) => a.even === b.even,
      )
      return String(value?.even)
    })
    act(() => {
      say(voice, '2')
      frame()
    })
    expect(text()).toBe('true')
    const before = renders
    for (const message of ['4', '6', '8']) {
      act(() => {
        say(voice, message)
        frame()
      })
    }
    // React may call the component once, and find that nothing has changed.
    expect(renders - before).toBeLessThanOrEqual(2)
    expect(text()).toBe('true')
  })

  it('unsubscribes from the stream when it unmounts', async () => {
    let hide: () => void = () => {}
    const { voice } = await open(function Page() {
      const [isShown, setIsShown] = useState(true)
      hide = () => setIsShown(false)
      return (isShown && <Last />) as never
    })
    function Last() {
      return String(useStreamValue(useText(), (message) => message))
    }
    say(voice, 'never shown')
    act(() => hide())
    await voice.advance(1_000)
    expect(voice.timers).toBe(0)
    expect(voice.service.connections.every(({ status }) => status === 'closed')).toBe(true)
  })
})
