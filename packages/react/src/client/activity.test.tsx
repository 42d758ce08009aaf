import { fakeMicrophones } from '@stagepass/testing/fakeMicrophones'
import { act, cleanup, render } from '@testing-library/react'
import { Activity, type ReactNode, StrictMode, useEffect } from 'react'
import { afterEach, expect, it } from 'vitest'
import { useMicrophone, type UseMicrophoneResult } from '../audio/useMicrophone.js'
import { useStream } from '../stream/useStream.js'
import { createVirtualVoice, type VirtualVoiceOptions } from '../virtual/createVirtualVoice.test.kit.js'
import { VoiceProvider } from './VoiceProvider.js'

/* React unmounts the effects of a hidden <Activity>, and keeps its state and its elements. */

afterEach(cleanup)

function Tab() {
  return <p>{useStream('stt').status}</p>
}

function openPage(
  tab: ReactNode,
  options: VirtualVoiceOptions & { beside?: ReactNode; hidden?: boolean } = {},
) {
  const voice = createVirtualVoice(options)
  const tree = (mode: 'visible' | 'hidden') => (
    <StrictMode>
      <VoiceProvider client={voice.client}>
        {options.beside}
        <Activity mode={mode}>{tab}</Activity>
      </VoiceProvider>
    </StrictMode>
  )
  const { container, rerender } = render(tree(options.hidden ? 'hidden' : 'visible'))
  const pass = (ms: number): Promise<void> => act(() => voice.advance(ms))
  return {
    voice,
    pass,
    hide: () => act(() => rerender(tree('hidden'))),
    show: () => act(() => rerender(tree('visible'))),
    text: () => container.querySelector('p')?.textContent,
    connections: () => voice.service.connections.map(({ status }) => status),
  }
}

it('closes the socket 250 ms after the tab was hidden', async () => {
  const page = openPage(<Tab />)
  await page.pass(100)
  page.hide()
  await page.pass(249)
  expect(page.connections()).toEqual(['open'])
  await page.pass(2)
  expect(page.connections()).toEqual(['closed'])
})

it('keeps the socket if the tab is shown again within 250 ms', async () => {
  const page = openPage(<Tab />)
  await page.pass(100)
  page.hide()
  await page.pass(200)
  page.show()
  expect(page.text()).toBe('open')
  await page.pass(1_000)
  expect(page.connections()).toEqual(['open'])
})

it('lets the token of a hidden tab expire, and is open at once with a new one when the tab is shown', async () => {
  const page = openPage(<Tab />, { ttlMs: 10 * 60_000 })
  await page.pass(100)
  page.hide()
  await page.pass(60 * 60_000)
  expect([page.voice.service.tokensGranted, page.voice.timers]).toEqual([1, 0])
  page.show()
  expect(page.text()).toBe('connecting')
  await page.pass(100)
  expect(page.text()).toBe('open')
  expect(page.voice.service.tokensGranted).toBe(2)
})

it('shows no old status after the tab was hidden', async () => {
  const page = openPage(<Tab />)
  await page.pass(100)
  page.hide()
  act(() => page.voice.client.setUser(null))
  page.show()
  expect(page.text()).toBe('idle')
})

it('opens nothing for a tab that is rendered hidden', async () => {
  const page = openPage(<Tab />, { hidden: true })
  await page.pass(60_000)
  expect(page.text()).toBe('idle')
  expect([page.voice.service.tokensGranted, page.voice.service.handshakes]).toEqual([0, []])
  page.show()
  await page.pass(100)
  expect(page.text()).toBe('open')
})

it('stops a microphone in a hidden tab, but no microphone and no stream above the tab', async () => {
  using devices = fakeMicrophones('in the tab', 'above')
  const microphones = new Map<string, UseMicrophoneResult>()
  function Recorder({ deviceId }: { deviceId: string }) {
    const stream = useStream('stt')
    const microphone = useMicrophone({ deviceId, onFrame: (frame) => stream.send(frame) })
    useEffect(() => void microphones.set(deviceId, microphone))
    return null
  }
  const page = openPage(<Recorder deviceId="in the tab" />, { beside: <Recorder deviceId="above" /> })
  await page.pass(100)
  const statuses = () => ['in the tab', 'above'].map((name) => microphones.get(name)?.status)
  await act(async () => {
    for (const { start } of microphones.values()) void start()
    await devices.pass(100)
  })
  expect(statuses()).toEqual(['capturing', 'capturing'])
  page.hide()
  const live = devices.tracks.filter(({ readyState }) => readyState === 'live')
  expect(live.map(({ deviceId }) => deviceId)).toEqual(['above'])
  await page.pass(1_000)
  expect(page.connections()).toEqual(['open'])
  page.show()
  expect(statuses()).toEqual(['idle', 'capturing'])
})
