import { act, render } from '@testing-library/react'
import type { ReactNode } from 'react'
import { StrictMode } from 'react'
import { describe, expect, it } from 'vitest'
import { VoiceProvider } from '../client/VoiceProvider.js'
import type { VirtualVoice } from '../virtual/createVirtualVoice.test.kit.js'
import { createVirtualVoice } from '../virtual/createVirtualVoice.test.kit.js'
import type { UseStreamOptions, UseStreamResult } from './useStream.js'
import { useStream } from './useStream.js'

type Options = UseStreamOptions<unknown, unknown>

function Show({
  options,
  onRender,
}: {
  options?: Options
  onRender?: (stream: UseStreamResult<unknown, unknown>) => void
}) {
  const stream = useStream<unknown, unknown>('stt', options)
  onRender?.(stream)
  return <p>{stream.status}</p>
}

function page(voice: VirtualVoice, children: ReactNode): ReactNode {
  return (
    <StrictMode>
      <VoiceProvider client={voice.client}>{children}</VoiceProvider>
    </StrictMode>
  )
}

describe('useStream', () => {
  it('costs one token and one socket for ten components in StrictMode', async () => {
    const voice = createVirtualVoice()
    const shown = render(
      page(
        voice,
        Array.from({ length: 10 }, (_, index) => <Show key={index} />),
      ),
    )
    await act(() => voice.advance(1_000))
    expect(shown.container.textContent).toBe('open'.repeat(10))
    expect(voice.service.tokensGranted).toBe(1)
    expect(voice.service.handshakes).toHaveLength(1)
    shown.unmount()
    await voice.advance(1_000)
    expect(voice.service.connections[0]?.status).toBe('closed')
    expect(voice.timers).toBe(0)
  })

  it('takes only the handshake if it is warm, and keeps no token while the page is hidden', async () => {
    const voice = createVirtualVoice({ ttlMs: 10 * 60_000 })
    let stream: UseStreamResult<unknown, unknown> | undefined
    const shown = render(
      page(voice, <Show options={{ enabled: false, warm: true }} onRender={(now) => (stream = now)} />),
    )
    await act(() => voice.advance(1_000))
    expect(voice.service.tokensGranted).toBe(1)
    voice.setVisible(false)
    await act(() => voice.advance(30 * 60_000))
    expect(voice.service.tokensGranted).toBe(1)
    voice.setVisible(true)
    await act(() => voice.advance(1_000))
    expect(voice.service.tokensGranted).toBe(2)
    // A handshake takes 5 ms here, and a token 10 ms.
    act(() => stream?.open())
    await act(() => voice.advance(5))
    expect(shown.container.textContent).toBe('open')
    shown.unmount()
    await voice.advance(60 * 60_000)
    expect([voice.service.tokensGranted, voice.timers]).toEqual([2, 0])
  })

  it('gets a token for one press by prepare(), and does not renew it', async () => {
    const voice = createVirtualVoice({ ttlMs: 10 * 60_000 })
    let stream: UseStreamResult<unknown, unknown> | undefined
    const shown = render(
      page(voice, <Show options={{ enabled: false }} onRender={(now) => (stream = now)} />),
    )
    await act(() => voice.advance(1_000))
    expect(voice.service.tokensGranted).toBe(0)
    act(() => stream?.prepare())
    act(() => stream?.prepare())
    await act(() => voice.advance(10))
    act(() => stream?.open())
    await act(() => voice.advance(5))
    expect([shown.container.textContent, voice.service.tokensGranted]).toEqual(['open', 1])
    act(() => stream?.close())
    await act(() => voice.advance(60 * 60_000))
    expect(voice.service.tokensGranted).toBe(1)
  })

  it('renders for a change of status but for no message', async () => {
    const voice = createVirtualVoice()
    let renders = 0
    const heard: unknown[] = []
    const onMessage = (message: unknown): void => void heard.push(message)
    render(
      <VoiceProvider client={voice.client}>
        <Show options={{ onMessage }} onRender={() => (renders += 1)} />
      </VoiceProvider>,
    )
    await act(() => voice.advance(100))
    const before = renders
    act(() => {
      for (let index = 0; index < 500; index += 1) voice.service.connections[0]?.send(String(index))
    })
    expect(heard).toHaveLength(500)
    expect(renders).toBe(before)
  })

  it('accepts inline callbacks without reconnecting, and calls the newest', async () => {
    const voice = createVirtualVoice()
    const heard: string[] = []
    const at = (name: string) =>
      page(voice, <Show options={{ onMessage: () => heard.push(name), reconnect: { minDelayMs: 1 } }} />)
    const shown = render(at('first'))
    await act(() => voice.advance(100))
    shown.rerender(at('second'))
    act(() => voice.service.connections[0]?.send('hello'))
    expect(heard).toEqual(['second'])
    expect(voice.service.handshakes).toHaveLength(1)
  })

  it('throws if an object is sent without a codec', async () => {
    const voice = createVirtualVoice()
    let stream: UseStreamResult<unknown, unknown> | undefined
    render(page(voice, <Show onRender={(now) => (stream = now)} />))
    await act(() => voice.advance(100))
    expect(() => stream?.send({ text: 'hello' })).toThrow(
      "For objects give useStream a `codec`, such as json() of '@stagepass/react/codecs'.",
    )
    stream?.send('hello')
    expect(voice.service.connections[0]?.received).toEqual(['hello'])
  })

  it('opens and closes by call, and stays closed for components that mount later', async () => {
    const voice = createVirtualVoice()
    let stream: UseStreamResult<unknown, unknown> | undefined
    const first = <Show key="1" options={{ enabled: false }} onRender={(result) => (stream = result)} />
    const shown = render(page(voice, first))
    await act(() => voice.advance(100))
    expect(stream?.status).toBe('idle')
    act(() => stream?.open())
    expect(stream?.send('x')).toBe('queued')
    await act(() => voice.advance(100))
    expect(stream?.status).toBe('open')
    act(() => stream?.close())
    expect(stream?.send('y')).toBe('dropped')
    shown.rerender(page(voice, [first, <Show key="2" />]))
    await act(() => voice.advance(1_000))
    expect(stream?.status).toBe('closed')
    act(() => stream?.open())
    await act(() => voice.advance(1_000))
    expect(voice.service.connections.map(({ received }) => received)).toEqual([['x'], []])
  })
})
