import { act, render } from '@testing-library/react'
import { useEffect, useState } from 'react'
import { expect, it, vi } from 'vitest'
import { clientOf } from '../client/createVoiceClient.js'
import { createVirtualVoice } from '../virtual/createVirtualVoice.test.kit.js'
import { stubAnimationFrames } from './animationFrames.test.kit.js'
import { useStream } from './useStream.js'
import { type StreamVitals, useVitals } from './useVitals.js'
import { pageOf } from '../client/pageOf.test.kit.js'

const codec = {
  encode: String,
  decode: (data: string | ArrayBuffer) => [data],
  isFinal: (data: string | ArrayBuffer) => data === 'final',
}

const { frame } = stubAnimationFrames()

async function renderLine() {
  const voice = createVirtualVoice()
  const shown: StreamVitals[] = []
  let press = (): void => {}
  function Line() {
    const [isOn, setOn] = useState(false)
    const stream = useStream('stt', { enabled: isOn, codec })
    const vitals = useVitals(stream)
    // React 18 makes the object of a render twice in StrictMode.
    if (JSON.stringify(shown.at(-1)) !== JSON.stringify(vitals)) shown.push(vitals)
    useEffect(() => {
      press = () => setOn(true)
    }, [])
    return null
  }
  const page = render(<Line />, { wrapper: pageOf(voice.client) })
  await act(() => vi.dynamicImportSettled())
  act(() => press())
  await act(() => voice.advance(100))
  act(frame)
  return { voice, shown, page }
}

it('has the last figures of the stream, without the option, and sends nothing', async () => {
  const { voice, shown } = await renderLine()
  expect(shown.at(-1)).toEqual({ figures: { open: 15 }, drops: 0 })
  voice.service.connections[0]?.send('final')
  act(frame)
  expect(shown.at(-1)?.figures).toEqual({ open: 15, openToText: 85 })
  voice.service.connections[0]?.drop()
  await act(() => voice.advance(2_000))
  expect(shown.at(-1)?.drops).toBe(1)
  await act(() => voice.advance(120_000))
  expect(voice.service.requests.some(({ path }) => path === '/vitals')).toBe(false)
})

it('renders only when a figure changes, and measures nothing after the unmount', async () => {
  const { voice, shown, page } = await renderLine()
  const before = shown.length
  for (let nth = 0; nth < 100; nth += 1) voice.service.connections[0]?.send('more')
  act(frame)
  expect(shown.length).toBe(before + 1)
  page.unmount()
  expect(clientOf(voice.client).moments.isEmpty()).toBe(true)
})

it('shows nothing of the user before', async () => {
  const { voice, shown } = await renderLine()
  act(() => voice.client.setUser('bob'))
  expect(shown.at(-1)).toEqual({ figures: {}, drops: 0 })
})
