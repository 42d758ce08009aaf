import { render } from '@testing-library/react'
import { StrictMode, useEffect } from 'react'
import { expect, it, vi } from 'vitest'
import { createMicrophone } from '@stagepass/audio'
import { useMicrophone, useMicrophones, usePlayback } from './index.js'

function Recorder({ onFrame, onRender }: { onFrame: (frame: ArrayBuffer) => void; onRender: () => void }) {
  const microphone = useMicrophone({ onFrame: (frame) => onFrame(frame) })
  useEffect(onRender)
  return (
    <>
      <output>{microphone.status}</output>
      <button onClick={() => void microphone.start()}>start</button>
      <button onClick={() => microphone.setMuted(!microphone.muted)}>
        {microphone.muted ? 'unmute' : 'mute'}
      </button>
    </>
  )
}

it('captures without a render per frame, under StrictMode, and releases the device at the end', async () => {
  const opened = vi.spyOn(navigator.mediaDevices, 'getUserMedia')
  const onFrame = vi.fn()
  const onRender = vi.fn()
  const page = render(
    <StrictMode>
      <Recorder onFrame={onFrame} onRender={onRender} />
    </StrictMode>,
  )
  page.getByText('start').click()
  await vi.waitFor(() => expect(page.getByRole('status').textContent).toBe('capturing'))
  const renders = onRender.mock.calls.length
  await vi.waitFor(() => expect(onFrame.mock.calls.length).toBeGreaterThan(20))
  expect(onRender.mock.calls.length).toBe(renders)

  page.getByText('mute').click()
  expect(await page.findByText('unmute')).toBeTruthy()

  const stream = (await opened.mock.results[0]!.value) as MediaStream
  opened.mockRestore()
  page.unmount()
  expect(stream.getTracks()[0]!.readyState).toBe('ended')
})

function AtOnce({ onFrame }: { onFrame: (frame: ArrayBuffer) => void }) {
  const microphone = useMicrophone({ onFrame: (frame) => onFrame(frame) })
  const { start, status } = microphone
  useEffect(() => void start(), [start])
  return <output>{status}</output>
}

it('is started once by an effect that depends on start', async () => {
  const opened = vi.spyOn(navigator.mediaDevices, 'getUserMedia')
  const onFrame = vi.fn()
  const page = render(<AtOnce onFrame={onFrame} />)
  await vi.waitFor(() => expect(onFrame.mock.calls.length).toBeGreaterThan(3))
  expect(page.getByRole('status').textContent).toBe('capturing')
  expect(opened).toHaveBeenCalledOnce()
  opened.mockRestore()
  page.unmount()
})

function Devices() {
  return (
    <ul>
      {useMicrophones().map(({ deviceId, label }) => (
        <li key={deviceId}>{label}</li>
      ))}
    </ul>
  )
}

it('lists the microphones as soon as one was allowed, though no device has changed', async () => {
  const devices = await navigator.mediaDevices.enumerateDevices()
  // The answer of a browser to a page that was never allowed a microphone.
  const asked = vi.spyOn(navigator.mediaDevices, 'enumerateDevices').mockResolvedValue([])
  const page = render(<Devices />)
  await vi.waitFor(() => expect(asked).toHaveBeenCalled())
  asked.mockResolvedValue(devices)
  const microphone = createMicrophone()
  await microphone.start()
  expect((await page.findAllByText(/fake/i)).length).toBeGreaterThan(0)
  microphone.stop()
  asked.mockRestore()
  page.unmount()
})

it('plays, and is silent after the component was unmounted', async () => {
  let played: ReturnType<typeof usePlayback> | undefined
  function Player() {
    const playback = usePlayback()
    useEffect(() => {
      played = playback
    })
    return <button onClick={() => playback.play(new Int16Array(16_000))}>{playback.status}</button>
  }
  const page = render(
    <StrictMode>
      <Player />
    </StrictMode>,
  )
  page.getByText('idle').click()
  expect(await page.findByText('playing')).toBeTruthy()
  page.unmount()
  expect(played!.bufferedMs()).toBe(0)
})
